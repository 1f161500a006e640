/* Kick and drift of blocks of beads. Arrays of a block hold x, y and z of one bead after the other,
   as in memory; what depends on the bead or the axis is repeated in arrays of the same order. So
   all loops are over numbers, without a branch. Beads that rotate are copied to arrays with one
   element for each bead: rods (two axes with inertia) and bodies with three apart. */
#if defined(__GNUC__) && !defined(__clang__)
/* GCC 12 joins pairs of a sum and a difference into fused operations, with other bits, in spite of
   -ffp-contract=off. */
#pragma GCC optimize("no-tree-slp-vectorize")
#define LANES_APART _Pragma("GCC ivdep")
#else
#define LANES_APART
#endif

#include <string.h>

#include "cpu/force_cpu.h"

enum { NUMBERS = 3 * MOVE_BLOCK };

/* What depends on the axis. scaled: 0 if momenta and box stay as they are. */
struct axes {
  int scaled;
  double stretch[NUMBERS], box[NUMBERS];
  const double *oblique; /* the box if it is; else NULL */
};

/* A block: its beads begin at `first`, and it has n numbers. */
struct block {
  int first, n;
  double p[NUMBERS], inverse_mass[NUMBERS];
  double moved2[NUMBERS]; /* square of the distance moved, nm2; infinity beyond half of the box */
  int32_t x[NUMBERS], image[NUMBERS];
  uint32_t residual[NUMBERS];
  int keeps[NUMBERS]; /* 1 for a bead that the block does not move; not set without clusters */
  int holds[NUMBERS]; /* 1 along axes along which a bead is frozen; not set without such beads */
};

static int team_at(const struct move_job *job, int i)
{
  return job->team ? team_number(job->team[i]) : 0;
}

static int frozen_at(const struct move_job *job, int i)
{
  return job->frozen ? team_frozen(job->team[i]) : 0;
}

static void axes_set(struct axes *a, const struct move_job *job, const struct integrate_params *m)
{
  const struct scaling *s = &m->scaling;
  a->scaled = 0;
  for (int k = 0; k < TEAMS_MOST; k++) {
    a->scaled |= s->scale[k] != 1;
    for (int d = 0; d < 3; d++)
      a->scaled |= s->shift[k][d] != 0;
  }
  for (int k = 0; k < 3; k++)
    a->scaled |= s->stretch[k] != 1;
  a->oblique = box_is_oblique(job->box) ? job->box : NULL;
  for (int c = 0; c < NUMBERS; c++) {
    a->stretch[c] = s->stretch[c % 3];
    a->box[c] = job->box[c % 3];
  }
}

static void block_load(struct block *b, const struct move_job *job)
{
  const size_t at = 3 * (size_t)b->first, n = (size_t)b->n;
  const int32_t *type = job->beads.type + b->first;
  memcpy(b->x, job->beads.position + at, n * sizeof *b->x);
  memcpy(b->image, job->beads.image + at, n * sizeof *b->image);
  memcpy(b->residual, job->beads.residual + at, n * sizeof *b->residual);
  memset(b->moved2, 0, sizeof b->moved2);
  for (int k = 0; 3 * k < b->n; k++)
    for (int c = 3 * k; c < 3 * k + 3; c++)
      b->inverse_mass[c] = job->inertia[type[k]].inverse_mass;
  for (int c = 0; job->member && c < b->n; c++)
    b->keeps[c] = job->member[b->first + c / 3];
  for (int c = 0; job->frozen && c < b->n; c++)
    b->holds[c] = frozen_at(job, b->first + c / 3) >> c % 3 & 1;
}

/* Takes away the momenta along frozen axes. */
static void block_hold(struct block *b, const struct move_job *job)
{
  for (int c = 0; job->frozen && c < b->n; c++)
    b->p[c] = b->holds[c] ? 0 : b->p[c];
}

