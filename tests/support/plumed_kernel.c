/* A small library with the interface of PLUMED's, for tests: PLUMED_KERNEL. Its input file, a line
   each:

     pull N ID... M ID... K AT RATE   K/2 (|d| - AT - RATE t)^2, d from the centre of mass of the
                                      second group to that of the first, in a rectangular box
     place ID K                       K x of a bead in the box
     volume SLOPE                     SLOPE times the volume
     stride S                         all of it in every S-th step only
     note ENERGY                      asks for the potential energy in steps that it divides
     scale                            a force on the energy: forces are multiplied by 1.5
     stop STEP, fail STEP, crash STEP ends the run, reports an error, aborts at this step
     lone                             the first replica alone ends the run that gets there
     log TEXT                         written to the log

   Each step appends to the file kernel.out: the step, 1 for a checkpoint, energy, box vectors, time
   step and kT, and of each bead its number, mass, charge and position. A restart appends to it, a
   start begins it anew; of a replica to kernel.PID.out. Errors and calls out of order are reported
   as PLUMED reports them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { MOST = 64, LINES = 8 };

struct handler {
  void *argument;
  void (*call)(void *argument, int code, const char *message, const void *more);
};

struct pull {
  int n[2], bead[2][MOST];
  double k, at, rate;
};

struct kernel {
  int natoms, restart, begun, prepared, shared, checkpoint, precision;
  long step, stop, fail, crash;
  int stride, note, scale, lone, n_pulls, n_places, place[LINES], *stop_flag;
  double place_k[LINES], slope, kT, dt;
  const char *input;
  const void *leaders, *self; /* communicators */
  FILE *log, *out;
  struct pull pull[LINES];
  int list[2 * LINES * MOST], n_list;
  double *x, *f, *mass, *charge, *box, *virial, energy, bias;
  char error[1024];
};

static const char *fail(struct kernel *k, const char *what, const char *more)
{
  snprintf(k->error, sizeof k->error,
           "\n+++ PLUMED error\n+++ message follows +++\n%s%s\n+++ END PLUMED error\n", what, more);
  return k->error;
}

static int read_group(FILE *in, int *n, int *bead)
{
  if (fscanf(in, "%d", n) != 1 || *n < 1 || *n > MOST) return 0;
  for (int i = 0; i < *n; i++)
    if (fscanf(in, "%d", &bead[i]) != 1) return 0;
  return 1;
}

static const char *read_line(struct kernel *k, FILE *in, const char *word)
{
  struct pull *p = &k->pull[k->n_pulls];
  char text[256];
  if (!strcmp(word, "pull")) {
    if (!read_group(in, &p->n[0], p->bead[0]) || !read_group(in, &p->n[1], p->bead[1]) ||
        fscanf(in, "%lf %lf %lf", &p->k, &p->at, &p->rate) != 3)
      return fail(k, "a group or number is missing in: ", word);
    for (int g = 0; g < 2; g++)
      for (int i = 0; i < p->n[g]; i++)
        if (p->bead[g][i] > k->natoms) return fail(k, "no such atom in: ", word);
    k->n_pulls++;
  } else if (!strcmp(word, "log")) {
    if (!fgets(text, sizeof text, in)) return fail(k, "no text", "");
    fprintf(k->log, "PLUMED:%s", text);
  } else if (!strcmp(word, "place")) {
    if (k->n_places == LINES ||
        fscanf(in, "%d %lf", &k->place[k->n_places], &k->place_k[k->n_places]) != 2)
      return fail(k, "no number, or too many: ", word);
    k->n_places++;
  } else if (!strcmp(word, "scale")) {
    k->scale = 1;
  } else if (!strcmp(word, "lone")) {
    k->lone = 1;
  } else {
    const int read = !strcmp(word, "volume")   ? fscanf(in, "%lf", &k->slope)
                     : !strcmp(word, "stride") ? fscanf(in, "%d", &k->stride)
                     : !strcmp(word, "note")   ? fscanf(in, "%d", &k->note)
                     : !strcmp(word, "stop")   ? fscanf(in, "%ld", &k->stop)
                     : !strcmp(word, "fail")   ? fscanf(in, "%ld", &k->fail)
                     : !strcmp(word, "crash")  ? fscanf(in, "%ld", &k->crash)
                                               : 0;
    if (read != 1) return fail(k, "I cannot understand line: ", word);
  }
  return NULL;
}

static const char *init(struct kernel *k)
{
  const char *wrong = NULL;
  char word[64], name[64] = "kernel.out";
  FILE *in = fopen(k->input, "r");
  if (!in) return fail(k, "file cannot be found: ", k->input);
  while (!wrong && fscanf(in, "%63s", word) == 1)
    wrong = read_line(k, in, word);
  fclose(in);
  if (wrong) return wrong;
  if (k->precision != 8 || !k->natoms || !k->log || !(k->dt > 0))
    return fail(k, "not told enough", "");
  if (k->leaders) snprintf(name, sizeof name, "kernel.%d.out", (int)getpid());
  k->out = fopen(name, k->restart ? "a" : "w");
  fprintf(k->log, "PLUMED: %s %d atoms\n", k->restart ? "restart" : "start", k->natoms);
  k->begun = 1;
  return NULL;
}

