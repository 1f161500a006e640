#include "md/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/version.h"
#include "input/coordinate_lists.h"
#include "input/run_lists.h"
#include "md/anchors.h"
#include "md/biases.h"
#include "md/constraints.h"
#include "md/exchange.h"
#include "md/fields.h"
#include "md/groups.h"
#include "md/listcheck.h"
#include "md/membrane.h"
#include "md/neighbor.h"
#include "md/observers.h"
#include "md/partition.h"
#include "md/plumed.h"
#include "md/skin.h"
#include "md/teams.h"
#include "md/thread_count.h"
#include "molecules/whole_block.h"
#include "mpi/comm/heartbeat.h"
#include "pair/pair_pass.h"

/* Sets mass and the plan of pair passes from the beads of all ranks. */
static void count_all(struct sim *s)
{
  const struct system *y = s->system;
  const struct census c = groups_census(s->ranks, y);
  s->mass = c.mass;
  const struct soft_core soft = groups_soft_core(s);
  s->plan = pair_plan_soft(y->ff, c.present, &soft);
}

static void backend_make(struct sim *s, const struct backend_ops *ops)
{
  const struct params *p = s->params;
  struct backend_probe probe = {0};
  ops->probe(&probe);
  int64_t level = probe.level;
  ranks_min_int64(s->ranks, &level, 1);
  const struct backend_config c = {
      .precision = p->run_precision,
      .level = (int)level,
      .device = s->ranks->on_node,
      .threads = thread_count(s->ranks, p),
      .ranks = s->ranks->size,
      .n_total = s->system->n_total,
      .partners = pair_partners(&s->plan, s->system->lists.skin, system_density(s->system)),
      .ff = s->restraints.ff,
      .plan = &s->plan,
      .topology = s->restraints.topology,
      .lipid = s->lipid_env,
      .n_fields = s->n_fields,
      .field = s->field,
      .biases = s->biases,
      .teams = &s->teams,
      .prefix = p->output_prefix};
  s->backend = ops->create(&c);
}

static void refuse_unused_tension(const struct params *p)
{
  const struct ramp *tension = &p->barostat_surface_tension;
  if (p->barostat_type != BAROSTAT_NONE && (tension->n > 1 || tension->value[0] != 0) &&
      p->barostat_coupling != COUPLING_SURFACE_TENSION)
    die_all(STATUS_INPUT,
            "barostat.surface_tension is %g bar nm, and only barostat.coupling: surface_tension "
            "has a tension: set that, or leave it out",
            ramp_last(tension));
}

/* Status 2 if edges that change together have different compressibilities, or none changes. */
static void refuse_compressibility(const struct params *p)
{
  const double *c = p->barostat_compressibility;
  const int coupling = p->barostat_coupling;
  const int z_alone = coupling == COUPLING_CONSTANT_AREA || coupling == COUPLING_SURFACE_TENSION;
  const int changes = c[2] > 0 || (!z_alone && (c[0] > 0 || c[1] > 0));
  const int alike = coupling == COUPLING_ANISOTROPIC || coupling == COUPLING_CONSTANT_AREA ||
                    (c[0] == c[1] && (coupling != COUPLING_ISOTROPIC || c[1] == c[2]));
  if (p->barostat_type == BAROSTAT_NONE || (changes && alike)) return;
  die_all(STATUS_INPUT, "barostat.compressibility is [%g, %g, %g]: %s", c[0], c[1], c[2],
          !changes && z_alone ? "with this barostat.coupling that of z must be above 0"
          : !changes
              ? "no edge of the box would change; leave the barostat out"
              : "with barostat.coupling: isotropic all three must be equal, and those of x and "
                "y unless it is anisotropic");
}

static void restraints_choose(struct sim *s)
{
  double *strength = restraint_sets_read(s->params, s->system->ff);
  restraints_open(&s->restraints, s->system->ff, &s->system->topology, strength);
  free(strength);
}

/* Fluctuations under crescale are right to second order in its interval. */
static void warn_of_interval(const struct params *p)
{
  const double most = 0.1, interval = (double)p->barostat_every * p->run_dt;
  if (p->barostat_type == BAROSTAT_CRESCALE && interval > most * p->barostat_tau)
    warn("barostat.every, %lld steps of %g ps, is %.2g of barostat.tau: beyond %g fluctuations of "
         "the box are too large; take a smaller barostat.every or a larger barostat.tau",
         (long long)p->barostat_every, p->run_dt, interval / p->barostat_tau, most);
}

enum { IMAGE_MOST = 1 << 30 };