/* The momenta after a scaling of velocities, before the kick. */
static void block_scale(struct block *b, const struct move_job *job,
                        const struct integrate_params *m)
{
  const double *p = job->beads.momentum + 3 * (int64_t)b->first;
  for (int c = 0; c < b->n; c++) {
    const int i = b->first + c / 3, team = team_at(job, i);
    b->p[c] = m->scaling.scale[team] * p[c] -
              job->inertia[job->beads.type[i]].mass * m->scaling.shift[team][c % 3];
  }
}

/* Scaling, half a kick, and the momenta in the new box. */
static void block_push(struct block *b, const struct axes *a, const struct move_job *job,
                       const struct integrate_params *m)
{
  const double *p = job->beads.momentum + 3 * (int64_t)b->first,
               *force = job->force + 3 * (int64_t)b->first, h = 0.5 * m->dt;
  if (a->scaled) {
    block_scale(b, job, m);
#pragma omp simd
    for (int c = 0; c < b->n; c++)
      b->p[c] = (b->p[c] + h * force[c]) / a->stretch[c];
    return;
  }
#pragma omp simd
  for (int c = 0; c < b->n; c++)
    b->p[c] = p[c] + h * force[c];
}

/* Drift for a time h in an oblique box: body_drift. */
static void block_drift_oblique(struct block *b, const double *box, double h)
{
  for (int c = 0; c < b->n; c += 3) {
    double d[3], fraction[3];
    for (int k = 0; k < 3; k++)
      d[k] = h * b->p[c + k] * b->inverse_mass[c + k];
    box_fraction(box, d, fraction);
    for (int k = 0; k < 3; k++) {
      const double moved2 = fabs(fraction[k]) < 0.5 ? d[k] * d[k] : (double)INFINITY;
      b->moved2[c + k] = b->moved2[c + k] > moved2 ? b->moved2[c + k] : moved2;
      drift_position(&b->x[c + k], &b->residual[c + k], &b->image[c + k], fraction[k]);
    }
  }
}

/* The same in any box. */
static void block_drift(struct block *b, const struct axes *a, double h)
{
  if (a->oblique) {
    block_drift_oblique(b, a->oblique, h);
    return;
  }
#pragma omp simd
  for (int c = 0; c < b->n; c++) {
    const double d = h * b->p[c] * b->inverse_mass[c], fraction = d / a->box[c], d2 = d * d;
    const double moved2 = fabs(fraction) < 0.5 ? d2 : (double)INFINITY;
    b->moved2[c] = b->moved2[c] > moved2 ? b->moved2[c] : moved2;
    drift_position(&b->x[c], &b->residual[c], &b->image[c], fraction);
  }
}

/* What the noise of the beads of a block depends on. */
struct noise {
  int64_t id[MOVE_BLOCK];
  double decay[MOVE_BLOCK], kT[MOVE_BLOCK];
};

static void noise_set(struct noise *o, int l, const struct move_job *job,
                      const struct integrate_params *m, int i)
{
  o->id[l] = job->id[i];
  o->decay[l] = m->bath[team_at(job, i)].decay;
  o->kT[l] = m->bath[team_at(job, i)].kT;
}

/* Noise of the momenta. The noise of members of clusters is discarded. */
static void block_noise(struct block *b, const struct move_job *job,
                        const struct integrate_params *m)
{
  struct noise o;
  double mass[MOVE_BLOCK];
  const int beads = b->n / 3;
  for (int l = 0; l < beads; l++) {
    mass[l] = job->inertia[job->beads.type[b->first + l]].mass;
    noise_set(&o, l, job, m, b->first + l);
  }
  LANES_APART
  for (int l = 0; l < beads; l++) {
    const struct bath_noise bath = {o.decay[l], o.kT[l]};
    double p[3] = {b->p[3 * l], b->p[3 * l + 1], b->p[3 * l + 2]};
    noise_push(p, mass[l], &bath, m->seed, m->step, o.id[l]);
    for (int k = 0; k < 3; k++)
      b->p[3 * l + k] = p[k];
  }
}

