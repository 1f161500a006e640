#include "md/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "input/exchange_keys.h"
#include "io/backup.h"
#include "md/biases.h"
#include "md/csv.h"
#include "md/schedule.h"
#include "md/teams.h"

struct exchange {
  struct ladder ladder;
  int number; /* of this replica, from 0 */
  int heats;  /* 1: rungs have temperatures */
  double temperature[RUNGS_MOST];
  struct exchanged_biases biases;
  /* What the couplings after a step have to do: momenta times scale, and energy that the biases
     have put in, kJ/mol. */
  int64_t changed;     /* that step */
  double scale, added; /* scale 0: they stay */
  /* Of the steps at which replicas ask each other: the last and the next, and the time of the last.
   */
  int64_t first; /* step of the job */
  int64_t met, next;
  double seconds;
  int stop;   /* 1: this replica has been asked to stop */
  int leaves; /* exchange_leave */
  FILE *file; /* NULL: this rank has none */
  char *name;
};

/* What a replica says of its state at an exchange. */
struct offer {
  int64_t step;
  uint64_t seed;
  struct reduced_energies u;
};

static int rung_of(const struct exchange *x)
{
  return x->ladder.rung[x->number];
}

/* The record of a checkpoint; NULL: there is none, or a state that the user names has it, which
   may be of another replica. */
static const struct accumulated *record_of(const struct sim *s)
{
  const char *restart = s->params->restart;
  if (strcmp(restart, "auto") != 0 && strcmp(restart, "never") != 0) return NULL;
  return run_record_force(&s->system->run, EXCHANGE_RECORD);
}

/* The section as a text: attempts are counted as long as it is the same. Caller frees. */
static char *section_text(const struct params *p)
{
  return text_format("{temperature: %s, bias: %s}", p->exchange_temperature, p->exchange_bias);
}

/* The ladder, and the number of the replica. */
static int64_t record_numbers(const struct exchange *x)
{
  return (int64_t)LADDER_NUMBERS * x->ladder.n + 1;
}

static void restore(struct sim *s, struct exchange *x)
{
  const struct accumulated *was = record_of(s);
  if (!was || was->n != record_numbers(x)) return;
  if (was->data[was->n - 1] != x->number + 1)
    die_all(STATUS_INPUT,
            "the checkpoint of '%s' is that of replica %.0f, and not of replica %d: the folders of "
            "replicas were exchanged; put them back in their places",
            s->params->output_prefix, was->data[was->n - 1], x->number + 1);
  char *text = section_text(s->params);
  const int counts = s->system->clock.step > 0 && !strcmp(was->options, text);
  if (ladder_restore(&x->ladder, was->data) && !counts) ladder_count_anew(&x->ladder);
  free(text);
}

/* Gives the simulation the parameters of its rung, but no forces of them. */
static void take_rung(struct sim *s)
{
  const struct exchange *x = s->exchange;
  const int rung = rung_of(x);
  if (x->heats) teams_set_temperature(s, x->temperature[rung]);
  for (int k = 0; k < x->biases.n; k++)
    biases_set_parameters(s, x->biases.bias[k], x->biases.value[k][rung]);
}

void exchange_open(struct sim *s)
{
  const struct params *p = s->params;
  const int n = s->ranks->groups;
  if (n < 2 || p->minimise_steps > 0) return;
  struct exchange *x = alloc_array(1, sizeof *x);
  ladder_begin(&x->ladder, n);
  x->number = (int)p->run_replica - 1;
  x->changed = -1;
  x->heats = exchange_temperatures(p, n, x->temperature);
  if (s->biases) exchange_biases(p, &s->biases->set, n, &x->biases);
  s->exchange = x;
  if (p->exchange_every > 0) restore(s, x);
  take_rung(s);
  if (p->exchange_every > 0) return;
  exchange_close(s); /* each replica keeps its own */
}

void exchange_close(struct sim *s)
{
  struct exchange *x = s->exchange;
  if (!x) return;
  if (x->file && fclose(x->file)) csv_failed(x->name, "");
  exchange_biases_free(&x->biases);
  free(x->name);
  free(x);
  s->exchange = NULL;
}

