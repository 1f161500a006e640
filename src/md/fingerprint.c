#include "md/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): every bit depends on every bit.
 */
static uint64_t mix(uint64_t x)
{
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

uint64_t fingerprint_bytes(uint64_t hash, const void *data, size_t bytes)
{
  const char *p = data;
  for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, p + at, bytes - at < sizeof word ? bytes - at : sizeof word);
    hash = mix(hash ^ word);
  }
  return mix(hash ^ bytes);
}

uint64_t fingerprint_text(const char *text)
{
  return fingerprint_bytes(0, text, strlen(text));
}

static uint64_t of_topology(const struct topology *t)
{
  uint64_t hash = mix((uint64_t)t->n_envs);
  if (t->n_envs == 0) return hash;
  size_t starts = (size_t)t->n_envs + 1;
  int terms = t->term_start[t->n_envs], excluded = t->exclude_start[t->n_envs];
  hash = fingerprint_bytes(hash, t->term_start, starts * sizeof *t->term_start);
  hash = fingerprint_bytes(hash, t->exclude_start, starts * sizeof *t->exclude_start);
  for (int k = 0; k < terms; k++) {
    const struct topology_term *term = &t->term[k];
    const int64_t word[] = {term->section, term->type, term->role, term->partner[0],
                            term->partner[1]};
    hash = fingerprint_bytes(hash, word, sizeof word);
    for (int p = 2; p < term->beads - 1; p++)
      hash = fingerprint_bytes(hash, &term->partner[p], sizeof term->partner[p]);
  }
  hash = fingerprint_bytes(hash, t->exclude, (size_t)excluded * sizeof *t->exclude);
  if (!topology_has_clusters(t)) return hash;
  hash = fingerprint_bytes(hash, t->cluster, (size_t)t->n_envs * sizeof *t->cluster);
  return fingerprint_bytes(hash, t->place, (size_t)t->n_envs * sizeof *t->place);
}

/* The sum of a hash for each bead and array, over the beads of this rank's block. */
static uint64_t of_beads(const struct system *s)
{
  uint64_t sum = 0;
  for (int f = 0; f < FIELDS; f++) {
    const struct field_info *info = &field_info[f];
    if (!(info->flags & (STATE | STATIC)) || f == FIELD_build_position) continue;
    const size_t bytes = field_bytes(f);
    const char *data = beads_array(&s->beads, f);
    uint64_t name = fingerprint_text(info->name);
    for (int64_t k = 0; k < s->n; k++)
      sum +=
          fingerprint_bytes(name ^ mix((uint64_t)(s->first + k)), data + (size_t)k * bytes, bytes);
  }
  return sum;
}

uint64_t fingerprint_state(const struct ranks *r, const struct system *s)
{
  int64_t sum = (int64_t)of_beads(s);
  ranks_sum_int64(r, &sum, 1);
  uint64_t hash = mix((uint64_t)s->n_total) + (uint64_t)sum;
  hash += fingerprint_bytes(1, s->box, (box_is_oblique(s->box) ? BOX : 3) * sizeof *s->box) +
          of_topology(&s->topology);
  hash = mix(hash + fingerprint_text(s->ff->text));
  return hash ? hash : 1;
}

uint64_t fingerprint_seed(uint64_t input_hash, const struct params *p)
{
  static const char *const method[] = {"neighbor.", "run.precision:"};
  const uint64_t number = (uint64_t)p->run_replica;
  if (p->run_seed >= 0) return (uint64_t)p->run_seed + (number > 0 ? number - 1 : 0);
  char *motion = params_motion(p);
  uint64_t hash = input_hash;
  for (const char *line = motion; *line; line = strchr(line, '\n') + 1) {
    int counts = 1;
    for (size_t k = 0; k < sizeof method / sizeof method[0]; k++)
      counts &= strncmp(line, method[k], strlen(method[k])) != 0;
    if (counts) hash = fingerprint_bytes(hash, line, strcspn(line, "\n"));
  }
  free(motion);
  if (number > 0) hash = fingerprint_bytes(hash, &number, sizeof number);
  return hash >> 1;
}

void fingerprint_set_run(struct system *s, const struct params *p)
{
  const uint64_t word[] = {s->run.input_hash, s->clock.seed, (uint64_t)s->clock.step};
  char *motion = params_motion(p);
  uint64_t hash = fingerprint_bytes(fingerprint_text(s->ff->text), word, sizeof word);
  hash = fingerprint_bytes(hash, motion, strlen(motion));
  char id[RUN_ID];
  snprintf(id, sizeof id, "%016" PRIx64, hash);
  run_record_set_id(&s->run, id);
  free(motion);
}
