/* Free energies of GROMACS (manual, "Free energy interactions"; keys free-energy, couple-*, sc-*
   and lambdas): soft cores of the run file. Defaults are those of GROMACS. See gromacs_mdp.h. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "import/gromacs_writer.h"
#include "import/gromacs_yaml.h"
#include "model/soft_core.h"

static int is_free(const struct gromacs_mdp *mdp)
{
  return gromacs_mdp_find(mdp, "free-energy", "no|yes|static") > 0;
}

struct gromacs_coupling gromacs_run_coupling(const struct gromacs_mdp *mdp)
{
  const char *name = is_free(mdp) ? gromacs_mdp_value(mdp, "couple-moltype", "") : "";
  const int intramol = gromacs_mdp_find(mdp, "couple-intramol", "no|yes");
  if (*name && intramol < 0)
    GROMACS_REFUSE(mdp, "couple-intramol", "couple-intramol = %.60s: no and yes are possible",
                   gromacs_mdp_value(mdp, "couple-intramol", ""));
  const struct gromacs_coupling c = {name, gromacs_word_equal(name, "system"), intramol == 0,
                                     gromacs_mdp_line(mdp, "couple-moltype")};
  return c;
}

/* What a coupled molecule has at an end of lambda. */
static enum coupled end_of(const struct gromacs_mdp *mdp, const char *key)
{
  static const enum coupled end[] = {COUPLED_ALL, COUPLED_LJ, COUPLED_NONE};
  const int found = gromacs_mdp_find(mdp, key, "vdw-q|vdw|none");
  if (found >= 0) return end[found];
  GROMACS_REFUSE(mdp, key,
                 "%s = %.60s: vdw-q, vdw and none are possible; charges without Lennard-Jones "
                 "would fall into each other",
                 key, gromacs_mdp_value(mdp, key, ""));
  return COUPLED_ALL;
}

static const char *const components[] = {"vdw-lambdas",    "coul-lambdas",
                                         "bonded-lambdas", "restraint-lambdas",
                                         "mass-lambdas",   "temperature-lambdas"};
enum { LAMBDAS_MOST = 1000 };

/* 1 if lambdas of single components are given. */
static int has_components(const struct gromacs_mdp *mdp)
{
  for (size_t k = 0; k < sizeof components / sizeof components[0]; k++)
    if (*gromacs_mdp_value(mdp, components[k], "")) return 1;
  return 0;
}

/* Number `state` of a list; that of fep-lambdas where there is no list. */
static double lambda_in(const struct gromacs_mdp *mdp, const char *key, int64_t state)
{
  double value[LAMBDAS_MOST] = {0};
  const char *from = *gromacs_mdp_value(mdp, key, "") ? key : "fep-lambdas";
  const int n = gromacs_mdp_reals(mdp, from, LAMBDAS_MOST, value);
  if (n > 0 && (state >= n || !(value[state] >= 0 && value[state] <= 1)))
    GROMACS_REFUSE(mdp, from, "%s: expected a number from 0 to 1 for init-lambda-state = %lld",
                   from, (long long)state);
  return n > state ? value[state] : 0;
}

/* Lambda of Lennard-Jones and of charges. */
static void read_lambda(const struct gromacs_mdp *mdp, struct soft_core *s)
{
  const int64_t state = gromacs_mdp_int(mdp, "init-lambda-state", -1, -1, LAMBDAS_MOST - 1);
  const double lambda = gromacs_mdp_real(mdp, "init-lambda", -1, -1, 1);
  const int lists = has_components(mdp) || *gromacs_mdp_value(mdp, "fep-lambdas", "");
  s->lambda = s->charges = fmax(lambda, 0);
  if (lambda >= 0 ? lists || state >= 0 : state < 0)
    GROMACS_REFUSE(mdp, lambda >= 0 ? "init-lambda" : "free-energy",
                   "lambda: give either init-lambda, or init-lambda-state and lists of lambdas");
  if (lambda >= 0 || state < 0) return;
  s->lambda = lambda_in(mdp, "vdw-lambdas", state);
  s->charges = lambda_in(mdp, "coul-lambdas", state);
}

/* 1 if lambda is at an end, where the form of soft cores does not matter. */
static int is_at_end(const struct soft_core *s)
{
  return (s->lambda == 0 || s->lambda == 1) && s->charges == s->lambda;
}