/* 1 if a bead of the block may have moved too far in one of its drifts. */
static int block_is_torn(const struct block *b, const struct move_job *job, double most)
{
  double largest = 0;
  int torn = 0;
#pragma omp simd reduction(max : largest)
  for (int c = 0; c < b->n; c++)
    largest = largest > b->moved2[c] ? largest : b->moved2[c];
  if (3 * largest <= most * most) return 0;
  for (int c = 0; c < b->n; c += 3)
    torn |= !(job->member && b->keeps[c]) &&
            !(b->moved2[c] + b->moved2[c + 1] + b->moved2[c + 2] <= most * most);
  return torn;
}

static void block_store(const struct block *b, const struct move_job *job)
{
  const size_t at = 3 * (size_t)b->first, n = (size_t)b->n;
  double *p = job->beads.momentum + at;
  int32_t *x = job->beads.position + at, *image = job->beads.image + at;
  uint32_t *residual = job->beads.residual + at;
  if (!job->member) {
    memcpy(p, b->p, n * sizeof *p);
    memcpy(x, b->x, n * sizeof *x);
    memcpy(image, b->image, n * sizeof *image);
    memcpy(residual, b->residual, n * sizeof *residual);
    return;
  }
#pragma omp simd
  for (int c = 0; c < b->n; c++)
    p[c] = b->keeps[c] ? p[c] : b->p[c];
#pragma omp simd
  for (int c = 0; c < b->n; c++) {
    x[c] = b->keeps[c] ? x[c] : b->x[c];
    image[c] = b->keeps[c] ? image[c] : b->image[c];
    residual[c] = b->keeps[c] ? residual[c] : b->residual[c];
  }
}

/* Beads of a block that rotate alike: rods, or bodies with three axes. LANES_APART before a loop
   over them: iterations are independent. `omp simd` would keep the small arrays of the functions
   that are called in memory. */
struct spins {
  int n, bead[MOVE_BLOCK];
  double q[4][MOVE_BLOCK], j[3][MOVE_BLOCK], torque[3][MOVE_BLOCK], inverse_inertia[3][MOVE_BLOCK];
  double scale[MOVE_BLOCK];
  double far[MOVE_BLOCK]; /* the largest of the angles whose sines a polynomial has given */
};

static void spins_load(struct spins *s, const struct move_job *job,
                       const struct integrate_params *m)
{
  for (int l = 0; l < s->n; l++) {
    const int64_t i = s->bead[l];
    const struct body_type *t = &job->inertia[job->beads.type[i]];
    for (int k = 0; k < 4; k++)
      s->q[k][l] = job->beads.orientation[4 * i + k];
    for (int k = 0; k < 3; k++) {
      s->j[k][l] = job->beads.angular_momentum[3 * i + k];
      s->torque[k][l] = job->torque[3 * i + k];
      s->inverse_inertia[k][l] = t->inverse_inertia[k];
    }
    s->scale[l] = m->scaling.scale[team_at(job, (int)i)];
    s->far[l] = 0;
  }
}

/* Scaling and half a kick. */
static void spins_push(struct spins *s, double h)
{
  LANES_APART
  for (int l = 0; l < s->n; l++) {
    const double q[4] = {s->q[0][l], s->q[1][l], s->q[2][l], s->q[3][l]};
    const double torque[3] = {s->torque[0][l], s->torque[1][l], s->torque[2][l]};
    const double inverse_inertia[3] = {s->inverse_inertia[0][l], s->inverse_inertia[1][l],
                                       s->inverse_inertia[2][l]};
    double j[3] = {s->j[0][l] * s->scale[l], s->j[1][l] * s->scale[l], s->j[2][l] * s->scale[l]};
    rotation_kick(q, j, inverse_inertia, torque, h);
    for (int k = 0; k < 3; k++)
      s->j[k][l] = j[k];
  }
}

static inline double larger(double a, double b)
{
  return a > b ? a : b;
}

/* rotation_turn; the largest angle so far. */
static inline double turn_small(double q[4], double j[3], int k, double phi, double far)
{
  double sine, cosine;
  rotation_sincos_small(0.5 * phi, &sine, &cosine);
  rotation_turn_by(q, j, k, sine, cosine);
  return larger(far, fabs(0.5 * phi));
}

