/* Trajectories: frames hold what the system held, a restart takes off what is too much and repairs
   what was cut short. "write PREFIX" leaves files, "continue PREFIX STEP LIPIDS" continues them. */
#include "tests/support/agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rotation.h"
#include "io/h5.h"
#include "io/h5_read.h"
#include "io/h5md/check.h"
#include "io/h5md/read.h"
#include "io/h5md/write.h"
#include "io/info.h"
#include "io/lock.h"
#include "io/state.h"
#include "tests/support/sample.h"

static struct ranks ranks;
static const char prefix[] = "test_mpi_trajectory", path[] = "test_mpi_trajectory.h5md";

/* 1: water has three moments of inertia, so that trajectories have quaternions. */
static int bodies;

static struct system *make_system(const struct ranks *r, int64_t lipids)
{
  struct system *s = sample_system(r, lipids, 30);
  if (bodies) s->ff->type[forcefield_type(s->ff, "W")].inertia[2] = 0.5;
  return s;
}

/* The system at a step: every bead and the box have moved a little. */
static void move_to(struct system *s, int64_t step)
{
  clock_set(&s->clock, step, 0.01 * (double)step);
  s->lists.step = step;
  s->box[0] = 6.1 + 0.001 * (double)step;
  list_build_take(&s->lists, step, s->box);
  for (int64_t k = 0; k < 3 * s->n; k++)
    s->beads.position[k] =
        (int32_t)((uint32_t)(s->first * 3 + k) * 2654435761u + (uint32_t)step * 40503u);
}

/* 1: the frames hold values of observables. */
static int observed;
enum { VALUES = 302 };

/* All beads, wrapped. */
static const struct trajectory_request *request(int velocities)
{
  static char options[] = "density: {frames: yes}", columns[] = "table\tcolumn\n";
  static struct trajectory_observed one[2] = {{"area", 2, options, columns},
                                              {"density", VALUES - 2, options, columns}};
  static struct trajectory_request want[2] = {{.select = ""}, {.velocities = 1, .select = ""}};
  want[velocities].observed = (struct trajectory_observed_list){observed ? 2 : 0, one};
  return &want[velocities];
}

/* Values at a step; NULL if there are none here. */
static const double *values_at(int64_t step)
{
  static double value[VALUES];
  for (int k = 0; k < VALUES; k++)
    value[k] = (double)step + 1e-3 * k;
  return observed && ranks.rank == 0 ? value : NULL;
}

/* The values of a frame, which are 10 steps apart. */
static int values_are_right(struct h5_reader *in, int64_t frame)
{
  double value[VALUES];
  h5_get(in, "observables/area/value", 'd', frame, 1, value);
  h5_get(in, "observables/density/value", 'd', frame, 1, value + 2);
  return !memcmp(value, values_at(10 * frame), sizeof value);
}

static void write_steps(int64_t from, int64_t to, int64_t restart, int velocities)
{
  struct system *s = make_system(&ranks, 5);
  struct trajectory *t = trajectory_open(&ranks, prefix, s, restart, request(velocities));
  for (int64_t step = from; step <= to; step += 10) {
    move_to(s, step);
    trajectory_write(t, s, NULL, values_at(step));
  }
  trajectory_close(t);
  system_destroy(s);
}

/* The quaternion of bead k, 4 floats, against the system. */
static int quaternion_is_right(const float *q, const struct system *s, int64_t k)
{
  const double *inertia = s->ff->type[s->beads.type[k]].inertia;
  int good = 1;
  for (int d = 0; d < 4; d++)
    good &= q[d] == (inertia[0] > 0 ? (float)s->beads.orientation[4 * k + d] : d == 0);
  return good;
}