static int by_number(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* What it wants in this step. */
static void prepare(struct kernel *k)
{
  int n = 0, all = 0;
  const int due = k->step % k->stride == 0;
  for (int p = 0; due && p < k->n_pulls; p++)
    for (int g = 0; g < 2; g++)
      for (int i = 0; i < k->pull[p].n[g]; i++)
        k->list[all++] = k->pull[p].bead[g][i] - 1;
  for (int p = 0; due && p < k->n_places; p++)
    k->list[all++] = k->place[p] - 1;
  qsort(k->list, (size_t)all, sizeof *k->list, by_number);
  for (int i = 0; i < all; i++)
    if (!n || k->list[n - 1] != k->list[i]) k->list[n++] = k->list[i];
  k->n_list = n;
  k->prepared = 1;
}

/* The mass, and 1 of a virtual site. */
static double weight(const struct kernel *k, int bead)
{
  return k->mass[bead - 1] > 0 ? k->mass[bead - 1] : 1;
}

static void centre(const struct kernel *k, const int n, const int *bead, double out[3],
                   double *mass)
{
  *mass = out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < n; i++) {
    const double m = weight(k, bead[i]);
    *mass += m;
    for (int d = 0; d < 3; d++) {
      const double first = k->x[3 * (bead[0] - 1) + d], edge = k->box[4 * d];
      const double off = k->x[3 * (bead[i] - 1) + d] - first;
      out[d] += m * (first + off - edge * rint(off / edge));
    }
  }
  for (int d = 0; d < 3; d++)
    out[d] /= *mass;
}

static void pull(struct kernel *k, const struct pull *p)
{
  double at[2][3], mass[2], d[3], r = 0;
  for (int g = 0; g < 2; g++)
    centre(k, p->n[g], p->bead[g], at[g], &mass[g]);
  for (int a = 0; a < 3; a++) {
    d[a] = at[0][a] - at[1][a];
    d[a] -= k->box[4 * a] * rint(d[a] / k->box[4 * a]);
    r += d[a] * d[a];
  }
  r = sqrt(r);
  const double off = r - p->at - p->rate * (double)k->step * k->dt;
  k->bias += 0.5 * p->k * off * off;
  for (int a = 0; a < 3; a++) {
    const double f = -p->k * off * d[a] / r;
    for (int g = 0; g < 2; g++)
      for (int i = 0; i < p->n[g]; i++)
        k->f[3 * (p->bead[g][i] - 1) + a] += (g ? -f : f) * weight(k, p->bead[g][i]) / mass[g];
    for (int b = 0; b < 3; b++)
      k->virial[3 * b + a] -= d[b] * f;
  }
}

static void note(const struct kernel *k)
{
  fprintf(k->out, "%ld %d %.17g %.17g %.17g", k->step, k->checkpoint,
          k->note && k->step % k->note == 0 ? k->energy : 0, k->dt, k->kT);
  for (int i = 0; i < 9; i++)
    fprintf(k->out, " %.17g", k->box[i]);
  for (int i = 0; i < k->n_list; i++) {
    const int j = k->list[i];
    fprintf(k->out, " %d %.17g %.17g %.17g %.17g %.17g", j + 1, k->mass[j], k->charge[j],
            k->x[3 * j], k->x[3 * j + 1], k->x[3 * j + 2]);
  }
  fprintf(k->out, "\n");
  fflush(k->out);
}

/* 1 for the first process that asks. */
static int is_first(void)
{
  FILE *file = fopen("kernel.lone", "wx");
  if (file) fclose(file);
  return file != NULL;
}

static const char *compute(struct kernel *k)
{
  const int due = k->step % k->stride == 0;
  if (!k->shared || !k->prepared) return fail(k, "performCalc out of order", "");
  if (k->step == k->fail) return fail(k, "An error happened while calculating d", "");
  if (k->step == k->crash) abort();
  k->bias = 0;
  for (int i = 0; k->scale && i < 3 * k->natoms; i++)
    k->f[i] *= 1.5;
  for (int p = 0; due && p < k->n_pulls; p++)
    pull(k, &k->pull[p]);
  for (int p = 0; due && p < k->n_places; p++) {
    const int i = 3 * (k->place[p] - 1);
    k->bias += k->place_k[p] * k->x[i];
    k->f[i] -= k->place_k[p];
    k->virial[0] += k->x[i] * k->place_k[p];
  }
  if (due && k->slope != 0) {
    const double v = k->box[0] * k->box[4] * k->box[8];
    k->bias += k->slope * v;
    for (int a = 0; a < 3; a++)
      k->virial[4 * a] += k->slope * v;
  }
  if (k->step == k->stop && (!k->lone || is_first())) *k->stop_flag = 1;
  note(k);
  k->shared = k->prepared = k->checkpoint = 0;
  return NULL;
}

