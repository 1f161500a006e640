/* Energies of frames of soft sticky dipole water in several kinds of arithmetic, and times of their
   force kernels by the memory of coefficients and records. Prints JSON; ends with status 1 where
   double precision does not give the energies of the file. */
#include <algorithm>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include <cuda_runtime.h>

#include "variants.h"

#define CUDA(call) cuda_check(call, #call)

#define V(name) extern const struct variant variant_##name;
VARIANTS(V)
#undef V

static const struct variant *const variants[] = {
#define V(name) &variant_##name,
    VARIANTS(V)
#undef V
};
enum { N_VARIANTS = (int)(sizeof variants / sizeof *variants), MIXED = 1 };

static const char *const coefficient_words[] = {
#define M(name) #name,
    COEFFICIENT_MEMORY(M)
#undef M
};
static const char *const record_words[] = {
#define M(name) #name,
    RECORD_MEMORY(M)
#undef M
};

enum { WARM = 10, LAUNCHES = 50 }; /* samples before the first that counts; launches of each */

struct options {
  const char *path, *name; /* name: of the variant that runs */
  int host, types, samples;
  double skin;
  struct run_options run;
};

/* Of one kind of arithmetic: energies of all frames (kJ/mol), and of the first frame the root mean
   square of the error of a force and of a torque, in that of the forces and torques in double. */
struct accuracy {
  std::vector<double> energy;
  double force_error, torque_error;
};

static void cuda_check(cudaError_t error, const char *call)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "variants: %s: %s\n", call, cudaGetErrorString(error));
  exit(3);
}

static struct choice choice_of(int coefficients, int records, int energies)
{
  const struct choice c = {coefficients, records, energies, 0, PASSES};
  return c;
}

struct evaluation {
  std::vector<double> force, torque;
  struct outcome outcome;
};

static void evaluation_reset(struct evaluation *e, int n)
{
  e->force.assign(3 * (size_t)n, 0);
  e->torque.assign(3 * (size_t)n, 0);
  e->outcome.force = e->force.data();
  e->outcome.torque = e->torque.data();
}

static void evaluate(const struct variant *v, const struct frame *f, int host,
                     struct evaluation *to)
{
  evaluation_reset(to, f->n);
  if (host) {
    v->host(f, &to->outcome);
    return;
  }
  void *data = v->create(f);
  v->launch(data, choice_of(COEFFICIENTS_shared, RECORDS_ldg, 1));
  v->result(data, &to->outcome);
  v->destroy(data);
}

static double difference(const std::vector<double> &a, const std::vector<double> &b)
{
  double square = 0, all = 0;
  for (size_t k = 0; k < b.size(); k++) {
    square += (a[k] - b[k]) * (a[k] - b[k]);
    all += b[k] * b[k];
  }
  return sqrt(square / all);
}

static double squares(const std::vector<double> &v)
{
  double sum = 0;
  for (double x : v)
    sum += x * x;
  return sum;
}

/* Does double precision agree with the references of a frame? */
static int is_right(const struct evaluation *e, const struct frame *f)
{
  static const char *const words[REFERENCES] = {"energy", "sum of squared forces",
                                                "sum of squared torques"};
  const double found[REFERENCES] = {e->outcome.energy[0] + e->outcome.energy[1], squares(e->force),
                                    squares(e->torque)};
  int right = 1;
  for (int k = 0; k < REFERENCES; k++) {
    if (fabs(found[k] - f->reference[k]) <= 1e-6 * fabs(f->reference[k])) continue;
    fprintf(stderr, "variants: %s: double precision gives %.10g, lamella energy %.10g\n", words[k],
            found[k], f->reference[k]);
    right = 0;
  }
  return right;
}

/* Adds a frame to the accuracy of every variant; 0 where double precision is wrong. */
static int accuracy_add(struct accuracy *a, const struct frame *f, int host, int first)
{
  struct evaluation exact, e;
  for (int k = 0; k < N_VARIANTS; k++) {
    struct evaluation *to = k == 0 ? &exact : &e;
    evaluate(variants[k], f, host, to);
    a[k].energy.push_back(to->outcome.energy[0] + to->outcome.energy[1]);
    if (!first) continue;
    a[k].force_error = difference(to->force, exact.force);
    a[k].torque_error = difference(to->torque, exact.torque);
  }
  return is_right(&exact, f);
}