/* Status 2 if a count of the system does not fit its integers. A bead that starts within IMAGE_MOST
   crossings of the box cannot reach 2^31: each crossing takes many steps. */
static void refuse_size(const struct system *y)
{
  if (y->n_total > INT64_C(1) << SUM_BEADS_BITS)
    die_all(STATUS_INPUT, "%lld beads are more than 2^%d", (long long)y->n_total, SUM_BEADS_BITS);
  for (int64_t k = 0; k < y->n; k++)
    if (!system_has_motion(y, k))
      die(STATUS_INPUT, "bead %lld is of type %s, which has no mass, and is no virtual site",
          (long long)(y->first + k), y->ff->type[y->beads.type[k]].name);
  for (int64_t k = 0; k < 3 * y->n; k++)
    if (y->beads.image[k] > IMAGE_MOST || y->beads.image[k] < -IMAGE_MOST)
      die(STATUS_INPUT,
          "bead %lld has crossed the box %d times along %c, and at most 2^30 crossings are "
          "possible; start from a state with smaller image counts",
          (long long)(y->first + k / 3), y->beads.image[k], axis_name((int)(k % 3)));
}

/* Status 2 if there are more bonded terms than sums have room for. Collective. */
static void refuse_terms(const struct ranks *r, const struct system *y)
{
  const int *start = y->topology.term_start;
  int64_t terms = 0;
  for (int64_t k = 0; k < y->n; k++) {
    const int env = y->beads.bonded_env[k];
    if (env >= 0) terms += start[env + 1] - start[env];
  }
  ranks_sum_int64(r, &terms, 1);
  if (terms > SUM_TERMS_MEAN * y->n_total)
    die_all(STATUS_INPUT,
            "a bead takes part in %.1f bonded terms on average; at most %d are possible",
            (double)terms / (double)y->n_total, SUM_TERMS_MEAN);
}

/* Sets the members about the size of clusters. The margin is larger than the tolerance of
   constraints. Collective. */
static void cluster_reach_set(struct sim *s, const struct whole_block *w)
{
  const double margin = 1e-4;
  if (!topology_has_clusters(&s->system->topology)) return;
  const struct cluster_reach reach = whole_block_reach(w, s->system);
  s->cluster_reach = (1 + margin) * reach.now;
  s->cluster_bound = (1 + margin) * reach.ever;
  s->longest_constraint = reach.longest;
  ranks_max_double(s->ranks, &s->cluster_reach, 1);
  ranks_max_double(s->ranks, &s->cluster_bound, 1);
  ranks_max_double(s->ranks, &s->longest_constraint, 1);
}

/* Loads the beads of this rank's block of ids onto the backend; a cluster that lies in the blocks
   of two ranks is loaded whole by one. Collective. */
static void load(struct sim *s)
{
  struct system *y = s->system;
  struct whole_block w;
  if (y->n > INT32_MAX / 4) die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  refuse_size(y);
  refuse_terms(s->ranks, y);
  whole_block_open(&w, s->ranks, y);
  cluster_reach_set(s, &w);
  whole_block_release(&w, y);
  s->backend->ops->load(s->backend, (int)w.n, w.id, &w.beads);
  whole_block_close(&w);
}

void sim_load(struct sim *s)
{
  const struct coupling_state now = coupling_state_start(s->system->box);
  load(s);
  s->backend->ops->set_box(s->backend, &now, s->system->box);
}

/* Whether kernels give the same bits: those in double precision do, and those of CPUs in mixed
   precision, but for real_fma of floats without the instruction (v1). Names are
   "cpu, PRECISION_SET" or "cuda, PRECISION_ARCHITECTURE on GPU". */
static int kernels_agree(const char *one, const char *other)
{
  static const char without[] = "cpu, mixed_v1";
  if (strcmp(one, other) == 0) return 1;
  if (strstr(one, ", double_") && strstr(other, ", double_")) return 1;
  return strncmp(one, "cpu, mixed_", 11) == 0 && strncmp(other, "cpu, mixed_", 11) == 0 &&
         strcmp(one, without) != 0 && strcmp(other, without) != 0;
}

/* Only such kernels of the same version give the same bits: warns if they differ from those of
   the state, or between ranks. goes_on: 0 if the state is only read. Stores the name of the
   kernel in the system. */
