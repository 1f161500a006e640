/* The order of operations of a step: velocity Verlet with neighbour lists and a halo exchange.
   step_enqueue is one step; run_advance (run.h) calls it. */
#include "md/step.h"

#include "md/biases.h"
#include "md/constraints.h"
#include "md/listcheck.h"
#include "md/neighbor.h"
#include "md/observers.h"
#include "md/plumed.h"
#include "md/schedule.h"
#include "mpi/domain/halo.h"

/* Forces of the interior beads, which need no halo, of the boundary beads, or of all. */
static void force(struct sim *s, enum force_beads beads, int flags)
{
  timers_switch(&s->timers, TIMER_force);
  s->backend->ops->force(s->backend, beads, flags);
}

/* What the forces of the present step come with: enum force_flags. */
static int force_flags(const struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  return due_force_flags(&due) | observers_force_flags(s, &due) | plumed_force_flags(s);
}

/* The rest of a step whose lists have expired, up to its forces: new lists, all forces. Its biases
   have been computed, and constraints of coordinates have moved their groups, on GPUs too (is_over
   in cuda/step/biases.cuh). */
static void rebuild_and_force(struct sim *s)
{
  neighbor_build(s, 0);
  force(s, FORCE_ALL, force_flags(s));
}

/* The forces of PLUMED, which has had plumed_begin. If it wants the energy, lists that have expired
   at this step are built anew before. */
static void apply_plumed(struct sim *s, int flags)
{
  if (!plumed_gather(s)) return;
  if (plumed_force_flags(s) && listcheck_drain(s)) rebuild_and_force(s);
  plumed_apply(s, flags);
}

/* Pending scaling of momenta; half kick; pending scaling of the box; drift and rotation, with
   Langevin noise. Afterwards the system is at step m->step + 1. */
static void integrate_first_half(struct sim *s, const struct integrate_params *m)
{
  timers_switch(&s->timers, TIMER_move);
  s->backend->ops->integrate_first_half(s->backend, m);
  clock_advance(&s->system->clock, m->step + 1, s->params->run_dt);
}

/* Half kick with the new forces, and what constraints of coordinates change of it. */
static void integrate_second_half(struct sim *s)
{
  timers_switch(&s->timers, TIMER_move);
  s->backend->ops->integrate_second_half(s->backend, s->params->run_dt);
  constraints_balance(s, 1);
}

/* One step. Interior forces are computed while the halo messages are under way. */
void step_enqueue(struct sim *s, const struct integrate_params *m)
{
  integrate_first_half(s, m);
  constraints_hold(s, m);
  plumed_begin(s);
  const int flags = force_flags(s);
  timers_switch(&s->timers, TIMER_force);
  biases_apply(s);
  int expired = listcheck_begin(s);
  if (!expired) {
    timers_switch(&s->timers, TIMER_halo);
    halo_start(&s->transport, s->backend);
    force(s, FORCE_INTERIOR, flags);
    timers_switch(&s->timers, TIMER_halo);
    halo_finish(&s->transport, s->backend);
    expired = listcheck_end(s); /* 0 with the pipeline, which finds out later: step_resume */
  }
  if (expired) {
    rebuild_and_force(s);
  } else {
    force(s, FORCE_BOUNDARY, flags);
    listcheck_agree(s);
  }
  if (s->plumed) apply_plumed(s, flags);
  integrate_second_half(s);
}

void step_resume(struct sim *s)
{
  rebuild_and_force(s);
  if (s->plumed) plumed_apply_again(s, force_flags(s));
  integrate_second_half(s);
}