/* LAUNCHES launches, one after the other. */
static cudaGraphExec_t graph_of(const struct variant *v, void *data, struct choice c)
{
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < LAUNCHES; k++)
    v->launch(data, c);
  CUDA(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  CUDA(cudaGraphInstantiate(&executable, graph, 0));
  CUDA(cudaGraphDestroy(graph));
  return executable;
}

/* Microseconds of a launch: the median over samples of LAUNCHES launches. */
static double time_of(const struct variant *v, void *data, struct choice c, int samples)
{
  std::vector<double> times;
  cudaEvent_t begin, end;
  float ms = 0;
  v->launch(data, c); /* loads the kernels */
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  const cudaGraphExec_t graph = graph_of(v, data, c);
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int s = -WARM; s < samples; s++) {
    CUDA(cudaEventRecord(begin, cudaStreamPerThread));
    CUDA(cudaGraphLaunch(graph, cudaStreamPerThread));
    CUDA(cudaEventRecord(end, cudaStreamPerThread));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    if (s >= 0) times.push_back(1e3 * (double)ms / LAUNCHES);
  }
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaGraphExecDestroy(graph));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/* "us": both passes, pass 0, pass 1. */
static void times_print(const struct variant *v, void *data, struct choice c, int samples)
{
  const int from[3] = {0, 0, 1}, to[3] = {PASSES, 1, 2};
  printf("\"us\": [");
  for (int k = 0; k < 3; k++) {
    c.first_pass = from[k];
    c.end_pass = to[k];
    printf("%s%.4f", k ? ", " : "", time_of(v, data, c, samples));
  }
  printf("]");
}

static void variant_print(const struct variant *v, const struct accuracy *a, const struct frame *f,
                          const struct options *o)
{
  printf("  {\"name\": \"%s\", \"bytes\": %d, \"force_error\": %.4g, \"torque_error\": %.4g,\n"
         "   \"energies\": [",
         v->name, v->bytes, a->force_error, a->torque_error);
  for (size_t k = 0; k < a->energy.size(); k++)
    printf("%s%.10g", k ? ", " : "", a->energy[k]);
  printf("]");
  if (!o->host) {
    void *data = v->create(f);
    printf(",\n   ");
    times_print(v, data, choice_of(COEFFICIENTS_shared, RECORDS_ldg, 0), o->samples);
    printf(", \"us_with_energies\": %.4f",
           time_of(v, data, choice_of(COEFFICIENTS_shared, RECORDS_ldg, 1), o->samples));
    v->destroy(data);
  }
  printf("}");
}

/* Every memory of coefficients and of records, mixed precision; 0 where forces differ from those of
   the first by a bit. */
static int memories_print(const struct frame *f, const struct options *o)
{
  const struct variant *v = variants[MIXED];
  struct evaluation first, e;
  int same = 1, n = 0;
  void *data = v->create(f);
  for (int c = 0; c < COEFFICIENT_MEMORIES; c++)
    for (int r = 0; r < RECORD_MEMORIES; r++) {
      const struct choice choice = choice_of(c, r, 0);
      struct evaluation *to = n ? &e : &first;
      evaluation_reset(to, f->n);
      v->launch(data, choice);
      v->result(data, &to->outcome);
      if (n && (e.force != first.force || e.torque != first.torque)) {
        fprintf(stderr, "variants: forces differ with coefficients %s, records %s, %d types\n",
                coefficient_words[c], record_words[r], f->n_types);
        same = 0;
      }
      printf("%s  {\"types\": %d, \"coefficients\": \"%s\", \"records\": \"%s\", ",
             n++ ? ",\n" : "", f->n_types, coefficient_words[c], record_words[r]);
      times_print(v, data, choice, o->samples);
      printf("}");
    }
  v->destroy(data);
  return same;
}