static void kernel_note(struct sim *s, int goes_on)
{
  struct system *y = s->system;
  const char *kernel = s->backend->ops->describe(s->backend);
  goes_on &= y->lists.step >= 0;
  if (goes_on && y->run.kernel[0] && !kernels_agree(y->run.kernel, kernel))
    warn(
        "the state was computed by %s and goes on with %s: the trajectory is as correct as before, "
        "but not the same bit for bit",
        y->run.kernel, kernel);
  if (goes_on && y->run.git[0] && strcmp(y->run.git, LAMELLA_GIT))
    warn("the state was written by version %s of lamella and goes on with version %s: the "
         "trajectory is as correct as before, but may not be the same bit for bit",
         y->run.git, LAMELLA_GIT);
  char first[sizeof y->run.kernel];
  snprintf(first, sizeof first, "%s", kernel);
  ranks_broadcast(s->ranks, first, sizeof first);
  run_record_set_kernel(&y->run, first);
  int64_t same = kernels_agree(y->run.kernel, kernel);
  ranks_min_int64(s->ranks, &same, 1);
  if (!same)
    warn("the ranks compute with different kernels or GPU models, rank 0 with %s: another "
         "distribution of the ranks may give other bits",
         y->run.kernel);
}

/* Status 4 if box and build box of a state differ by more than is possible: lists expire before the
   box has shrunk by more than the skin, and no barostat lets it grow by half in one build. */
static void refuse_build_box(const struct sim *s)
{
  const struct system *y = s->system;
  const double most = fmax(1 + y->lists.skin / s->cutoff, 1.1), fastest = 1.5;
  static const char *const name[BOX] = {"edge along x", "edge along y", "edge along z",
                                        "tilt bx",      "tilt cx",      "tilt cy"};
  for (int k = 0; k < BOX; k++) {
    const double now = y->box[k], build = y->lists.box[k];
    const double tilt = now / y->box[k == 5], build_tilt = build / y->lists.box[k == 5];
    const int fits = k < 3 ? build <= most * now && now <= fastest * build
                           : fabs(tilt - build_tilt) <= 1e-6; /* no coupling changes it */
    if (!fits)
      die_all(STATUS_IO,
              "step %lld: the box %s is %g nm, and %g nm in the list build of the state "
              "(neighbor_list/box): they do not belong together. The file was changed after it was "
              "written; go on from another one",
              (long long)y->clock.step, name[k], now, build);
  }
}

/* A restart repeats the list build of its state. If positions and build do not belong to one run,
   the lists miss pairs, and no other check would find that: status 4. Loads the beads again. */
static void stored_lists_check(struct sim *s)
{
  struct system *y = s->system;
  refuse_build_box(s);
  system_exchange_positions(y);
  load(s);
  const int64_t lacking = neighbor_count_unlisted(s);
  system_exchange_positions(y);
  if (lacking > 0)
    die_all(STATUS_IO,
            "step %lld: the positions of the state do not belong to its list build (neighbor_list, "
            "beads/build_position): lists from it leave out %lld pairs inside the cutoff. The file "
            "was changed after it was written; go on from another one",
            (long long)y->clock.step, (long long)lacking);
  load(s);
  partition_balance_next(s);
}

/* Observables of temperature count degrees of freedom by types and molecules. */
static void refuse_temperatures(const struct sim *s)
{
  for (int k = 0; s->measured && teams_frozen(&s->teams) && k < s->measured->n; k++)
    if (!strcmp(s->measured->observable[k].kind->name, "temperature"))
      die_all(STATUS_INPUT, "observe: temperature is not measured where beads are frozen: leave it "
                            "out; the temperatures of PREFIX.csv leave frozen beads out");
}

/* Says which forces from outside of the beads act that pressure profiles leave out. */
static void say_outside(const struct sim *s)
{
  const int has[] = {s->n_fields > 0, s->system->topology.anchors.n > 0,
                     s->biases && s->biases->set.n_biases > 0, s->params->plumed[0] != 0};
  static const char *const name[] = {"external fields", "position restraints", "biases", "PLUMED"};
  char list[128] = "";
  for (int k = 0; k < 4; k++)
    if (has[k]) sprintf(list + strlen(list), "%s%s", list[0] ? ", " : "", name[k]);
  for (int k = 0; list[0] && s->measured && k < s->measured->n; k++)
    if (!strcmp(s->measured->observable[k].kind->name, "pressure"))
      info("observe: the profiles of '%s' are those of the forces between beads, without those of "
           "%s: `normal` is not flat where these act. The pressures of PREFIX.csv, barostats and "
           "the column `tension` have their virial",
           s->measured->observable[k].name, list);
}

