/* Builds systems from the text of a specification, on pretended ranks. */
#ifndef BUILT_H
#define BUILT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/build_spec.h"
#include "setup/build.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

/* Path of a new file with this text, in the folder of the test, which its driver removes: a child
   that ends with an error leaves it behind. */
static inline char *write_spec(const char *text)
{
  static char path[256];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/lamella_test_XXXXXX", folder ? folder : "/tmp");
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  return path;
}

static inline struct build_spec *load_text(const char *text)
{
  char *path = write_spec(text);
  struct build_spec *spec = build_spec_load(path);
  unlink(path);
  return spec;
}

/* Builds on `size` pretended ranks and joins the blocks. */
static inline struct system *build_blocks(const char *text, int size)
{
  struct system *whole = NULL;
  for (int rank = 0; rank < size; rank++) {
    struct ranks r = {.rank = rank, .size = size};
    struct build_spec *spec = load_text(text);
    struct system *s = spec->kind == BUILD_BILAYER ? bilayer_build(&r, spec)
                       : spec->kind == BUILD_WATER ? water_build(&r, spec)
                                                   : lattice_build(&r, spec);
    build_spec_destroy(spec);
    if (rank == 0) {
      whole = s;
      continue;
    }
    assert_int_equal(s->first, whole->n + 1);
    beads_reserve(&whole->beads, STATE | STATIC, whole->n, whole->n + s->n);
    for (int f = 0; f < FIELDS; f++) {
      size_t bytes = (size_t)(field_info[f].components * field_info[f].bytes);
      memcpy((char *)*beads_field(&whole->beads, f) + bytes * (size_t)whole->n,
             *beads_field(&s->beads, f), bytes * (size_t)s->n);
    }
    whole->n += s->n;
    system_destroy(s);
  }
  assert_int_equal(whole->n, whole->n_total);
  return whole;
}

static inline void destroy(struct system *s)
{
  system_destroy(s);
}

static inline void load_bad(void *text)
{
  load_text(text);
}

static inline void build_bad(void *text)
{
  destroy(build_blocks(text, 1));
}

/* Each text ends `run` with status 2 and with these words. */
static inline void assert_mistakes(void (*run)(void *), const char *const bad[][2], size_t n)
{
  char text[256];
  for (size_t k = 0; k < n; k++) {
    snprintf(text, sizeof text, "%s", bad[k][0]);
    assert_true(dies_saying(run, text, 2, bad[k][1]));
  }
}

static inline void assert_same_on_ranks(const char *text)
{
  struct system *one = build_blocks(text, 1);
  for (int size = 2; size < 8; size += 2) {
    struct system *many = build_blocks(text, size);
    assert_memory_equal(one->box, many->box, sizeof one->box);
    for (int f = 0; f < FIELDS; f++)
      assert_memory_equal(*beads_field(&one->beads, f), *beads_field(&many->beads, f),
                          (size_t)one->n *
                              (size_t)(field_info[f].components * field_info[f].bytes));
    destroy(many);
  }
  destroy(one);
}

#endif