/* Rank 0 reads the whole file against the system at steps 0, 10, ... */
static int frames_are_right(int64_t frames, int velocities, int quaternions)
{
  struct h5_reader in;
  struct trajectory_index c;
  struct ranks alone = {.rank = 0, .size = 1};
  if (ranks.rank > 0) return 1;
  struct system *s = make_system(&alone, 5);
  h5_reader_open(&in, path);
  trajectory_scan(&in, &c);
  int good = !in.error[0] && c.n == s->n_total && c.frames == frames && c.rows == frames &&
             (c.layout.elements >> ELEMENT_QUATERNION & 1) == quaternions;
  float *x = alloc_array(s->n, 12), *v = alloc_array(s->n, 12), *q = alloc_array(s->n, 16);
  for (int64_t f = 0; f < frames && good; f++) {
    double edges[9], exact[3];
    move_to(s, 10 * f);
    h5_get(&in, "particles/trajectory/position/value", 'f', f, 1, x);
    h5_get(&in, "particles/trajectory/box/edges/value", 'd', f, 1, edges);
    if (velocities) h5_get(&in, "particles/trajectory/velocity/value", 'f', f, 1, v);
    if (observed) good &= values_are_right(&in, f);
    if (quaternions) h5_get(&in, "particles/trajectory/quaternion/value", 'f', f, 1, q);
    good &= !in.error[0] && c.step[f] == s->clock.step && c.time[f] == s->clock.time &&
            edges[0] == s->box[0];
    for (int64_t k = 0; k < s->n && good; k++) {
      system_get_position(s, k, 0, exact);
      if (quaternions) good = quaternion_is_right(q + 4 * k, s, k);
      double mass = s->ff->type[s->beads.type[k]].mass;
      for (int d = 0; d < 3; d++) {
        good &= x[3 * k + d] == (float)exact[d];
        if (velocities) good &= v[3 * k + d] == (float)(s->beads.momentum[3 * k + d] / mass);
      }
    }
  }
  h5_reader_close(&in);
  free(x);
  free(v);
  free(q);
  trajectory_index_free(&c);
  system_destroy(s);
  return good;
}

/* Beads of a frame, as read, against the system at its step. */
static int frame_is_right(const struct trajectory_frame *f, const struct system *s, int unwrapped)
{
  int good = f->step == s->clock.step && f->time == s->clock.time &&
             !memcmp(f->box, s->box, sizeof f->box) && !f->value[ELEMENT_AXIS] &&
             f->value[ELEMENT_DIPOLE] && f->first == s->first &&
             !f->value[ELEMENT_QUATERNION] == !bodies;
  for (int64_t k = 0; k < f->n && good; k++) {
    const struct ff_type *type = &s->ff->type[s->beads.type[k]];
    double inside[3], outside[3], axis[3];
    system_get_position(s, k, 0, inside);
    system_get_position(s, k, 1, outside);
    rotation_axis(s->beads.orientation + 4 * k, axis);
    if (bodies) good &= quaternion_is_right(f->value[ELEMENT_QUATERNION] + 4 * k, s, k);
    for (int d = 0; d < 3; d++) {
      const double x = f->position[k][d];
      good &= unwrapped ? fabs(x - outside[d]) < 1e-6 : x == (double)(float)inside[d];
      good &= f->image[k][d] == s->beads.image[3 * k + d];
      good &= f->value[ELEMENT_DIPOLE][3 * k + d] == (float)(axis[d] * type->dipole);
      good &= !f->value[ELEMENT_VELOCITY] || f->value[ELEMENT_VELOCITY][3 * k + d] ==
                                                 (float)(s->beads.momentum[3 * k + d] / type->mass);
    }
  }
  return good;
}

/* Blocks of ids of all ranks, then the whole frame on each; frames in any order. */
static void read_by_blocks(void **state)
{
  (void)state;
  for (int velocities = 0; velocities <= 1; velocities++) {
    bodies = velocities;
    struct ranks alone = {.rank = 0, .size = 1};
    struct system *s = make_system(&ranks, 5), *all = make_system(&alone, 5);
    struct trajectory_frame f, whole;
    struct trajectory_reader t;
    struct h5_reader in;
    memset(&f, 0, sizeof f);
    memset(&whole, 0, sizeof whole);
    write_steps(0, 70, -1, velocities);
    h5_reader_open(&in, path);
    trajectory_reader_open(&t, &in);
    AGREE(&ranks, !in.error[0] && t.index.frames == 8 && t.index.n == s->n_total);
    AGREE(&ranks, (t.index.layout.elements >> ELEMENT_VELOCITY & 1) == velocities);
    for (int k = 0; k < 16; k++) {
      const int64_t frame = 5 * k % 8;
      move_to(s, 10 * frame);
      move_to(all, 10 * frame);
      trajectory_frame_read(&t, frame, s->first, s->n, (enum trajectory_positions)(k / 8), &f);
      trajectory_frame_verify(&t, &f, &ranks);
      trajectory_frame_read(&t, frame, 1, s->n_total, POSITIONS_WRAPPED, &whole);
      AGREE(&ranks, !in.error[0] && frame_is_right(&f, s, k / 8));
      AGREE(&ranks, frame_is_right(&whole, all, 0));
      AGREE(&ranks, !f.value[ELEMENT_VELOCITY] == !velocities);
    }
    trajectory_frame_free(&f);
    trajectory_frame_free(&whole);
    trajectory_reader_close(&t);
    h5_reader_close(&in);
    system_destroy(s);
    system_destroy(all);
  }
  bodies = 0;
}