/* rotation_free of bodies with three axes. */
static void bodies_spin(struct spins *s, double h)
{
  LANES_APART
  for (int l = 0; l < s->n; l++) {
    const double ix = s->inverse_inertia[0][l], iy = s->inverse_inertia[1][l],
                 iz = s->inverse_inertia[2][l];
    double q[4] = {s->q[0][l], s->q[1][l], s->q[2][l], s->q[3][l]};
    double j[3] = {s->j[0][l], s->j[1][l], s->j[2][l]}, far = s->far[l];
    far = turn_small(q, j, 0, 0.5 * h * j[0] * ix, far);
    far = turn_small(q, j, 1, 0.5 * h * j[1] * iy, far);
    far = turn_small(q, j, 2, h * j[2] * iz, far);
    far = turn_small(q, j, 1, 0.5 * h * j[1] * iy, far);
    far = turn_small(q, j, 0, 0.5 * h * j[0] * ix, far);
    rotation_normalise(q);
    s->far[l] = far;
    for (int k = 0; k < 4; k++)
      s->q[k][l] = q[k];
    for (int k = 0; k < 3; k++)
      s->j[k][l] = j[k];
  }
}

/* rotation_free_linear. */
static void rods_spin(struct spins *s, double h)
{
  LANES_APART
  for (int l = 0; l < s->n; l++) {
    const double j[3] = {s->j[0][l], s->j[1][l], 0}, size = sqrt(j[0] * j[0] + j[1] * j[1]);
    const double half = 0.5 * h * size * s->inverse_inertia[0][l];
    double q[4] = {s->q[0][l], s->q[1][l], s->q[2][l], s->q[3][l]}, sine, cosine;
    rotation_sincos_small(half, &sine, &cosine);
    rotation_linear_by(q, j, size > 0 ? size : 1, sine, cosine);
    s->far[l] = larger(s->far[l], fabs(half));
    for (int k = 0; k < 4; k++)
      s->q[k][l] = size > 0 ? q[k] : s->q[k][l];
  }
}

/* Noise of the angular momenta. */
static void spins_noise(struct spins *s, const struct move_job *job,
                        const struct integrate_params *m)
{
  struct noise o;
  double inertia[3][MOVE_BLOCK];
  for (int l = 0; l < s->n; l++) {
    for (int k = 0; k < 3; k++)
      inertia[k][l] = job->inertia[job->beads.type[s->bead[l]]].inertia[k];
    noise_set(&o, l, job, m, s->bead[l]);
  }
  LANES_APART
  for (int l = 0; l < s->n; l++) {
    const struct bath_noise bath = {o.decay[l], o.kT[l]};
    const double about[3] = {inertia[0][l], inertia[1][l], inertia[2][l]};
    double j[3] = {s->j[0][l], s->j[1][l], s->j[2][l]};
    noise_turn(j, about, &bath, m->seed, m->step, o.id[l]);
    for (int k = 0; k < 3; k++)
      s->j[k][l] = j[k];
  }
}

/* Moves a bead by itself. 0, without a change, if it moves too far. */
static int bead_move(const struct move_job *job, const struct integrate_params *m, int i)
{
  struct body b = body_load(&job->beads, job->force, job->torque, i);
  if (job->team) body_set_team(&b, job->team[i]);
  const double d2 = body_move(&b, &job->inertia[job->beads.type[i]], m, &m->scaling, job->box,
                              box_is_oblique(job->box), m->step, job->id[i]);
  if (!(d2 <= m->max_displacement * m->max_displacement)) return 0;
  body_store(&b, &job->beads, i);
  return 1;
}

/* Beads that have turned too far for the polynomial are moved by themselves. */
static void spins_store(const struct spins *s, const struct move_job *job,
                        const struct integrate_params *m)
{
  for (int l = 0; l < s->n; l++) {
    const int64_t i = s->bead[l];
    if (!(s->far[l] <= 0.5)) {
      bead_move(job, m, (int)i);
      continue;
    }
    for (int k = 0; k < 4; k++)
      job->beads.orientation[4 * i + k] = s->q[k][l];
    for (int k = 0; k < 3; k++)
      job->beads.angular_momentum[3 * i + k] = s->j[k][l];
  }
}