static struct options options_of(int argc, char **argv)
{
  struct options o = {NULL, "double", 0, 12, 21, 0.1, {0, 20, 0.001, 303, 0, 0}};
  for (int k = 1; k < argc; k++) {
    const int more = k + 1 < argc;
    if (strcmp(argv[k], "--host") == 0)
      o.host = 1;
    else if (strcmp(argv[k], "--types") == 0 && more)
      o.types = atoi(argv[++k]);
    else if (strcmp(argv[k], "--samples") == 0 && more)
      o.samples = atoi(argv[++k]);
    else if (strcmp(argv[k], "--skin") == 0 && more)
      o.skin = atof(argv[++k]);
    else if (strcmp(argv[k], "--run") == 0 && more)
      o.run.steps = atoll(argv[++k]);
    else if (strcmp(argv[k], "--every") == 0 && more)
      o.run.every = atoi(argv[++k]);
    else if (strcmp(argv[k], "--variant") == 0 && more)
      o.name = argv[++k];
    else if (argv[k][0] != '-' && !o.path)
      o.path = argv[k];
    else
      o.samples = 0;
  }
  o.run.host = o.host;
  o.run.skin = o.skin;
  if (o.path && o.types > 0 && o.types <= 16 && o.samples > 0 && o.skin >= 0 && o.run.every > 0)
    return o;
  fprintf(stderr, "Usage: variants FRAMES [--host] [--types 1..16] [--samples N] [--skin NM]\n"
                  "       variants FRAMES --run STEPS [--variant NAME] [--every N] [--skin NM] "
                  "[--host]\n"
                  "--host: on one core, no times. --types: of the second table of memories. --run: "
                  "NVE, 1 fs\n");
  exit(2);
}

static void machine_print(const struct options *o)
{
  struct cudaDeviceProp p;
  if (o->host) {
    printf("\"gpu\": null,\n");
    return;
  }
  CUDA(cudaGetDeviceProperties(&p, 0));
  printf("\"gpu\": \"%s\",\n", p.name);
}

/* The first frame again, with another number of types. */
static struct frame *first_frame(const struct options *o, int n_types)
{
  struct frames_head head;
  FILE *file = frames_open(o->path, &head);
  struct frame *f = frame_create(file, &head, n_types, o->skin);
  fclose(file);
  return f;
}

static int memories_of_types(const struct options *o)
{
  int same = 1;
  printf(",\n\"memories\": [\n");
  for (int k = 0; k < 2; k++) {
    struct frame *f = first_frame(o, k ? o->types : 1);
    if (k) printf(",\n");
    same &= memories_print(f, o);
    frame_destroy(f);
  }
  printf("]");
  return same;
}

static int run(const struct options *o)
{
  int found = 0;
  for (const struct variant *v : variants) {
    if (strcmp(v->name, o->name) != 0) continue;
    struct frame *f = first_frame(o, 1);
    run_print(v, f, &o->run);
    frame_destroy(f);
    found = 1;
  }
  if (!found) fprintf(stderr, "variants: there is no variant '%s'\n", o->name);
  return found ? 0 : 2;
}

int main(int argc, char **argv)
{
  const struct options o = options_of(argc, argv);
  if (o.run.steps > 0) return run(&o);
  struct accuracy accuracy[N_VARIANTS];
  struct frames_head head;
  FILE *file = frames_open(o.path, &head);
  struct frame *first = NULL;
  int right = 1;
  for (int64_t k = 0; k < head.frames; k++) {
    struct frame *f = frame_create(file, &head, 1, o.skin);
    right &= accuracy_add(accuracy, f, o.host, k == 0);
    if (k == 0)
      first = f;
    else
      frame_destroy(f);
  }
  fclose(file);
  printf("{\"beads\": %d, \"frames\": %lld, \"skin\": %g, \"candidates\": [%.3f, %.3f],\n",
         first->n, (long long)head.frames, o.skin, (double)first->list[0].candidates / first->n,
         (double)first->list[1].candidates / first->n);
  machine_print(&o);
  printf("\"variants\": [\n");
  for (int k = 0; k < N_VARIANTS; k++) {
    if (k) printf(",\n");
    variant_print(variants[k], &accuracy[k], first, &o);
  }
  printf("]");
  frame_destroy(first);
  if (!o.host) right &= memories_of_types(&o);
  printf("}\n");
  return right ? 0 : 1;
}