/* The first place of a frame's positions in the file, of which one byte is changed. */
static void position_spoil(int64_t frame)
{
  static char all[1 << 22];
  if (ranks.rank == 0) {
    const struct ranks alone = {.rank = 0, .size = 1};
    struct system *s = sample_system(&alone, 5, 30);
    double x[3];
    move_to(s, 10 * frame);
    system_get_position(s, 0, 0, x);
    const float first[3] = {(float)x[0], (float)x[1], (float)x[2]};
    FILE *file = fopen(path, "r+b");
    const long size = (long)fread(all, 1, sizeof all, file);
    long at = 0;
    while (at + 12 < size && memcmp(all + at, first, 12) != 0)
      at++;
    assert_true(at + 12 < size);
    fseek(file, at, SEEK_SET);
    fputc(all[at] ^ 4, file);
    fclose(file);
    system_destroy(s);
  }
  ranks_barrier(&ranks);
}

/* What a reader says of frame and beads that there are not, of one that is damaged, and of a file
   that is something else. */
static void reads_are_refused(void **state)
{
  (void)state;
  static const int64_t asked[][3] = {{-1, 1, 1},     {4, 1, 1},  {0, 0, 1},
                                     {0, 1, 100000}, {0, 2, -1}, {0, INT64_MAX, 2}};
  struct trajectory_frame f;
  struct trajectory_reader t;
  struct h5_reader in;
  memset(&f, 0, sizeof f);
  write_steps(0, 30, -1, 0);
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    h5_reader_open(&in, path);
    trajectory_reader_open(&t, &in);
    trajectory_frame_read(&t, asked[k][0], asked[k][1], asked[k][2], POSITIONS_WRAPPED, &f);
    AGREE(&ranks, strstr(in.error, "it has 4 frames of ") != NULL);
    trajectory_reader_close(&t);
    h5_reader_close(&in);
  }
  position_spoil(2);
  h5_reader_open(&in, path);
  trajectory_reader_open(&t, &in);
  const int64_t n = t.index.n;
  trajectory_frame_read(&t, 3, 1, n, POSITIONS_UNWRAPPED, &f);
  AGREE(&ranks, !in.error[0] && f.step == 30);
  trajectory_frame_read(&t, 2, 1, n, POSITIONS_WRAPPED, &f);
  AGREE(&ranks, strstr(in.error, "frame 2") && strstr(in.error, "position"));
  trajectory_reader_close(&t);
  h5_reader_close(&in);
  h5_reader_open(&in, "test_mpi_trajectory.psf");
  trajectory_reader_open(&t, &in);
  trajectory_frame_read(&t, 0, 1, 1, POSITIONS_WRAPPED, &f);
  AGREE(&ranks, in.error[0]);
  trajectory_reader_close(&t);
  h5_reader_close(&in);
  trajectory_frame_free(&f);
}

static void written(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    bodies = k / 2;
    write_steps(0, 70, -1, k % 2);
    AGREE(&ranks, frames_are_right(8, k % 2, bodies));
    AGREE(&ranks, info_print(&ranks, path) == STATUS_DONE);
  }
  bodies = 0;
}

/* Columns of the dataset of checksums. */
static int64_t columns_counted(void)
{
  struct h5_reader in;
  int64_t size[3];
  h5_reader_open(&in, path);
  h5_sizes(&in, TRAJECTORY_CHECKSUMS, 'w', 3, size);
  h5_reader_close(&in);
  return size[2];
}

/* Which elements a force field leads to. A trajectory keeps those that it began with, and files
   without quaternions the seven checksums a frame, and their values, of versions that knew none. */
