/* What run parameters of GROMACS decide about the force field and the start: see gromacs_mdp.h.
   Defaults are those of GROMACS where the file says nothing. */
#include "base/log.h"
#include "import/gromacs_mdp.h"

/* What the authors of Martini recommend (de Jong et al., Comput. Phys. Commun. 199, 1, 2016). */
static const struct gromacs_pairs martini = {
    .cutoff = 1.1, .shifted = 1, .epsilon_r = 15, .epsilon_rf = 0, .has_field = 1};

/* The cutoff, and how Lennard-Jones pairs end. */
static void set_dispersion(struct gromacs_pairs *p, const struct gromacs_mdp *mdp,
                           struct error_list *m)
{
  p->cutoff = gromacs_mdp_real(mdp, "rvdw", 1, 0.01, 100, m);
  if (gromacs_mdp_real(mdp, "rcoulomb", 1, 0.01, 100, m) != p->cutoff)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "rcoulomb"),
                  "rcoulomb and rvdw (%g nm) are different: they must be equal here", p->cutoff);
  if (gromacs_mdp_choice(mdp, "vdwtype", "cut-off") < 0)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "vdwtype"),
                  "vdwtype = %.40s is not implemented: cut-off (with vdw-modifier potential-shift "
                  "or none) is",
                  gromacs_mdp_value(mdp, "vdwtype", ""));
  const int modifier =
      gromacs_mdp_choice(mdp, "vdw-modifier", "potential-shift|potential-shift-verlet|none");
  p->shifted = modifier < 2;
  if (modifier < 0)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "vdw-modifier"),
                  "vdw-modifier = %.40s is not implemented: potential-shift and none are",
                  gromacs_mdp_value(mdp, "vdw-modifier", ""));
}

/* The permittivity beyond the cutoff; 0: infinite. */
static double outer_permittivity(const struct gromacs_mdp *mdp, struct error_list *m)
{
  if (gromacs_mdp_choice(mdp, "epsilon-rf", "0|inf|+inf|infinity|+infinity") > 0) return 0;
  return gromacs_mdp_real(mdp, "epsilon-rf", 0, 0, 1e9, m);
}

struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp, struct error_list *m)
{
  struct gromacs_pairs p = martini;
  if (!mdp) {
    info("no --mdp: pairs end as Martini recommends, cutoff 1.1 nm, Lennard-Jones shifted in "
         "energy, reaction field with epsilon_r 15 and epsilon_rf 0 (infinite)");
    return p;
  }
  set_dispersion(&p, mdp, m);
  p.epsilon_r = gromacs_mdp_real(mdp, "epsilon-r", 1, 1e-3, 1e9, m);
  p.epsilon_rf = outer_permittivity(mdp, m);
  const int coulomb = gromacs_mdp_choice(mdp, "coulombtype", "cut-off|reaction-field");
  if (coulomb == 1 && p.epsilon_rf == 1 && p.epsilon_r != 1)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "epsilon-rf"),
                  "epsilon-r = %g and epsilon-rf = 1: GROMACS takes them for values of its old "
                  "format, and exchanges them with a warning: write epsilon-r = 1 and epsilon-rf = "
                  "%g for what it computes",
                  p.epsilon_r, p.epsilon_r);
  /* the field of a medium like that within the cutoff is none */
  if (coulomb == 0) p.epsilon_rf = p.epsilon_r;
  p.has_field = coulomb >= 0;
  p.coulomb = gromacs_mdp_value(mdp, "coulombtype", "");
  p.place = gromacs_mdp_place(mdp, "coulombtype");
  return p;
}

double gromacs_run_velocities(const struct gromacs_mdp *mdp, uint64_t *seed, struct error_list *m)
{
  *seed = 1;
  const int drawn = mdp ? gromacs_mdp_choice(mdp, "gen-vel", "no|yes") : 0;
  if (drawn < 0)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "gen-vel"), "gen-vel = %.40s: no and yes are possible",
                  gromacs_mdp_value(mdp, "gen-vel", ""));
  if (drawn <= 0) return -1;
  const long long given = gromacs_mdp_int(mdp, "gen-seed", -1, -1, INT64_MAX, m);
  if (given >= 0) *seed = (uint64_t)given;
  return gromacs_mdp_real(mdp, "gen-temp", 300, 0, 1e6, m);
}

enum gromacs_scaling gromacs_run_scaling(const struct gromacs_mdp *mdp, struct error_list *m)
{
  const int found = mdp ? gromacs_mdp_choice(mdp, "refcoord-scaling", "no|all|com") : 0;
  if (found < 0)
    GROMACS_ERROR(m, gromacs_mdp_place(mdp, "refcoord-scaling"),
                  "refcoord-scaling = %.40s: no, com and all are possible",
                  gromacs_mdp_value(mdp, "refcoord-scaling", ""));
  return found < 0 ? GROMACS_SCALE_NO : (enum gromacs_scaling)found;
}
