/* What run parameters of GROMACS decide about the force field and the start: see gromacs_mdp.h.
   Defaults are those of GROMACS where the file says nothing. */
#include "base/log.h"
#include "import/gromacs_mdp.h"

/* What the authors of Martini recommend (de Jong et al., Comput. Phys. Commun. 199, 1, 2016). */
static const struct gromacs_pairs martini = {
    .cutoff = 1.1, .shifted = 1, .epsilon_r = 15, .epsilon_rf = 0, .has_field = 1};

/* The permittivity beyond the cutoff; 0: infinite. */
static double outer_permittivity(const struct gromacs_mdp *mdp)
{
  if (gromacs_mdp_find(mdp, "epsilon-rf", "0|inf|+inf|infinity|+infinity") > 0) return 0;
  return gromacs_mdp_real(mdp, "epsilon-rf", 0, 0, 1e9);
}

struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp)
{
  if (!mdp) {
    info("no --mdp: pairs end as Martini recommends, cutoff 1.1 nm, Lennard-Jones shifted in "
         "energy, reaction field with epsilon_r 15 and epsilon_rf 0 (infinite)");
    return martini;
  }
  struct gromacs_pairs p = {.cutoff = gromacs_mdp_real(mdp, "rvdw", 1, 0.01, 100)};
  if (gromacs_mdp_real(mdp, "rcoulomb", 1, 0.01, 100) != p.cutoff)
    GROMACS_REFUSE(mdp, "rcoulomb",
                   "rcoulomb and rvdw (%g nm) are different: they must be equal here", p.cutoff);
  gromacs_mdp_choice(mdp, "vdwtype");
  p.shifted = gromacs_mdp_choice(mdp, "vdw-modifier") < 2;
  p.epsilon_r = gromacs_mdp_real(mdp, "epsilon-r", 1, 1e-3, 1e9);
  p.epsilon_rf = outer_permittivity(mdp);
  const int coulomb = gromacs_mdp_find(mdp, "coulombtype", "cut-off|reaction-field");
  if (coulomb == 1 && p.epsilon_rf == 1 && p.epsilon_r != 1)
    GROMACS_REFUSE(mdp, "epsilon-rf",
                   "epsilon-r = %g and epsilon-rf = 1: GROMACS takes them for values of its old "
                   "format, and exchanges them with a warning: write epsilon-r = 1 and epsilon-rf "
                   "= %g for what it computes",
                   p.epsilon_r, p.epsilon_r);
  /* the field of a medium like that within the cutoff is none */
  if (coulomb == 0) p.epsilon_rf = p.epsilon_r;
  p.has_field = coulomb >= 0;
  p.coulomb = gromacs_mdp_value(mdp, "coulombtype", "");
  p.where = gromacs_mdp_line(mdp, "coulombtype");
  return p;
}

double gromacs_run_velocities(const struct gromacs_mdp *mdp, uint64_t *seed)
{
  *seed = 1;
  if (gromacs_mdp_choice(mdp, "gen-vel") <= 0) return -1;
  const int64_t given = gromacs_mdp_int(mdp, "gen-seed", -1, -1, INT64_MAX);
  if (given >= 0) *seed = (uint64_t)given;
  return gromacs_mdp_real(mdp, "gen-temp", 300, 0, 1e6);
}

double gromacs_run_distance_k(const struct gromacs_mdp *mdp)
{
  if (gromacs_mdp_choice(mdp, "disre") <= 0) return 0;
  if (gromacs_mdp_find(mdp, "disre-mixed", "no|yes") != 0)
    GROMACS_REFUSE(mdp, "disre-mixed", "mixed restraints are averages over time");
  if (gromacs_mdp_real(mdp, "disre-tau", 0, 0, 1e9) != 0)
    GROMACS_REFUSE(mdp, "disre-tau", "averages over time are not implemented: write 0");
  return gromacs_mdp_real(mdp, "disre-fc", 1000, 0, 1e9);
}

enum gromacs_scaling gromacs_run_scaling(const struct gromacs_mdp *mdp)
{
  const int found = gromacs_mdp_choice(mdp, "refcoord-scaling");
  return found < 0 ? GROMACS_SCALE_NO : (enum gromacs_scaling)found;
}
