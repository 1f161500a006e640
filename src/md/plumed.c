#include "md/plumed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "base/torus.h"
#include "base/units.h"
#include "md/observers.h"
#include "md/plumed_library.h"
#include "md/schedule.h"

/* What rank 0 says of a step before the forces. */
struct wish {
  int64_t n;       /* beads */
  int64_t changed; /* 1: other beads than in the step before */
  int64_t energy;  /* 1: wants the potential energy */
};

/* What rank 0 says of a step after the forces: this, then the numbers of n beads, then n forces. */
struct answer {
  double sums[APPLIED_SUMS]; /* of struct applied_forces */
  int64_t n;                 /* beads with a force */
  int64_t stop;              /* 1: asks to end the run */
};

struct plumed {
  struct wish wish;
  int64_t *id;        /* [room]: the beads that it wants, ascending */
  uint32_t *position; /* [room][3] of them; box, nm */
  double box[BOX];
  struct answer answer;
  int64_t *forced; /* [room]: the beads with a force, ascending */
  double *push;    /* [room][3]: these forces, kJ/mol/nm */
  int64_t room;
  int stop;                               /* 1: the run is to end, as PLUMED or the caller asked */
  int checkpoint_told, checkpoint_wanted; /* 1: told at this step; wanted from the next on */

  /* Rank 0. */
  struct plumed_library *library;
  char *log_name;
  FILE *log;
  int called;                                /* 1: it has computed a step */
  int64_t prepared;                          /* the step that it is prepared for; -1: none */
  double *x, *force, *mass, *charge;         /* of all beads; those it does not want are not set */
  double rows[9], virial[9], energy, dt, kT; /* rows: box vectors */
  int stop_flag;                             /* written by PLUMED */
};

static void command(const struct sim *s, const char *key, const void *value)
{
  plumed_command(s->plumed->library, s->system->clock.step, key, value);
}

void plumed_check(const struct ranks *r, const struct params *p)
{
  if (!p->plumed[0]) return;
  if (p->minimise_steps > 0)
    die_all(STATUS_INPUT,
            "plumed: %s: PLUMED acts in runs, and a minimisation has no time: give "
            "the key to the stages of a run (set: {plumed: ...}), or leave it out",
            p->plumed);
  if (r->rank > 0) return;
  if (r->groups <= 1) { /* replicas may have files of their own, which PLUMED looks for */
    char why[160];
    FILE *file = text_open(p->plumed, SIZE_MAX, why);
    if (!file) die(STATUS_INPUT, "plumed: %s: %s", p->plumed, why);
    fclose(file);
  }
  plumed_library_close(plumed_library_open());
}

/* The masses and charges of all beads, on rank 0. */
static void set_types(struct sim *s)
{
  const struct system *y = s->system;
  struct plumed *p = s->plumed;
  int64_t bytes;
  int32_t *type =
      ranks_gather(s->ranks, y->beads.type, y->n * (int64_t)sizeof *y->beads.type, &bytes);
  if (s->ranks->rank > 0) return;
  p->mass = alloc_array(y->n_total, sizeof *p->mass);
  p->charge = alloc_array(y->n_total, sizeof *p->charge);
  p->x = alloc_array(y->n_total, 3 * sizeof *p->x);
  p->force = alloc_array(y->n_total, 3 * sizeof *p->force);
  for (int64_t k = 0; k < y->n_total; k++) {
    p->mass[k] = y->ff->type[type[k]].mass;
    p->charge[k] = y->ff->type[type[k]].charge;
  }
  free(type);
}

