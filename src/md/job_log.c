#include "md/job_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/version.h"
#include "md/fingerprint.h"

enum { HOST_BYTES = 128 }; /* bytes of a host with its device */

/* 1 if the previous job wrote its last line (messages of ranks may follow it), or if there was no
   previous job (the log is empty or missing). */
static int ended_well(const char *path)
{
  char tail[2048]; /* less than the head of a job */
  FILE *f = fopen(path, "r");
  if (!f) return 1;
  fseek(f, 0, SEEK_END);
  long size = ftell(f), most = (long)sizeof tail - 1;
  fseek(f, size > most ? size - most : 0, SEEK_SET);
  size_t n = fread(tail, 1, sizeof tail - 1, f);
  fclose(f);
  tail[n] = 0;
  return n == 0 || strstr(tail, LOG_LAST_LINE) != NULL;
}

/* One line for consecutive ranks with the same host and device: "ranks 0 to 3: host, device". */
static void note_hosts(const struct sim *s)
{
  char mine[HOST_BYTES] = "", host[64] = "";
  int64_t total;
  gethostname(host, sizeof host - 1);
  snprintf(mine, sizeof mine, "%s, %s", host, s->backend->ops->describe(s->backend));
  char(*each)[HOST_BYTES] = ranks_gather(s->ranks, mine, HOST_BYTES, &total);
  for (int first = 0, k = 1; each && k <= s->ranks->size; k++) {
    if (k < s->ranks->size && strcmp(each[k], each[first]) == 0) continue;
    log_file_note("ranks %d to %d: %s", first, k - 1, each[first]);
    first = k;
  }
  free(each);
}

static void note_command(int argc, char **argv)
{
  size_t size = sizeof "command: lamella";
  for (int k = 0; k < argc; k++)
    size += strlen(argv[k]) + 3;
  char *text = alloc_array((long long)size, 1);
  strcpy(text, "command: lamella");
  for (int k = 0; k < argc; k++) {
    const char *quote = strpbrk(argv[k], " \t\"$") ? "'" : "";
    sprintf(text + strlen(text), " %s%s%s", quote, argv[k], quote);
  }
  log_file_note("%s", text);
  free(text);
}

static int count_jobs(const char *history)
{
  int jobs = 0;
  for (const char *c = history; c; c = strchr(c, '\n') ? strchr(c, '\n') + 1 : NULL)
    jobs += strncmp(c, "job ", 4) == 0;
  return jobs;
}

/* The date as rank 0 has it, on all ranks. */
static void add_history(struct sim *s)
{
  struct system *y = s->system;
  char date[32] = "";
  time_t now = time(NULL);
  struct tm utc;
  strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
  ranks_broadcast(s->ranks, date, sizeof date);
  run_record_add(
      &y->run, "job %d: %s, lamella %s (%s), %d rank%s, %s, transport %s, from step %" PRId64,
      count_jobs(y->run.history) + 1, date, LAMELLA_VERSION, LAMELLA_GIT, s->ranks->size,
      s->ranks->size > 1 ? "s" : "", y->run.kernel, s->transport.ops->name, y->clock.step);
}

/* Says how many beads are held by the restraints that act. */
static void note_restraints(const struct sim *s)
{
  const struct system *y = s->system;
  int64_t held = 0;
  for (int64_t k = 0; k < y->n; k++)
    held += topology_restrains(s->restraints.topology, y->beads.bonded_env[k]);
  ranks_sum_int64(s->ranks, &held, 1);
  const long long all = y->topology.anchors.n;
  if (held == 0)
    info("restraints: off (%lld beads have some)", all);
  else if (held < all)
    info("restraints: on %lld beads, off on %lld", (long long)held, all - held);
  else
    info("restraints: on %lld beads", all);
}

void job_log_open(struct sim *s, int argc, char **argv)
{
  const struct system *y = s->system;
  char *path = path_with(s->params->output_prefix, ".log");
  int well = s->ranks->rank != 0 || ended_well(path);
  add_history(s);
  log_to_file(path);
  if (!well) warn("the previous job was killed: it has no last line in '%s'", path);
  free(path);
  log_file_note("lamella %s (%s), compiler %s, MPI %s, HDF5 %s, CUDA %s", LAMELLA_VERSION,
                LAMELLA_GIT, LAMELLA_COMPILER, LAMELLA_MPI, LAMELLA_HDF5, LAMELLA_CUDA);
  note_command(argc, argv);
  note_hosts(s);
  log_file_note("transport %s; force field %s %s, %016" PRIx64 "; input '%s', %016" PRIx64
                "; seed %" PRIu64 "; step %" PRId64,
                s->transport.ops->name, y->ff->name, y->ff->version, fingerprint_text(y->ff->text),
                y->run.input ? y->run.input : "?", y->run.input_hash, y->clock.seed, y->clock.step);
  char *text = params_text(s->params);
  log_file_note("effective input:\n%s", text);
  free(text);
  if (y->topology.anchors.n > 0) note_restraints(s);
}

void job_log_close(int status)
{
  log_file_note(LOG_LAST_LINE " %d", status);
  log_to_file(NULL);
}