/* Before "init", and in a step. NULL: no such command; "": done. */
static const char *begin_command(struct kernel *k, const char *key, const void *value)
{
  if (!strcmp(key, "setRealPrecision"))
    k->precision = *(const int *)value;
  else if (!strcmp(key, "setMDEngine"))
    return strcmp(value, "lamella") ? fail(k, "engine ", value) : "";
  else if (!strcmp(key, "setTimestep"))
    k->dt = *(const double *)value;
  else if (!strcmp(key, "setKbT"))
    k->kT = *(const double *)value;
  else if (!strcmp(key, "setRestart"))
    k->restart = *(const int *)value;
  else if (!strcmp(key, "setNatoms"))
    k->natoms = *(const int *)value;
  else if (!strcmp(key, "setPlumedDat"))
    k->input = value;
  else if (!strcmp(key, "setLog"))
    k->log = (FILE *)(size_t)value;
  else if (!strcmp(key, "GREX setMPIIntercomm"))
    k->leaders = value;
  else if (!strcmp(key, "GREX setMPIIntracomm"))
    k->self = value;
  else if (!strcmp(key, "GREX init"))
    return k->leaders && k->self ? "" : fail(k, "no communicators", "");
  else if (!strcmp(key, "init")) {
    const char *wrong = init(k);
    return wrong ? wrong : "";
  } else
    return NULL;
  return k->begun ? fail(k, "too late: ", key) : "";
}

static const char *set_pointer(struct kernel *k, const char *key, double *value)
{
  const struct {
    const char *name;
    double **to;
  } all[] = {{"setPositions", &k->x},    {"setForces", &k->f}, {"setMasses", &k->mass},
             {"setCharges", &k->charge}, {"setBox", &k->box},  {"setVirial", &k->virial}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(key, all[i].name)) continue;
    *all[i].to = value;
    return k->shared ? fail(k, "too late: ", key) : "";
  }
  return NULL;
}

static const char *step_command(struct kernel *k, const char *key, void *value)
{
  const char *done = set_pointer(k, key, value);
  if (done) return done;
  if (!k->begun) return fail(k, "before init: ", key);
  if (!strcmp(key, "setStopFlag"))
    k->stop_flag = value;
  else if (!strcmp(key, "setStepLong"))
    k->step = *(long *)value;
  else if (!strcmp(key, "prepareDependencies"))
    prepare(k);
  else if (!strcmp(key, "createFullList"))
    *(int *)value = k->n_list;
  else if (!strcmp(key, "getFullList"))
    *(const int **)value = k->list;
  else if (!strcmp(key, "clearFullList"))
    return "";
  else if (!strcmp(key, "isEnergyNeeded"))
    *(int *)value = k->note && k->step % k->note == 0;
  else if (!strcmp(key, "setEnergy"))
    k->energy = *(double *)value;
  else if (!strcmp(key, "doCheckPoint"))
    k->checkpoint = *(int *)value;
  else if (!strcmp(key, "shareData"))
    k->shared = 1;
  else if (!strcmp(key, "getBias"))
    *(double *)value = k->bias;
  else if (!strcmp(key, "performCalc")) {
    const char *wrong = compute(k);
    return wrong ? wrong : "";
  } else
    return fail(k, "cannot interpret ", key);
  return "";
}

static void *create(void)
{
  struct kernel *k = calloc(1, sizeof *k);
  k->stride = 1;
  k->stop = k->fail = k->crash = -1;
  return k;
}

static void finalize(void *plumed)
{
  struct kernel *k = plumed;
  if (k->out) fclose(k->out);
  if (k->log) fprintf(k->log, "PLUMED: the end\n");
  free(k);
}

static void command(void *plumed, const char *key, const void *value)
{
  (void)plumed, (void)key, (void)value;
  abort(); /* it would throw */
}

static void command_or_error(void *plumed, const char *key, const void *value,
                             struct handler handler)
{
  struct kernel *k = plumed;
  const char *said = begin_command(k, key, value);
  if (!said) said = step_command(k, key, (void *)(size_t)value);
  if (said[0]) handler.call(handler.argument, 20100, said, NULL);
}

#ifndef NO_TABLE
EXPORT struct {
  int version;
  void *(*create)(void);
  void (*command)(void *, const char *, const void *);
  void (*finalize)(void *);
  void (*command_or_error)(void *, const char *, const void *, struct handler);
} plumed_symbol_table = {
#ifdef VERSION
    VERSION,
#else
    2,
#endif
    create, command, finalize, command_or_error};
#endif
