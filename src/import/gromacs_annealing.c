/* Temperatures that change in time, of annealing of GROMACS: see gromacs_writer.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_rule.h"
#include "import/gromacs_writer.h"

enum { POINTS_MOST = 10000, GROUPS_MOST = 32 };

enum { NO, SINGLE, PERIODIC };

/* How group k is annealed. */
static int kind_of(const struct gromacs_mdp *mdp, int k)
{
  const char *word = gromacs_mdp_word(mdp, "annealing", k);
  return *word ? gromacs_word_find("no|single|periodic", word) : NO;
}

/* The points of group k: the first of its numbers in the lists of all, and how many. */
static int find_points(const struct gromacs_writer *w, int k, int groups, int *first)
{
  double n[GROUPS_MOST];
  const int given = gromacs_mdp_reals(w->mdp, "annealing-npoints", GROUPS_MOST, n);
  *first = 0;
  if (given != groups) {
    GROMACS_REFUSE(w->mdp, "annealing-npoints",
                   "annealing-npoints has %d numbers, and tc-grps %d groups", given, groups);
    return 0;
  }
  for (int j = 0; j <= k; j++)
    if (!(n[j] >= 0 && n[j] <= POINTS_MOST && n[j] == (int)n[j])) {
      GROMACS_REFUSE(w->mdp, "annealing-npoints", "annealing-npoints: %g is no number of points",
                     n[j]);
      return 0;
    }
  for (int j = 0; j < k; j++)
    *first += (int)n[j];
  return (int)n[k];
}

/* Refuses times that do not begin at 0 or do not ascend, and temperatures that a run refuses. */
static void check_point(const struct gromacs_writer *w, const double *time, const double *kelvin,
                        int i)
{
  if (i == 0 && time[0] != 0)
    GROMACS_REFUSE(w->mdp, "annealing-time", "annealing-time: the first must be 0, not %g",
                   time[0]);
  if (i > 0 && time[i] < time[i - 1])
    GROMACS_REFUSE(w->mdp, "annealing-time", "annealing-time: %g comes after %g", time[i],
                   time[i - 1]);
  gromacs_check_range(w, "thermostat.temperature", kelvin[i], "annealing-temp");
}

/* The text of the points of group k. time, kelvin: room for POINTS_MOST. */
static char *points_text(const struct gromacs_writer *w, int k, int groups, double *time,
                         double *kelvin)
{
  struct text_stream text;
  char a[FORMAT_REAL_BYTES], b[FORMAT_REAL_BYTES];
  int first;
  const int n = find_points(w, k, groups, &first);
  const int times = gromacs_mdp_reals(w->mdp, "annealing-time", POINTS_MOST, time);
  const int temperatures = gromacs_mdp_reals(w->mdp, "annealing-temp", POINTS_MOST, kelvin);
  if (n < 1 || times < first + n || temperatures < first + n) {
    GROMACS_REFUSE(w->mdp, "annealing-npoints",
                   "annealing: group %d has %d points, with %d numbers in annealing-time and %d in "
                   "annealing-temp",
                   k + 1, n, times, temperatures);
    return NULL;
  }
  FILE *out = text_begin(&text);
  const int periodic = kind_of(w->mdp, k) == PERIODIC;
  fputs(periodic ? "{points: [" : "[", out);
  for (int i = 0; i < n; i++) {
    check_point(w, time + first, kelvin + first, i);
    fprintf(out, "%s[%s, %s]", i ? ", " : "", format_real(time[first + i], a),
            format_real(kelvin[first + i], b));
  }
  fputs(periodic ? "], periodic: yes}" : "]", out);
  return text_end(&text);
}

char *gromacs_annealing_text(const struct gromacs_writer *w, int k, int groups)
{
  const int kind = kind_of(w->mdp, k);
  if (kind < 0)
    GROMACS_REFUSE(w->mdp, "annealing", "annealing = %.20s: no, single and periodic are possible",
                   gromacs_mdp_word(w->mdp, "annealing", k));
  if (kind <= NO) return NULL;
  if (gromacs_mdp_real(w->mdp, "tinit", 0, -1e12, 1e12) != 0 ||
      gromacs_mdp_int(w->mdp, "init-step", 0, 0, INT64_MAX) != 0)
    GROMACS_REFUSE(w->mdp, "annealing",
                   "annealing: its times count from the begin of the run: tinit and init-step must "
                   "be 0");
  double *time = alloc_array(2 * POINTS_MOST, sizeof *time);
  char *text = points_text(w, k, groups, time, time + POINTS_MOST);
  free(time);
  return text;
}