/* 1 if charges act at r while Lennard-Jones lets beads pass through each other. */
static int is_hazardous(const struct soft_core *s)
{
  return s->alpha > 0 && !s->soft_charges && s->lambda > 0 && s->lambda < 1 && s->charges > 0 &&
         s->charges < 1 && (s->end[0] == COUPLED_ALL || s->end[1] == COUPLED_ALL);
}

/* What a file says of soft cores. */
static struct soft_core read_soft_core(const struct gromacs_mdp *mdp)
{
  struct soft_core s = {0};
  if (!*gromacs_run_coupling(mdp).molecule) return s;
  s.end[0] = end_of(mdp, "couple-lambda0");
  s.end[1] = end_of(mdp, "couple-lambda1");
  s.on = soft_core_lacks(&s);
  read_lambda(mdp, &s);
  s.alpha = gromacs_mdp_real(mdp, "sc-alpha", 0, 0, 1e6);
  s.sigma = gromacs_mdp_real(mdp, "sc-sigma", 0.3, 1e-3, 10);
  s.power = (int)gromacs_mdp_int(mdp, "sc-power", 1, 1, 2);
  gromacs_mdp_int(mdp, "sc-r-power", 6, 6, 6);
  s.soft_charges = !has_components(mdp) || gromacs_mdp_find(mdp, "sc-coul", "no|yes") > 0;
  if (gromacs_mdp_find(mdp, "sc-function", "beutler|gapsys") != 0 && s.on && !is_at_end(&s))
    GROMACS_REFUSE(mdp, "sc-function", "sc-function = %.40s: beutler is implemented",
                   gromacs_mdp_value(mdp, "sc-function", ""));
  return s;
}

int gromacs_run_decouples(const struct gromacs_mdp *mdp)
{
  const struct gromacs_coupling c = gromacs_run_coupling(mdp);
  if (!c.all || c.keeps) return 0;
  const struct soft_core s = read_soft_core(mdp);
  return s.on && is_at_end(&s) && s.end[s.lambda == 1] == COUPLED_NONE;
}

void gromacs_write_soft_core(const struct gromacs_writer *w)
{
  static const char *const ends[] = {COUPLED_CHOICES(CHOICE_WORD)};
  if (gromacs_mdp_choice(w->mdp, "free-energy") <= 0) return;
  const struct gromacs_coupling c = gromacs_run_coupling(w->mdp);
  const struct soft_core s = read_soft_core(w->mdp);
  const int one = *gromacs_mdp_value(w->mdp, "init-lambda", "") != 0;
  if (!s.on) {
    fprintf(w->out, "# free-energy: %s\n",
            *c.molecule ? "couple-lambda0 and couple-lambda1 are vdw-q"
                        : "couple-moltype names no molecules");
    return;
  }
  fputs("soft_core:\n", w->out);
  gromacs_write_real(w, "soft_core.lambda", s.lambda, one ? "init-lambda" : "init-lambda-state");
  if (s.charges != s.lambda)
    gromacs_write_real(w, "soft_core.lambda_charges", s.charges, "init-lambda-state");
  gromacs_write_text(w, "soft_core.at_0", ends[s.end[0]], "couple-lambda0");
  gromacs_write_text(w, "soft_core.at_1", ends[s.end[1]], "couple-lambda1");
  gromacs_write_real(w, "soft_core.alpha", s.alpha, "sc-alpha");
  gromacs_write_int(w, "soft_core.power", s.power, "sc-power");
  gromacs_write_real(w, "soft_core.sigma", s.sigma, "sc-sigma");
  if (!s.soft_charges) gromacs_write_text(w, "soft_core.charges", "no", "sc-coul");
  if (is_hazardous(&s))
    warn("%s: Lennard-Jones is soft at this lambda and charges act without soft cores, which "
         "grompp refuses: opposite charges may fall onto each other. Write sc-coul = yes, or let "
         "charges end before Lennard-Jones begins to",
         gromacs_mdp_line(w->mdp, "").file);
  if (c.all) return;
  char name[FF_NAME], list[GROMACS_SCALAR + 2];
  gromacs_name_clean(c.molecule, name);
  snprintf(list, sizeof list, "[%s]", YAML_NAME(name));
  gromacs_write_text(w, "soft_core.molecules", list, "couple-moltype");
}