static void elements_kept(void **state)
{
  (void)state;
  struct system *s = make_system(&ranks, 5);
  struct ff_type *water = &s->ff->type[forcefield_type(s->ff, "W")];
  const int plain = 1 << ELEMENT_POSITION | 1 << ELEMENT_IMAGE, dipole = 1 << ELEMENT_DIPOLE,
            axis = 1 << ELEMENT_AXIS, quaternion = 1 << ELEMENT_QUATERNION;
  assert_int_equal(trajectory_elements(s->ff, request(0)), plain | dipole);
  water->inertia[2] = 0.5;
  assert_int_equal(trajectory_elements(s->ff, request(0)), plain | dipole | quaternion);
  water->dipole = 0; /* lipids have dipoles too */
  assert_int_equal(trajectory_elements(s->ff, request(0)), plain | dipole | axis | quaternion);
  water->inertia[2] = 0;
  assert_int_equal(trajectory_elements(s->ff, request(0)), plain | dipole | axis);
  system_destroy(s);
  const float x[3] = {1, 2, 3};
  uint64_t row[CHECKSUMS] = {trajectory_checksum(ELEMENT_POSITION, 5, 1, x)};
  trajectory_checksum_row(plain, 3, 20, 0.2, (const double[9]){1}, row);
  assert_int_equal(row[CHECKSUM_ROW], 0x39241720d354eb7);
  for (int first = 0; first <= 1; first++) {
    bodies = first;
    write_steps(0, 70, -1, 0);
    bodies = 1 - first;
    write_steps(40, 90, 30, 0);
    bodies = 0;
    AGREE(&ranks, columns_counted() == 7 + first);
    AGREE(&ranks, info_print(&ranks, path) == STATUS_DONE);
    bodies = first;
    AGREE(&ranks, frames_are_right(10, 0, first));
  }
  bodies = 0;
}

static void restarted(void **state)
{
  (void)state;
  write_steps(0, 70, -1, 1);
  write_steps(40, 90, 33, 1); /* frames of steps 40 to 70 go */
  AGREE(&ranks, frames_are_right(10, 1, 0));
  write_steps(0, 50, -1, 0);
  write_steps(0, 20, 0, 1); /* step 0 stays, and is not written again */
  AGREE(&ranks, frames_are_right(3, 0, 0));
  observed = 1;
  write_steps(0, 70, -1, 0);
  write_steps(40, 50, 33, 0);
  AGREE(&ranks, frames_are_right(6, 0, 0));
  observed = 0;
  if (ranks.rank == 0) unlink(path);
  ranks_barrier(&ranks);
  write_steps(0, 20, 5, 0); /* a lost file is begun again */
  AGREE(&ranks, frames_are_right(3, 0, 0));
}

/* A crash may leave datasets of different lengths, or a last frame of which no step was written. */
static void repaired(void **state)
{
  (void)state;
  for (int with_step = 0; with_step <= 1; with_step++) {
    write_steps(0, 30, -1, 0);
    struct h5_file f;
    struct system *s = sample_system(&ranks, 5, 30);
    h5_append(&f, &ranks, path);
    struct h5_series x = {"particles/trajectory/position/value", NULL, 'f', 3, s->n_total, -1};
    struct h5_series step = {"particles/trajectory/position/step", NULL, 'l', 0, 0, -1};
    h5_series_open(&f, &x);
    h5_series_open(&f, &step);
    h5_series_resize(&f, &x, 5);
    if (with_step) h5_series_resize(&f, &step, 5);
    H5(&f, H5Dclose, x.set);
    H5(&f, H5Dclose, step.set);
    h5_close(&f);
    system_destroy(s);
    AGREE(&ranks, info_print(&ranks, path) == STATUS_IO);
    write_steps(40, 60, 1000, 0);
    AGREE(&ranks, frames_are_right(7, 0, 0));
  }
}

/* Destroys a node of HDF5's indices of chunks: of all leaves the one whose first chunk has the
   highest frame, which stands behind the head of the node (24 bytes) and the size and filters of
   the chunk (8). */
