#include "cli/replicas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"

/* Files of replica K are named FOLDER/replica-K/NAME, where the prefix is FOLDER/NAME. */
static void prefix_in_replica(const struct ranks *r, struct params *p, int number)
{
  char *old = text_copy(p->output_prefix), *slash = strrchr(old, '/'), folder[40];
  const char *name = slash ? slash + 1 : old;
  if (slash) *slash = 0;
  snprintf(folder, sizeof folder, "%sreplica-%d", slash ? "/" : "", number);
  char *path = path_with(slash ? old : "", folder), *rest = path_with("/", name);
  int64_t error = r->rank == 0 && mkdir(path, 0777) && errno != EEXIST ? errno : 0;
  ranks_broadcast(r, &error, sizeof error);
  if (error) die_all(STATUS_IO, "cannot make the folder '%s': %s", path, strerror((int)error));
  char *prefix = path_with(path, rest);
  params_set_text(p, "output.prefix", prefix);
  free(prefix);
  free(path);
  free(rest);
  free(old);
}

/* How many simulations run side by side. */
static int64_t count(const struct ranks *r, const char *said, int n_files)
{
  int64_t n = n_files < r->size ? n_files : r->size;
  if (said && n_files > 1)
    die_all(STATUS_INPUT, "--replicas=%s is for one run file, but %d are given", said, n_files);
  if (said && (!parse_int(said, &n) || n < 1 || n > r->size || r->size % n))
    die_all(STATUS_INPUT,
            "--replicas=%s: give a number of replicas that divides the number of ranks, which is "
            "%d",
            said, r->size);
  while (r->size % n)
    n--;
  return n;
}

void replicas_divide(struct replicas *e, struct ranks *r, const struct arguments *a)
{
  const char *said = arguments_value(a, "replicas");
  char name[32];
  *e = (struct replicas){.asked = said != NULL, .n = 1, .number = 1, .n_files = a->n_operands};
  const int64_t n = count(r, said, e->n_files);
  if (n == 1) return;
  e->n = (int)n;
  ranks_all(&e->all);
  e->number = 1 + ranks_divide(r, e->n);
  if (!e->asked) r->groups = 1; /* runs that have nothing to do with each other */
  snprintf(name, sizeof name, "replica %d", e->number);
  log_simulation(name, e->number == 1);
}

void replicas_begin_file(const struct replicas *e, const struct ranks *r, const char *file, int k)
{
  if (e->n_files == 1) return;
  if (k < e->n && e->n > 1)
    info("%d run files, %d side by side, each on %d rank%s; the messages of %s follow", e->n_files,
         e->n, r->size, r->size > 1 ? "s" : "", file);
  log_simulation(file, e->number == 1);
  info("run file %s, %d of %d", file, k + 1, e->n_files);
}

static int is_random(const struct params *p)
{
  return p->minimise_steps == 0 &&
         (p->thermostat_type == THERMOSTAT_LANGEVIN || p->thermostat_type == THERMOSTAT_BUSSI ||
          p->barostat_type == BAROSTAT_CRESCALE);
}

void replicas_set(const struct replicas *e, const struct ranks *r, struct params *base,
                  const struct stages *s)
{
  int random = 0;
  if (!e->asked) return;
  for (int k = 0; k < s->n; k++)
    random |= is_random(s->stage[k].params) || s->stage[k].params->plumed[0];
  if (e->n > 1 && !random)
    die_all(STATUS_INPUT,
            "--replicas=%d: nothing in this run is random, so all replicas would be the same "
            "trajectory; give it a thermostat (thermostat.type: langevin or bussi) or barostat "
            "(barostat.type: crescale) with noise, or make runs of different states",
            e->n);
  const int given = (int)s->stage[0].params->run_replica;
  if (given > 0)
    die_all(STATUS_INPUT,
            "run.replica: %d is given, and --replicas=%d numbers the copies from 1: leave one of "
            "them out",
            given, e->n);
  prefix_in_replica(r, base, e->number);
  for (int k = 0; k < s->n; k++) {
    prefix_in_replica(r, s->stage[k].params, e->number);
    params_set_int(s->stage[k].params, "run.replica", e->number);
  }
  if (e->n > 1)
    info("%d replicas, each on %d rank%s; the messages of replica 1 follow", e->n, r->size,
         r->size > 1 ? "s" : "");
}

void replicas_watch(struct replicas *e, const struct ranks *r, double timeout)
{
  if (e->n > 1) e->heartbeat = heartbeat_open_beside(&e->all, r, timeout);
}

static void files_to_do(const struct replicas *e, const struct ranks *r, int64_t to_do)
{
  int64_t sum = r->rank == 0 ? to_do : 0;
  if (e->n > 1) ranks_sum_int64(&e->all, &sum, 1);
  if (sum > 0)
    info("dry run: input is right; %lld steps to do", (long long)sum);
  else
    info("nothing to do: all %d runs are done", e->n_files);
}

void replicas_to_do(const struct replicas *e, const struct ranks *r, int64_t to_do)
{
  if (e->n_files > 1) {
    files_to_do(e, r, to_do);
    return;
  }
  int64_t most = to_do, left = r->rank == 0 && to_do > 0;
  ranks_max_int64(&e->all, &most, 1);
  ranks_sum_int64(&e->all, &left, 1);
  if (most <= 0)
    info("nothing to do: all %d replicas are done", e->n);
  else
    info("dry run: input is right; %lld steps to do (%lld of %d replicas)", (long long)most,
         (long long)left, e->n);
}

int replicas_join(struct replicas *e, int status)
{
  if (e->n == 1) return status;
  status = ranks_join(&e->all, status);
  heartbeat_close(e->heartbeat);
  ranks_copy_free(&e->all);
  return status;
}