static struct sim *sim_begin(struct ranks *r, const struct params *p, struct system *y)
{
  struct sim *s = alloc_array(1, sizeof *s);
  s->ranks = r;
  s->params = p;
  s->system = y;
  s->bits = sum_bits(y->n_total);
  timers_start(&s->timers);
  refuse_unused_tension(p);
  refuse_compressibility(p);
  return s;
}

struct sim *sim_create(struct ranks *r, const struct params *p, struct system *y,
                       enum sim_purpose purpose)
{
  struct sim *s = sim_begin(r, p, y);
  warn_of_interval(p);
  s->lipids = membrane_open(r, p, y);
  groups_open(s);
  forces_check(p, y->ff, y->n_total);
  fields_open(s);
  biases_open(s, purpose == SIM_RUN, purpose == SIM_MINIMISE);
  constraints_open(s);
  if (purpose != SIM_STATE) biases_check(s);
  anchors_complete(r, y);
  restraints_choose(s);
  count_all(s);
  s->n_lipids = membrane_count(r, y, s->lipids);
  s->lipid_env = membrane_envs(r, y, s->lipids);
  teams_open(s);
  teams_freeze(s);
  constraints_check(s);
  if (purpose == SIM_RUN) exchange_open(s);
  biases_find_state(s);
  if (purpose == SIM_RUN) constraints_start(s);
  s->cutoff = pair_range(&s->plan, y->ff, &y->topology);
  s->list_margin = s->cutoff - pair_smallest_cutoff(&s->plan);
  const struct backend_ops *ops = backend_choose(p->parallel_backend, r);
  if (y->lists.step < 0) list_build_set_skin(&y->lists, skin_first(s, ops));
  backend_make(s, ops);
  static const enum build_checks checks[] = {
      [SIM_RUN] = CHECK_BONDS, [SIM_STATE] = CHECK_REACH, [SIM_MINIMISE] = CHECK_PARTNERS};
  s->checks = checks[purpose];
  kernel_note(s, purpose != SIM_STATE);
  listcheck_choose(s);
  load(s);
  partition_create(s);
  const struct domain domain = regions_domain(&s->regions, r);
  transport_open(&s->transport, r, p->parallel_transport, &domain, s->backend->channel);
  box_refuse(s);
  if (purpose == SIM_RUN && y->lists.step < 0) skin_refuse_ranks(s);
  if (y->lists.step >= 0) stored_lists_check(s);
  heartbeat_step_begin(r);
  biases_start(s);
  neighbor_build(s, y->lists.step >= 0);
  biases_apply(s);
  s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
  constraints_balance(s, 0);
  thermo_update(s);
  biases_fetch(s);
  fields_start(s);
  heartbeat_step_end(r);
  s->measured = measured_create(r, p, y, s->lipids);
  refuse_temperatures(s);
  say_outside(s);
  if (s->measured) s->sampling = sampling_create();
  return s;
}

void sim_destroy(struct sim *s)
{
  if (!s) return;
  plumed_close(s);
  sampling_destroy(s->sampling);
  measured_destroy(s->measured);
  if (s->backend) {
    transport_close(&s->transport);
    regions_destroy(&s->regions);
    s->backend->ops->destroy(s->backend);
  }
  groups_close(s);
  fields_close(s);
  exchange_close(s);
  biases_close(s);
  teams_close(s);
  heat_baths_destroy(s->bath, s->n_baths);
  restraints_close(&s->restraints);
  lipids_destroy(s->lipids);
  free(s->lipid_env);
  free(s);
}

struct sim *sim_outline(struct ranks *r, const struct params *p, struct system *y)
{
  struct sim *s = sim_begin(r, p, y);
  s->lipids = membrane_lipids_read(p, y->ff);
  s->lipids->molecules = membrane_molecules(r, y);
  groups_open(s);
  forces_check(p, y->ff, y->n_total);
  fields_open(s);
  biases_open(s, 1, 0);
  constraints_open(s);
  restraints_choose(s);
  count_all(s);
  teams_open(s);
  constraints_check(s);
  exchange_open(s);
  s->measured = measured_create(r, p, y, s->lipids);
  refuse_temperatures(s);
  say_outside(s);
  return s;
}

struct params *sim_params_reference(void)
{
  struct params *p = params_load(NULL, 0, NULL);
  params_set_int(p, "run.precision", PRECISION_DOUBLE);
  params_set_int(p, "parallel.backend", BACKEND_CPU);
  params_set_real(p, "neighbor.skin", (double)NAN);
  params_set_text(p, "output.prefix", "");
  return p;
}
