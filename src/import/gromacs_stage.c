/* The run file of one or several files of run parameters: keys of one run, or a list of stages. See
   gromacs_mdp.h. */
#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "import/gromacs_yaml.h"

/* Steps of a minimiser whose nsteps is -1, without end. */
enum { STEPS_MOST = 1000000 };

static int is_taken(const struct gromacs_stage *stages, int n)
{
  int taken = !stages_may_be_named(stages[n].name);
  for (int k = 0; k < n; k++)
    taken |= !strcmp(stages[k].name, stages[n].name);
  return taken;
}

void gromacs_stage_name(struct gromacs_stage *stages, int n, const char *path)
{
  const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
  char *name = stages[n].name;
  while (*from && !isalnum((unsigned char)*from))
    from++;
  const char *dot = strrchr(from, '.');
  int length = dot ? (int)(dot - from) : (int)strlen(from);
  if (length > STAGE_NAME - 8) length = STAGE_NAME - 8;
  snprintf(name, STAGE_NAME, "%.*s", length ? length : 5, length ? from : "stage");
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_') *c = '_';
  const size_t end = strlen(name);
  for (int again = 2; is_taken(stages, n); again++)
    snprintf(name + end, STAGE_NAME - end, "_%d", again);
}

/* The lines of a text, each after n blanks. */
static void put_indented(FILE *out, const char *text, int n)
{
  while (*text) {
    const int length = (int)strcspn(text, "\n");
    fprintf(out, "%*s%.*s\n", n, "", length, text);
    text += length + (text[length] == '\n');
  }
}

static void put_row(FILE *out, const struct gromacs_mdp *mdp, const char *name, const char *value,
                    const char *from)
{
  char row[80];
  snprintf(row, sizeof row, "      %s: %s", name, value);
  fprintf(out, "%-34s  # ", row);
  gromacs_mdp_print(mdp, from, out);
  fputs("\n", out);
}

/* What a stage of minimisation has. Defaults are those of GROMACS. */
static void put_minimiser(FILE *out, const struct gromacs_mdp *mdp)
{
  char text[FORMAT_REAL_BYTES];
  const int64_t steps = gromacs_mdp_int(mdp, "nsteps", 0, -1, INT64_MAX);
  fputs("    minimise:\n", out);
  snprintf(text, sizeof text, "%lld", (long long)(steps < 0 ? STEPS_MOST : steps));
  put_row(out, mdp, "steps", text, "nsteps");
  format_real(gromacs_mdp_real(mdp, "emtol", 10, 1e-6, 1e12), text);
  put_row(out, mdp, "force", text, "emtol");
  const double step = gromacs_mdp_real(mdp, "emstep", 0, 1e-6, 1);
  if (step > 0) put_row(out, mdp, "displacement", format_real(step, text), "emstep");
}

/* 1 if a text has more than comments. */
static int has_keys(const char *text)
{
  while (*text == '#') {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return *text != 0;
}

static void put_observe(FILE *out, const char *kinds)
{
  fputs("observe: [", out);
  for (; *kinds; kinds++)
    fprintf(out, *kinds == ',' ? ", " : "%c", *kinds);
  fputs("]\n", out);
}

static void put_stage(FILE *out, const struct gromacs_stage *s, const char *observe)
{
  fprintf(out, "  - name: %s\n", s->name);
  if (!s->mdp) {
    fprintf(out, "    minimise: {steps: %lld}       # --minimise\n", (long long)s->steps);
    return;
  }
  if (s->minimises) put_minimiser(out, s->mdp);
  if (s->pairs_of)
    fprintf(out, "    # pairs end as in %s\n", gromacs_mdp_line(s->pairs_of, "").file);
  if (s->constraints_of)
    fprintf(out, "    # constraints are those of %s, which is with%s -DFLEXIBLE\n",
            gromacs_mdp_line(s->constraints_of, "").file, s->flexible ? "" : "out");
  const int sets = has_keys(s->keys) || observe;
  if (sets) fputs("    set:\n", out);
  if (observe) {
    struct text_stream text;
    put_observe(text_begin(&text), observe);
    char *row = text_end(&text);
    put_indented(out, row, 6);
    free(row);
  }
  put_indented(out, s->keys, sets ? 6 : 4);
}

char *gromacs_stages_text(const struct gromacs_stage *stages, int n, const char *input,
                          const char *observe)
{
  struct text_stream text;
  char *quoted = format_yaml_string(input);
  FILE *out = text_begin(&text);
  fputs("# Made of", out);
  for (int k = 0; k < n; k++)
    if (stages[k].mdp) {
      fputs(" ", out);
      gromacs_yaml_text(out, gromacs_mdp_line(stages[k].mdp, "").file);
    }
  fprintf(out, "\ninput: %s\n", quoted);
  free(quoted);
  if (n == 1 && !stages[0].minimises) {
    if (observe) put_observe(out, observe);
    fputs(stages[0].keys, out);
    return text_end(&text);
  }
  fputs("stages:\n", out);
  for (int k = 0; k < n; k++)
    put_stage(out, &stages[k], k == n - 1 && !stages[k].minimises ? observe : NULL);
  return text_end(&text);
}