/* Loads PLUMED and lets it read its input. Rank 0. */
static void load(struct sim *s, int restart)
{
  struct plumed *p = s->plumed;
  const struct params *q = s->params;
  const int precision = sizeof(double), n = (int)s->system->n_total;
  struct plumed_library *l = p->library = plumed_library_open();
  p->log_name = path_with(q->output_prefix, ".plumed.log");
  p->log = fopen(p->log_name, "a");
  if (!p->log || setvbuf(p->log, NULL, _IOLBF, BUFSIZ))
    die(STATUS_IO, "cannot write '%s'", p->log_name);
  plumed_library_about(l, q->plumed, p->log_name);
  p->dt = q->run_dt;
  p->kT = UNITS_BOLTZMANN * ramp_at(&q->thermostat_temperature, s->system->clock.time);
  plumed_command(l, -1, "setRealPrecision", &precision);
  if (s->ranks->groups > 1) {
    plumed_command(l, -1, "GREX setMPIIntercomm", ranks_leaders(s->ranks));
    plumed_command(l, -1, "GREX setMPIIntracomm", ranks_self(s->ranks));
    plumed_command(l, -1, "GREX init", NULL);
  }
  plumed_command(l, -1, "setMDEngine", "lamella");
  plumed_command(l, -1, "setTimestep", &p->dt);
  if (q->thermostat_type != THERMOSTAT_NONE) plumed_command(l, -1, "setKbT", &p->kT);
  plumed_command(l, -1, "setRestart", &restart);
  plumed_command(l, -1, "setNatoms", &n);
  plumed_command(l, -1, "setPlumedDat", q->plumed);
  plumed_command(l, -1, "setLog", p->log);
  plumed_command(l, -1, "init", NULL);
  plumed_command(l, -1, "setStopFlag", &p->stop_flag);
  info("PLUMED: %s, by the library '%s'; its log is '%s'", q->plumed, plumed_library_path(l),
       p->log_name);
  if (restart)
    info("PLUMED goes on from %.10g ps: rows of later times that a killed job may have left in its "
         "files have to be removed",
         s->system->clock.time);
}

/* 1 if a state has the forces of PLUMED. */
static int has_forces(const struct system *y)
{
  return y->applied.step == y->clock.step;
}

void plumed_open(struct sim *s)
{
  if (!s->params->plumed[0]) return;
  if (s->system->n_total > INT_MAX)
    die_all(STATUS_INPUT, "plumed: the system has more beads than PLUMED can number (2^31)");
  s->plumed = alloc_array(1, sizeof *s->plumed);
  s->plumed->prepared = -1;
  set_types(s);
  if (s->ranks->rank == 0) load(s, has_forces(s->system));
}

void plumed_close(struct sim *s)
{
  struct plumed *p = s->plumed;
  if (!p) return;
  plumed_library_close(p->library);
  if (p->log) fclose(p->log);
  void *all[] = {p->id, p->position, p->forced, p->push,  p->log_name,
                 p->x,  p->force,    p->mass,   p->charge};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
  free(p);
  s->plumed = NULL;
}

/* Room for n beads. */
static void reserve(struct plumed *p, int64_t n)
{
  if (p->id && n <= p->room) return;
  p->room = n + n / 8;
  p->id = grow_array(p->id, p->room, sizeof *p->id);
  p->position = grow_array(p->position, p->room, 3 * sizeof *p->position);
  p->forced = grow_array(p->forced, p->room, sizeof *p->forced);
  p->push = grow_array(p->push, p->room, 3 * sizeof *p->push);
}

/* Tells PLUMED the step and sets what it wants. Rank 0. */
static void prepare(struct sim *s)
{
  struct plumed *p = s->plumed;
  const long step = (long)s->system->clock.step;
  const int *index = NULL;
  int n = 0, energy = 0;
  command(s, "setStepLong", &step);
  command(s, "prepareDependencies", NULL);
  command(s, "createFullList", &n);
  command(s, "getFullList", &index);
  command(s, "isEnergyNeeded", &energy);
  reserve(p, n);
  p->wish.changed = n != p->wish.n;
  for (int k = 0; k < n; k++) {
    p->wish.changed |= p->id[k] != index[k] + 1;
    p->id[k] = index[k] + 1;
  }
  command(s, "clearFullList", NULL);
  p->wish.n = n;
  p->wish.energy = energy;
  p->prepared = step;
}