/* The table of rungs */

/* FOLDER/replica-1/NAME as FOLDER/NAME.exchange.csv. Caller frees. */
static char *table_name(const char *prefix)
{
  char *folder = text_copy(prefix), *slash = strrchr(folder, '/');
  char *rest = path_with(slash ? slash + 1 : folder, ".exchange.csv");
  if (slash) *slash = 0;
  slash = strrchr(folder, '/');
  if (slash) slash[1] = 0;
  char *name = path_with(slash ? folder : "", rest);
  free(folder);
  free(rest);
  return name;
}

/* A line: the step, and which rungs the replicas have from it on. chance: NULL, or as
   ladder_attempt sets it. */
static void write_line(const struct sim *s, const double *chance)
{
  const struct exchange *x = s->exchange;
  if (!x->file) return;
  fprintf(x->file, "%" PRId64 ",%.10g", s->system->clock.step, s->system->clock.time);
  for (int k = 0; k < x->ladder.n; k++)
    fprintf(x->file, ",%d", x->ladder.rung[k] + 1);
  for (int k = 0; k < x->ladder.n - 1; k++)
    if (chance && !isnan(chance[k]))
      fprintf(x->file, ",%.6g", chance[k]);
    else
      fputc(',', x->file);
  if (fputc('\n', x->file) == EOF || fflush(x->file)) csv_failed(x->name, "");
}

/* The line of column names. Caller frees. */
static char *head_text(const struct exchange *x)
{
  struct text_stream text;
  FILE *out = text_begin(&text);
  fputs("step,time_ps", out);
  for (int k = 1; k <= x->ladder.n; k++)
    fprintf(out, ",replica_%d", k);
  for (int k = 1; k < x->ladder.n; k++)
    fprintf(out, ",chance_%d_%d", k, k + 1);
  fputc('\n', out);
  return text_end(&text);
}

/* The table of an earlier job, less what this one will do again: an exchange of its first step. */
static void table_trim(const struct sim *s, const char *head)
{
  const char *name = s->exchange->name;
  FILE *f = fopen(name, "r");
  if (f) {
    csv_refuse_columns(f, name, head, "another number of replicas");
    fclose(f);
    csv_trim(name, s->system->clock.step - 1);
  } else {
    warn("'%s', the exchanges of the run, is not there: a new file begins at step %" PRId64, name,
         s->system->clock.step);
  }
}

static void table_open(struct sim *s, int append)
{
  struct exchange *x = s->exchange;
  const int goes_on = append && s->system->clock.step > 0;
  if (x->number > 0 || s->ranks->rank > 0) return;
  char *head = head_text(x);
  x->name = table_name(s->params->output_prefix);
  if (goes_on)
    table_trim(s, head);
  else if (path_exists(x->name))
    backup_previous(x->name);
  x->file = fopen(x->name, goes_on ? "a" : "w");
  if (!x->file) csv_failed(x->name, "");
  const int begins = ftello(x->file) == 0;
  if (begins) fputs(head, x->file);
  if (begins || !record_of(s)) write_line(s, NULL);
  free(head);
}

/* The start of a job */

static void refuse_records(const struct sim *s)
{
  const int n = s->exchange->ladder.n, numbers = LADDER_NUMBERS * n;
  double *own = alloc_array(numbers, sizeof *own);
  double *all = alloc_array((int64_t)n * numbers, sizeof *all);
  ladder_save(&s->exchange->ladder, own);
  ranks_gather_groups(s->ranks, own, numbers * (int)sizeof *own, all);
  for (int k = 1; k < n; k++)
    if (memcmp(all, all + (int64_t)k * numbers, (size_t)numbers * sizeof *all))
      die_all(STATUS_INPUT,
              "the checkpoints of replica 1 and replica %d do not belong to one run: they have "
              "other exchanges behind them. Put the files of one job into the folders replica-K, "
              "or begin anew with --restart=never",
              k + 1);
  free(own);
  free(all);
}

