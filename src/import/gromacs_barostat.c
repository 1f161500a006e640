/* The barostat of a run file, of run parameters of GROMACS: see gromacs_writer.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "import/gromacs_writer.h"
#include "input/ramp_yaml.h"

enum { ISOTROPIC, SEMI_ISOTROPIC, ANISOTROPIC, TENSION };

/* Pressures and compressibilities of the directions as the coupling has them. */
static void write_pressure(const struct gromacs_writer *w)
{
  static const char *const word[] = {"isotropic", "semi_isotropic", "anisotropic",
                                     "surface_tension"};
  double p[6] = {0}, c[6] = {0};
  const int type = gromacs_mdp_choice(w->mdp, "pcoupltype");
  if (type < 0) return;
  const int tension = type == TENSION, n = type == ISOTROPIC ? 1 : type == ANISOTROPIC ? 6 : 2;
  const char *coupling = word[type];
  if (gromacs_mdp_reals(w->mdp, "ref-p", 6, p) != n)
    GROMACS_REFUSE(w->mdp, "ref-p", "ref-p: expected %d numbers", n);
  if (gromacs_mdp_reals(w->mdp, "compressibility", 6, c) != n)
    GROMACS_REFUSE(w->mdp, "compressibility", "compressibility: expected %d numbers", n);
  const int last = n == 6 ? 2 : n - 1;
  double pressure = (double)NAN; /* of the directions that couple */
  for (int k = tension; k <= last; k++) {
    if (c[k] == 0) continue;
    if (isnan(pressure)) pressure = p[k];
    if (p[k] != pressure)
      GROMACS_REFUSE(w->mdp, "ref-p", "ref-p: %g and %g bar: they must be equal here", pressure,
                     p[k]);
  }
  for (int k = 3; k < n; k++)
    if (c[k] != 0)
      GROMACS_REFUSE(w->mdp, "compressibility",
                     "boxes are not sheared: compressibility %d must be 0", k + 1);
  if (n == 2 && c[0] == 0 && c[1] > 0) {
    coupling = "constant_area";
    c[0] = c[1];
  }
  const double edge[3] = {c[0], c[n == 6 ? 1 : 0], c[last]};
  if (isnan(pressure))
    GROMACS_REFUSE(w->mdp, "compressibility",
                   tension ? "compressibility: with surface-tension that of z must be above 0"
                           : "compressibility: all are 0: nothing couples the box");
  for (int k = 0; k < 3; k++)
    gromacs_check_range(w, "barostat.compressibility", edge[k], "compressibility");
  gromacs_write_text(w, "barostat.coupling", coupling, "pcoupltype");
  gromacs_write_real(w, "barostat.pressure", isnan(pressure) ? p[tension] : pressure, "ref-p");
  if (tension && coupling == word[TENSION])
    gromacs_write_real(w, "barostat.surface_tension", p[0], "ref-p");
  char *text = edges_text(edge);
  gromacs_write_text(w, "barostat.compressibility", text, "compressibility");
  free(text);
}

void gromacs_write_barostat(const struct gromacs_writer *w, int has_thermostat)
{
  enum { NO, BERENDSEN, OLD_NAME, RESCALE, PARRINELLO };
  const int found = gromacs_mdp_choice(w->mdp, "pcoupl");
  if (found == NO) return;
  if (!has_thermostat && gromacs_mdp_find(w->mdp, "tcoupl", "no") == 0 && found >= RESCALE)
    GROMACS_REFUSE(w->mdp, "pcoupl", "pcoupl = %.40s needs a thermostat, whose temperature it has",
                   gromacs_mdp_value(w->mdp, "pcoupl", ""));
  fputs("barostat:\n", w->out);
  gromacs_write_text(w, "barostat.type",
                     found == BERENDSEN || found == OLD_NAME ? "berendsen" : "crescale", "pcoupl");
  if (found == PARRINELLO) fputs("  # the same ensemble, by stochastic cell rescaling\n", w->out);
  write_pressure(w);
  gromacs_write_real(w, "barostat.tau", gromacs_mdp_real(w->mdp, "tau-p", 5, 0, DBL_MAX), "tau-p");
  const int64_t every = gromacs_mdp_int(w->mdp, "nstpcouple", -1, -1, INT64_MAX);
  if (every > 0) gromacs_write_int(w, "barostat.every", every, "nstpcouple");
}