void plumed_begin(struct sim *s)
{
  struct plumed *p = s->plumed;
  struct backend *b = s->backend;
  if (!p) return;
  timers_switch(&s->timers, TIMER_plumed);
  if (s->ranks->rank == 0 && p->prepared != s->system->clock.step) prepare(s);
  ranks_broadcast(s->ranks, &p->wish, sizeof p->wish);
  reserve(p, p->wish.n);
  if (p->wish.changed) ranks_broadcast(s->ranks, p->id, p->wish.n * (int64_t)sizeof *p->id);
  if (b->ops->async) b->ops->async->gather_begin(b, (int)p->wish.n, p->id);
}

int plumed_force_flags(const struct sim *s)
{
  return s->plumed && s->plumed->wish.energy ? FORCE_ENERGY : 0;
}

int plumed_needs_state(const struct sim *s)
{
  return s->plumed && (s->plumed->wish.energy || s->plumed->checkpoint_told);
}

int plumed_gather(struct sim *s)
{
  struct plumed *p = s->plumed;
  if (!p) return 0;
  const int64_t words = 3 * p->wish.n;
  timers_switch(&s->timers, TIMER_plumed);
  if (!s->backend->ops->gather(s->backend, (int)p->wish.n, p->id, p->position, p->box)) return 0;
  if (s->ranks->size == 1) return 1;
  int64_t *word = alloc_array(words, sizeof *word);
  for (int64_t k = 0; k < words; k++)
    word[k] = p->position[k];
  ranks_sum_int64(s->ranks, word, (int)words);
  for (int64_t k = 0; k < words; k++)
    p->position[k] = (uint32_t)word[k];
  free(word);
  return 1;
}

/* A bead that PLUMED does not want; -1: it wants all. */
static int64_t unwanted(const struct sim *s)
{
  const struct plumed *p = s->plumed;
  int64_t k = 0;
  while (k < p->wish.n && p->id[k] == k + 1)
    k++;
  return k < s->system->n_total ? k : -1;
}

/* A force on the potential energy scales the forces that PLUMED is given, of all beads: it is seen
   on one bead that has no other. spare: this bead; -1: PLUMED wants all. Rank 0. */
static void refuse_energy_bias(struct sim *s, int64_t spare)
{
  struct plumed *p = s->plumed;
  if (spare >= 0 && p->force[3 * spare] == 1) {
    p->force[3 * spare] = 0;
    return;
  }
  plumed_library_close(p->library);
  die(STATUS_INPUT, "%s: step %lld: %s", s->params->plumed, (long long)s->system->clock.step,
      spare < 0
          ? "PLUMED wants ENERGY and the positions of all beads: leave one bead out, or ENERGY"
          : "a bias acts on ENERGY, the potential energy, and that is not possible: it can be "
            "printed and used for weights; let the bias act on other variables");
}

/* Takes the forces from PLUMED, and sets those that it adds to next time to 0. Rank 0. */
static void take_forces(struct plumed *p)
{
  p->answer.n = 0;
  for (int64_t k = 0; k < p->wish.n; k++) {
    double *of = p->force + 3 * (p->id[k] - 1);
    if (of[0] == 0 && of[1] == 0 && of[2] == 0) continue;
    memcpy(p->push + 3 * p->answer.n, of, 3 * sizeof *of);
    p->forced[p->answer.n++] = p->id[k];
    memset(of, 0, 3 * sizeof *of);
  }
}

static void set_positions(struct plumed *p)
{
  for (int64_t k = 0; k < p->wish.n; k++) {
    double place[3];
    for (int d = 0; d < 3; d++)
      place[d] = torus_fraction((int32_t)p->position[3 * k + d]);
    box_vector(p->box, place, p->x + 3 * (p->id[k] - 1));
  }
  box_rows(p->box, p->rows);
}

/* Gives PLUMED the positions of a step, lets it compute, and sets p->answer. At its first step it
   wants all beads, for their masses. Rank 0. */
