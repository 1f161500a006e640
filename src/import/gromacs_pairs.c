/* What run parameters of GROMACS decide about the force field and the start: see gromacs_mdp.h.
   Defaults are those of GROMACS where the file says nothing. */
#include "base/log.h"
#include "import/gromacs_mdp.h"

/* What the authors of Martini recommend (de Jong et al., Comput. Phys. Commun. 199, 1, 2016). */
static const struct gromacs_pairs martini = {
    .treatment = {.lj = LJ_ENERGY_SHIFT,
                  .lj_end = {0, 1.1},
                  .electrostatics = ELECTROSTATICS_CHARGE_REACTION_FIELD,
                  .charge_end = {0, 1.1},
                  .epsilon_r = 15}};

/* The permittivity beyond the cutoff; 0: infinite. */
static double outer_permittivity(const struct gromacs_mdp *mdp)
{
  if (gromacs_mdp_find(mdp, "epsilon-rf", "0|inf|+inf|infinity|+infinity") > 0) return 0;
  return gromacs_mdp_real(mdp, "epsilon-rf", 0, 0, 1e9);
}

/* The end of an interaction: from is read if it switches. */
static struct ff_end end_of(const struct gromacs_mdp *mdp, const char *cutoff, const char *from,
                            int switches)
{
  struct ff_end end = {0, gromacs_mdp_real(mdp, cutoff, 1, 0.01, 100)};
  if (!switches) return end;
  end.switch_from = gromacs_mdp_real(mdp, from, 0, 0, 100);
  if (!(end.switch_from < end.cutoff))
    GROMACS_REFUSE(mdp, from, "%s = %g nm is not below %s = %g nm", from, end.switch_from, cutoff,
                   end.cutoff);
  return end;
}

/* Lennard-Jones by vdwtype and vdw-modifier: switch and shift are older words for modifiers. */
static enum lj_truncation truncation_of(const struct gromacs_mdp *mdp)
{
  enum { CUT_OFF, SWITCH, SHIFT, USER };
  static const enum lj_truncation of_modifier[] = {LJ_ENERGY_SHIFT, LJ_ENERGY_SHIFT, LJ_CUT,
                                                   LJ_FORCE_SWITCH, LJ_POTENTIAL_SWITCH};
  const int type = gromacs_mdp_choice(mdp, "vdwtype");
  const int modifier = gromacs_mdp_choice(mdp, "vdw-modifier");
  const enum lj_truncation lj = modifier < 0 ? LJ_CUT : of_modifier[modifier];
  if (type <= CUT_OFF) return lj;
  if (type == USER) return LJ_CUT;
  if (lj != LJ_CUT && lj != LJ_ENERGY_SHIFT)
    GROMACS_REFUSE(mdp, "vdwtype", "vdwtype = %s with vdw-modifier = %s: one of them is enough",
                   gromacs_mdp_value(mdp, "vdwtype", ""),
                   gromacs_mdp_value(mdp, "vdw-modifier", ""));
  return type == SHIFT ? LJ_FORCE_SWITCH : LJ_POTENTIAL_SWITCH;
}

struct gromacs_pairs gromacs_run_pairs(const struct gromacs_mdp *mdp)
{
  if (!mdp) {
    info("no --mdp: pairs end as Martini recommends, cutoff 1.1 nm, Lennard-Jones shifted in "
         "energy, reaction field with epsilon_r 15 and epsilon_rf 0 (infinite)");
    return martini;
  }
  if (gromacs_run_decouples(mdp)) {
    info("%s: no pair interacts at its lambda: the force field has pairs as Martini recommends",
         gromacs_mdp_line(mdp, "").file);
    return martini;
  }
  enum { CUT_OFF, REACTION_FIELD, SHIFT, USER };
  const int coulomb = gromacs_mdp_find(mdp, "coulombtype", "cut-off|reaction-field|shift|user");
  struct gromacs_pairs p = {.coulomb = gromacs_mdp_value(mdp, "coulombtype", ""),
                            .where = gromacs_mdp_line(mdp, "coulombtype"),
                            .user = gromacs_mdp_line(mdp, "vdwtype")};
  struct ff_treatment *t = &p.treatment;
  t->lj = truncation_of(mdp);
  t->lj_end = end_of(mdp, "rvdw", "rvdw-switch", forcefield_switches_lj(t));
  t->charge_end = end_of(mdp, "rcoulomb", "rcoulomb-switch", coulomb == SHIFT);
  p.lj_is_user = gromacs_mdp_find(mdp, "vdwtype", "|user") == 1;
  p.charges_are_user = p.lj_is_user && coulomb == USER;
  if (coulomb >= 0 && coulomb != USER)
    t->electrostatics = coulomb == SHIFT ? ELECTROSTATICS_CHARGE_FORCE_SWITCH
                                         : ELECTROSTATICS_CHARGE_REACTION_FIELD;
  t->epsilon_r = gromacs_mdp_real(mdp, "epsilon-r", 1, 1e-3, 1e9);
  t->epsilon_rf = outer_permittivity(mdp);
  if (coulomb == REACTION_FIELD && t->epsilon_rf == 1 && t->epsilon_r != 1)
    GROMACS_REFUSE(mdp, "epsilon-rf",
                   "epsilon-r = %g and epsilon-rf = 1: GROMACS takes them for values of its old "
                   "format, and exchanges them with a warning: write epsilon-r = 1 and epsilon-rf "
                   "= %g for what it computes",
                   t->epsilon_r, t->epsilon_r);
  /* the field of a medium like that within the cutoff is none */
  if (coulomb == CUT_OFF) t->epsilon_rf = t->epsilon_r;
  return p;
}

static int same_end(const struct ff_end *a, const struct ff_end *b)
{
  return a->cutoff == b->cutoff && a->switch_from == b->switch_from;
}

int gromacs_pairs_same(const struct gromacs_pairs *a, const struct gromacs_pairs *b)
{
  const struct ff_treatment *s = &a->treatment, *t = &b->treatment;
  return s->lj == t->lj && s->electrostatics == t->electrostatics && s->epsilon_r == t->epsilon_r &&
         s->epsilon_rf == t->epsilon_rf && same_end(&s->lj_end, &t->lj_end) &&
         same_end(&s->charge_end, &t->charge_end);
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