static void node_destroy(void)
{
  static char all[1 << 22];
  if (ranks.rank > 0) return;
  FILE *file = fopen(path, "r+b");
  long size = (long)fread(all, 1, sizeof all, file), last = -1;
  int64_t frame, highest = 0;
  for (long k = 0; k + 40 < size; k++) {
    if (memcmp(all + k, "TREE\1\0", 6) != 0) continue; /* chunks, a leaf */
    memcpy(&frame, all + k + 32, sizeof frame);
    if (frame < highest) continue;
    highest = frame;
    last = k;
  }
  assert_true(last > 0 && highest > 0 && size < (long)sizeof all);
  fseek(file, last, SEEK_SET);
  fputs("torn", file);
  fclose(file);
}

/* Frames of the file, by its clock; rank 0's answer. */
static int64_t frames_counted(void)
{
  struct h5_reader in;
  struct trajectory_index c;
  h5_reader_open(&in, path);
  trajectory_scan(&in, &c);
  int64_t frames = c.frames;
  h5_reader_close(&in);
  trajectory_index_free(&c);
  ranks_broadcast(&ranks, &frames, sizeof frames);
  return frames;
}

/* A kill can leave what HDF5 cannot go on with: it is set aside under a name of its own, and the
   frames that can be read are saved. On one and two ranks twice, then with more elements. */
static void salvaged(void **state)
{
  (void)state;
  static const char *const aside[] = {"test_mpi_trajectory.h5md.damaged",
                                      "test_mpi_trajectory.h5md.damaged2"};
  for (int k = 0; k < 2 && ranks.rank == 0; k++)
    unlink(aside[k]);
  for (int k = 0; k < (ranks.size > 2 ? 1 : 2); k++) {
    bodies = observed = k;
    write_steps(0, 2000, -1, 0);
    node_destroy();
    ranks_barrier(&ranks);
    AGREE(&ranks, ranks.rank > 0 || access(aside[k], F_OK) != 0);
    write_steps(1, 0, 1950, 0); /* opens it, no more */
    const int64_t saved = frames_counted(), next = 10 * saved;
    AGREE(&ranks, access(aside[k], F_OK) == 0 && saved > 50 && saved < 196);
    AGREE(&ranks, frames_are_right(saved, 0, k));
    write_steps(next, next, next - 10, 0);
    AGREE(&ranks, frames_are_right(saved + 1, 0, k));
  }
  bodies = observed = 0;
}

static void locked(void **state)
{
  (void)state;
  int lock = lock_take(&ranks, prefix);
  AGREE(&ranks, (lock >= 0) == (ranks.rank == 0));
  AGREE(&ranks, access("test_mpi_trajectory.lock", F_OK) == 0);
  lock_release(&ranks, prefix, lock);
  AGREE(&ranks, ranks.rank > 0 || access("test_mpi_trajectory.lock", F_OK) != 0);
  lock = lock_take(&ranks, prefix);
  lock_release(&ranks, prefix, lock);
}

/* Files for Python: a state of each frame beside the trajectory. */
static int write_files(const char *name)
{
  char file[256];
  bodies = observed = 1;
  struct system *s = make_system(&ranks, 5);
  struct trajectory *t = trajectory_open(&ranks, name, s, -1, request(1));
  for (int64_t step = 0; step <= 40; step += 20) {
    move_to(s, step);
    trajectory_write(t, s, NULL, values_at(step));
    snprintf(file, sizeof file, "%s.%lld.h5", name, (long long)step);
    state_write(&ranks, file, s, NULL);
  }
  trajectory_close(t);
  system_destroy(s);
  return 0;
}

static int continue_files(const char *name, int64_t step, int64_t lipids)
{
  int lock = lock_take(&ranks, name);
  bodies = observed = 1;
  struct system *s = make_system(&ranks, lipids);
  struct trajectory *t = trajectory_open(&ranks, name, s, step, request(1));
  while (access("go", F_OK) != 0) { /* as long as Python wants the lock to be held */
    usleep(20000);
  }
  trajectory_close(t);
  system_destroy(s);
  lock_release(&ranks, name, lock);
  return 0;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written),           cmocka_unit_test(restarted),
      cmocka_unit_test(elements_kept),     cmocka_unit_test(read_by_blocks),
      cmocka_unit_test(reads_are_refused), cmocka_unit_test(repaired),
      cmocka_unit_test(salvaged),          cmocka_unit_test(locked)};
  int failed;
  ranks_open(&ranks, &argc, &argv);
  if (argc == 3)
    failed = write_files(argv[2]);
  else if (argc == 5)
    failed = continue_files(argv[2], atoll(argv[3]), atoll(argv[4]));
  else
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