static void compute(struct sim *s, double energy)
{
  struct plumed *p = s->plumed;
  const int watches = p->wish.energy && p->called;
  const int64_t spare = watches ? unwanted(s) : -1;
  p->called = 1;
  set_positions(p);
  memset(p->virial, 0, sizeof p->virial);
  p->stop_flag = 0;
  p->energy = energy;
  if (spare >= 0) p->force[3 * spare] = 1;
  command(s, "setPositions", p->x);
  command(s, "setMasses", p->mass);
  command(s, "setCharges", p->charge);
  command(s, "setBox", p->rows);
  command(s, "setForces", p->force);
  command(s, "setVirial", p->virial);
  if (p->wish.energy) command(s, "setEnergy", &p->energy);
  command(s, "doCheckPoint", &p->checkpoint_told);
  command(s, "shareData", NULL);
  command(s, "performCalc", NULL);
  command(s, "getBias", &p->answer.sums[APPLIED_ENERGY]);
  if (watches) refuse_energy_bias(s, spare);
  p->answer.stop = p->stop_flag != 0;
  for (int k = 0; k < 9; k++)
    p->answer.sums[APPLIED_VIRIAL + k] = -p->virial[k];
  take_forces(p);
}

void plumed_apply(struct sim *s, int flags)
{
  struct plumed *p = s->plumed;
  const struct due due = schedule_due(s->params, s->system->clock.step);
  const double energy = p->wish.energy ? thermo_potential(s) : 0;
  p->checkpoint_told = due.checkpoint || due.last || p->checkpoint_wanted || p->stop;
  if (due.checkpoint) p->checkpoint_wanted = 0;
  if (s->ranks->rank == 0) compute(s, energy);
  ranks_broadcast(s->ranks, &p->answer, sizeof p->answer);
  const int64_t n = p->answer.n;
  if (n) ranks_broadcast(s->ranks, p->forced, n * (int64_t)sizeof *p->forced);
  if (n) ranks_broadcast(s->ranks, p->push, 3 * n * (int64_t)sizeof *p->push);
  if (p->answer.stop && !p->stop)
    info("step %lld: PLUMED asks to end the run", (long long)s->system->clock.step);
  p->stop |= p->answer.stop != 0;
  applied_forces_set(&s->system->applied, s->system->clock.step, (int)n, p->forced, p->push,
                     p->answer.sums);
  plumed_apply_again(s, flags);
}

void plumed_apply_again(struct sim *s, int flags)
{
  const struct system *y = s->system;
  if (has_forces(y)) s->backend->ops->apply(s->backend, &y->applied, flags, s->ranks->rank == 0);
}

void plumed_start(struct sim *s)
{
  if (!s->plumed) return;
  if (has_forces(s->system)) {
    plumed_apply_again(s, FORCE_ENERGY);
  } else {
    plumed_begin(s);
    if (plumed_gather(s)) plumed_apply(s, FORCE_ENERGY);
  }
  thermo_refuse_overflow(s->system->clock.step, thermo_update(s));
}

int plumed_is_ready(struct sim *s)
{
  struct plumed *p = s->plumed;
  if (!p) return 1;
  p->checkpoint_wanted = !p->checkpoint_told;
  return p->checkpoint_told;
}

int plumed_stop(struct sim *s, int stop)
{
  struct plumed *p = s->plumed;
  if (!p) return stop;
  p->stop |= stop;
  if (s->ranks->groups > 1 && !schedule_divides(s->system->clock.step, STATE_EVERY)) return 0;
  if (!ranks_range_of_groups(s->ranks, p->stop).most) return 0;
  p->stop = 1; /* a replica may have been told already, and waits for the others */
  return ranks_range_of_groups(s->ranks, plumed_is_ready(s)).least != 0;
}

void plumed_agree_start(const struct ranks *r, const struct params *p, int64_t at, const char *what)
{
  if (!p->plumed[0]) return;
  const struct groups_range all = ranks_range_of_groups(r, at);
  if (all.least == all.most) return;
  die_all(STATUS_INPUT,
          "plumed: the replicas are not at the same %s (%lld of this one, %lld of the furthest): "
          "PLUMED may couple them, so they go on together only. Replicas that are ahead can go on "
          "from their PREFIX.checkpoint.h5.prev; or begin all anew (--restart=never)",
          what, (long long)at, (long long)all.most);
}