void exchange_start(struct sim *s, int append)
{
  struct exchange *x = s->exchange;
  if (!x) return;
  refuse_records(s);
  table_open(s, append);
  x->seconds = ranks_time();
  x->first = x->met = s->system->clock.step;
  x->next = x->met / STATE_EVERY * STATE_EVERY + STATE_EVERY;
  info("exchange: %s between %d replicas every %" PRId64 " steps",
       x->heats && x->biases.n ? "temperatures and biases"
       : x->heats              ? "temperatures"
                               : "biases",
       x->ladder.n, s->params->exchange_every);
  if (s->measured)
    warn("observe: averages of a replica are over all %s that it has had; frames and lines of "
         "PREFIX.csv can be sorted by them afterwards (lamella-exchange)",
         x->heats ? "temperatures" : "biases");
}

/* Exchanges */

/* PV - gamma A, kJ/mol: what the energy lacks at constant pressure and tension. */
static double work_of_box(const struct sim *s)
{
  const struct params *p = s->params;
  const double *box = s->system->box, time = s->system->clock.time;
  double work = 0;
  if (p->barostat_type == BAROSTAT_NONE) return 0;
  work += ramp_at(&p->barostat_pressure, time) * box_volume(box);
  if (p->barostat_coupling == COUPLING_SURFACE_TENSION)
    work -= ramp_at(&p->barostat_surface_tension, time) * box_volume(box) / box[2];
  return work / UNITS_BAR;
}

/* The energy of the exchanged biases with the parameters of a rung, kJ/mol. */
static double bias_energy(const struct sim *s, int rung)
{
  const struct exchange *x = s->exchange;
  double energy = 0;
  for (int k = 0; k < x->biases.n; k++)
    energy += biases_energy_with(s, x->biases.bias[k], x->biases.value[k][rung]);
  return energy;
}

/* At an end of the ladder `rung` may be beyond it; nobody asks then. */
static double reduced_energy(const struct sim *s, int rung)
{
  const struct exchange *x = s->exchange;
  if (rung < 0 || rung >= x->ladder.n) return 0;
  const double temperature =
      x->heats ? x->temperature[rung] : ramp_at(&s->bath[0].temperature, s->system->clock.time);
  const double own = bias_energy(s, rung_of(x)), energy = s->thermo.potential + work_of_box(s);
  return (energy + (bias_energy(s, rung) - own)) / (UNITS_BOLTZMANN * temperature);
}

/* The numbers of all replicas at this step. */
static void gather(const struct sim *s, struct offer *all)
{
  const int rung = rung_of(s->exchange);
  const struct offer own = {
      s->system->clock.step,
      s->system->clock.seed,
      {reduced_energy(s, rung - 1), reduced_energy(s, rung), reduced_energy(s, rung + 1)}};
  ranks_gather_groups(s->ranks, &own, sizeof own, all);
  for (int k = 1; k < s->exchange->ladder.n; k++)
    if (all[k].step != all[0].step)
      die_all(STATUS_INPUT,
              "replica 1 is at step %" PRId64 ", and replica %d at step %" PRId64
              ": they were not started together",
              all[0].step, k + 1, all[k].step);
}

/* Momenta follow the square root of the temperature (eq. 14 of Sugita and Okamoto), and forces the
   biases. */
static void change_rung(struct sim *s, int from)
{
  struct exchange *x = s->exchange;
  const int to = rung_of(x);
  x->changed = s->system->clock.step;
  x->scale = x->heats ? sqrt(x->temperature[to] / x->temperature[from]) : 0;
  x->added = bias_energy(s, to) - bias_energy(s, from);
  take_rung(s);
  if (x->biases.n) biases_renew_forces(s);
}