static void spins_move(struct spins *s, void (*spin)(struct spins *s, double h),
                       const struct move_job *job, const struct integrate_params *m)
{
  if (s->n == 0) return;
  spins_load(s, job, m);
  spins_push(s, 0.5 * m->dt);
  spin(s, m->noise ? 0.5 * m->dt : m->dt);
  if (m->noise) spins_noise(s, job, m);
  if (m->noise) spin(s, 0.5 * m->dt);
  spins_store(s, job, m);
}

/* 1 if bead i rotates, is in no cluster and is not wholly frozen. */
static int turns(const struct move_job *job, int i)
{
  return body_turns(&job->inertia[job->beads.type[i]]) && !(job->member && job->member[i]) &&
         frozen_at(job, i) != FROZEN_WHOLLY;
}

/* Rotates beads [first, end) of a block. */
static void block_turn(const struct move_job *job, const struct integrate_params *m, int first,
                       int end)
{
  struct spins rods, bodies;
  rods.n = bodies.n = 0;
  for (int i = first; i < end; i++) {
    if (!turns(job, i)) continue;
    struct spins *s = job->inertia[job->beads.type[i]].inverse_inertia[2] > 0 ? &bodies : &rods;
    s->bead[s->n++] = i;
  }
  spins_move(&rods, rods_spin, job, m);
  spins_move(&bodies, bodies_spin, job, m);
}

/* A block of beads first ... end - 1, or bead by bead if one may have moved too far. Returns the
   first bead that has; end if there is none. */
static int block_move(const struct move_job *job, const struct integrate_params *m,
                      const struct axes *a, int first, int end)
{
  struct block b = {.first = first, .n = 3 * (end - first)};
  block_load(&b, job);
  block_push(&b, a, job, m);
  block_hold(&b, job);
  block_drift(&b, a, m->noise ? 0.5 * m->dt : m->dt);
  if (m->noise) block_noise(&b, job, m);
  block_hold(&b, job);
  if (m->noise) block_drift(&b, a, 0.5 * m->dt);
  if (block_is_torn(&b, job, m->max_displacement)) {
    for (int i = first; i < end; i++)
      if (!(job->member && job->member[i]) && !bead_move(job, m, i)) return i;
    return end;
  }
  block_turn(job, m, first, end); /* may move single beads: from the state before */
  block_store(&b, job);
  return end;
}

extern move_function NAME(move_, KERNEL_NAME);
int NAME(move_, KERNEL_NAME)(const struct move_job *job, const struct integrate_params *m,
                             int begin, int end)
{
  struct axes a;
  axes_set(&a, job, m);
  for (int first = begin; first < end; first += MOVE_BLOCK) {
    const int last = end - first < MOVE_BLOCK ? end : first + MOVE_BLOCK;
    const int far = block_move(job, m, &a, first, last);
    if (far < last) return far;
  }
  return end;
}

extern kick_function NAME(kick_, KERNEL_NAME);
void NAME(kick_, KERNEL_NAME)(const struct move_job *job, double h, int begin, int end)
{
  double *p = job->beads.momentum;
  const int64_t numbers = 3 * (int64_t)end;
  if (!job->member) {
#pragma omp simd
    for (int64_t c = 3 * (int64_t)begin; c < numbers; c++)
      p[c] += h * job->force[c];
  }
  for (int i = begin; i < end; i++) {
    for (int64_t c = 3 * (int64_t)i; job->member && !job->member[i] && c < 3 * (int64_t)i + 3; c++)
      p[c] += h * job->force[c];
    for (int d = 0; job->frozen && d < 3; d++)
      if (frozen_at(job, i) >> d & 1) p[3 * (int64_t)i + d] = 0;
    if (turns(job, i))
      rotation_kick(
          job->beads.orientation + 4 * (int64_t)i, job->beads.angular_momentum + 3 * (int64_t)i,
          job->inertia[job->beads.type[i]].inverse_inertia, job->torque + 3 * (int64_t)i, h);
  }
}