void exchange_attempt(struct sim *s)
{
  struct exchange *x = s->exchange;
  const int64_t step = s->system->clock.step, every = s->params->exchange_every;
  struct offer all[RUNGS_MOST];
  struct reduced_energies u[RUNGS_MOST];
  double chance[RUNGS_MOST];
  if (!x || !schedule_due(s->params, step).exchange) return;
  const int rung = rung_of(x);
  timers_switch(&s->timers, TIMER_wait);
  gather(s, all);
  timers_switch(&s->timers, TIMER_couple);
  for (int k = 0; k < x->ladder.n; k++)
    u[k] = all[k].u;
  ladder_attempt(&x->ladder, step / every, all[0].seed, step, u, chance);
  if (rung_of(x) != rung) change_rung(s, rung);
  write_line(s, chance);
  timers_switch(&s->timers, TIMER_other);
}

int exchange_couples(const struct sim *s)
{
  return s->exchange && s->exchange->changed == s->system->clock.step;
}

void exchange_set_coupling(const struct sim *s, struct coupling_params *how)
{
  const struct exchange *x = s->exchange;
  if (!x) return;
  if (x->heats) how->temperature = x->temperature[rung_of(x)];
  if (!exchange_couples(s)) return;
  how->rescale = x->scale;
  how->added = x->added;
}

/* Checkpoints and stops */

void exchange_meet(struct sim *s)
{
  struct exchange *x = s->exchange;
  const int64_t step = s->system->clock.step;
  if (!x || x->leaves || step == x->first) return;
  if (x->file && fsync(fileno(x->file)) && errno != EINVAL) csv_failed(x->name, "");
  (void)ranks_range_of_groups(s->ranks, step); /* waits for all */
}

void exchange_leave(struct sim *s)
{
  if (s->exchange) s->exchange->leaves = 1;
}

int exchange_asks(const struct sim *s)
{
  return s->exchange && s->system->clock.step >= s->exchange->next;
}

int exchange_any(const struct sim *s, int wants)
{
  return s->exchange ? ranks_range_of_groups(s->ranks, wants != 0).most != 0 : wants;
}

int exchange_stop(struct sim *s, int stop)
{
  struct exchange *x = s->exchange;
  const int64_t step = s->system->clock.step, most = 1000;
  if (!x) return stop;
  x->stop |= stop;
  if (!exchange_asks(s)) return 0;
  const int stops = exchange_any(s, x->stop);
  const double now = ranks_time();
  const int64_t own = (int64_t)(1e9 * (now - x->seconds)) / (step - x->met); /* ns a step */
  const int64_t slowest = ranks_range_of_groups(s->ranks, own).most;
  int64_t times = slowest > 0 ? 1000000000 / (STATE_EVERY * slowest) : most;
  times = times < 1 ? 1 : times > most ? most : times;
  x->met = step;
  x->seconds = now;
  x->next = step / STATE_EVERY * STATE_EVERY + times * STATE_EVERY;
  return stops;
}

void exchange_save(struct sim *s)
{
  const struct exchange *x = s->exchange;
  if (!x) return;
  const int64_t n = record_numbers(x);
  struct accumulated a = {"", section_text(s->params), n, alloc_array(n, sizeof(double))};
  strcpy(a.name, EXCHANGE_RECORD);
  ladder_save(&x->ladder, a.data);
  a.data[n - 1] = x->number + 1;
  run_record_set_force(&s->system->run, a);
}

int exchange_number(const struct sim *s)
{
  return s->exchange ? rung_of(s->exchange) + 1 : (int)s->params->run_replica;
}

void exchange_say(const struct sim *s)
{
  const struct exchange *x = s->exchange;
  int64_t trips = 0;
  if (!x) return;
  for (int k = 0; k < x->ladder.n; k++)
    trips += x->ladder.trips[k];
  for (int k = 0; k < x->ladder.n - 1; k++) {
    const int64_t tried = x->ladder.tried[k], accepted = x->ladder.accepted[k];
    char what[80] = "";
    if (x->heats)
      snprintf(what, sizeof what, " (%g and %g K)", x->temperature[k], x->temperature[k + 1]);
    info("exchange of rungs %d and %d%s: %" PRId64 " of %" PRId64 " accepted, %.3g %%", k + 1,
         k + 2, what, accepted, tried, tried ? 100.0 * (double)accepted / (double)tried : 0);
  }
  info("exchange: %" PRId64 " round trips between rungs 1 and %d", trips, x->ladder.n);
}
