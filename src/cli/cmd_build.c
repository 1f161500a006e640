/* lamella build SPEC.yaml -o START.h5 */
#include "base/box_shape.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "input/build_spec.h"
#include "io/state.h"
#include "md/enforce.h"
#include "md/membrane.h"
#include "md/minimise.h"
#include "setup/build.h"
#include "setup/motion.h"
#include "setup/replicate.h"

static const struct option_help options[] = {
    {"output", "START.h5", NULL, .help = "the state file", .file = FILE_WRITTEN, .letter = "o",
     .required = 1},
    {0},
};

static const char spec_help[] =
    "SPEC.yaml (nm, kJ/mol, K):\n"
    "  forcefield: elba                   name or path\n"
    "  seed: 1                            of places, orientations and momenta\n"
    "  temperature: 303                   of the momenta; 0: at rest\n"
    "  bilayer:                           one of bilayer, water, lattice, state\n"
    "    upper: {DOPC: 64}                lipids by count, any mix\n"
    "    lower: {DOPC: 48, DOPE: 16}\n"
    "    area_per_lipid: 0.72             of the fuller leaflet\n"
    "    water_per_lipid: 33\n"
    "    water: W                         default: only molecule of one bead of the force field\n"
    "    water_density: 998               kg/m3; a bead is one H2O, or what its mass says\n"
    "  water: {count: 8000, density: 998, molecule: W}\n"
    "  lattice: {type: fcc, cells: [16, 16, 16], density: 0.8442, molecule: LJ}\n"
    "                                     sc, bcc or fcc; beads per nm3; orientation: random\n"
    "                                     or aligned, with axis: x, y or z\n"
    "  state: FILE.h5                     an existing state, momenta kept unless temperature is "
    "given\n"
    "  replicate: [1, 1, 1]               copies along x, y, z\n"
    "  minimise: {max_steps: 1000, force: 1000}   or no; kJ/mol/nm where it stops. Default: as "
    "here\n"
    "                                     for bilayer and water, no for lattice and state.\n"
    "                                     soft: [0.05, 0.01]: before with soft cores at these "
    "lambdas,\n"
    "                                     for beads on top of each other\n";

static struct system *build_base(const struct ranks *r, struct build_spec *spec)
{
  switch (spec->kind) {
  case BUILD_BILAYER:
    return bilayer_build(r, spec);
  case BUILD_WATER:
    return water_build(r, spec);
  case BUILD_LATTICE:
    return lattice_build(r, spec);
  case BUILD_STATE:
    break;
  }
  return state_read(r, spec->state);
}

static struct system *replicate(const struct ranks *r, struct system *s, const int count[3])
{
  struct system *whole = replicate_gather(r, s);
  struct forcefield *ff = forcefield_share(s->ff);
  system_destroy(s);
  s = replicate_whole(r, whole, count, ff);
  system_destroy(whole);
  return s;
}

/* A state that had no places of restraints has none afterwards. */
static void minimise(struct ranks *r, struct system *s, const struct build_spec *spec)
{
  const struct minimise_options limits = {
      .max_steps = spec->max_steps, .force = spec->force, .soft = spec->soft};
  const int has_anchors = s->topology.anchors.n > 0;
  minimise_system(r, s, &limits);
  if (!has_anchors) topology_forget_anchors(&s->topology);
}

/* Minimises before replicating if the small box is large enough for its forces: copies of a minimum
   are a minimum, too. The state that is made keeps the places of restraints, but copies have none
   until a run begins from them. */
static struct system *build(struct ranks *r, struct build_spec *spec)
{
  struct system *s = build_base(r, spec);
  const int *count = spec->replicate;
  char box[BOX_TEXT];
  int early = spec->minimise && output_file_box_suffices(r, s);
  const int copied = count[0] > 1 || count[1] > 1 || count[2] > 1;
  if (copied && s->topology.anchors.n > 0) {
    warn("the places of restraints are not copied: a run takes those where beads then are");
    topology_forget_anchors(&s->topology);
  }
  if (early && copied)
    info("minimise: the patch that will be copied, %s", box_text(s->box, 'g', 5, box));
  if (early) minimise(r, s, spec);
  if (copied) s = replicate(r, s, count);
  const int suffices = output_file_box_suffices(r, s);
  if (spec->minimise && !early && suffices) minimise(r, s, spec);
  if (spec->minimise && !suffices) warn("not minimised: the box is too small for the cutoff");
  if (spec->temperature >= 0) motion_draw(r, s, spec->temperature, spec->seed);
  enforce_system(r, s, ENFORCE_LENGTHS);
  return s;
}

/* The lipids of a system: those of the leaflets that were built, or by default. */
static struct lipids *lipids_of(const struct ranks *r, const struct build_spec *spec,
                                const struct system *s)
{
  struct lipids *l = lipids_create(s->ff);
  membrane_judge(r, s, l);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < spec->leaflet[side].n_molecules; k++) {
      const int molecule = spec->leaflet[side].molecule[k];
      if (!l->type[molecule].is_lipid)
        warn("%s is in a leaflet, and is no lipid by its head and tail: list it and all others in "
             "run files, membrane: {lipids: [...]}",
             s->ff->molecule[molecule].name);
      lipids_include(l, molecule);
    }
  l->is_flat = spec->replicate[2] > 1;
  return l;
}

static int build_run(struct ranks *r, const struct arguments *a)
{
  struct output_file out = output_file_lock(r, arguments_value(a, "output"));
  struct build_spec *spec = build_spec_load(arguments_operand(a, 0));
  if (r->rank == 0 && spec->state) arguments_spare(a, spec->state);
  if (r->rank == 0) arguments_spare(a, spec->forcefield);
  struct system *s = build(r, spec);
  struct lipids *lipids = lipids_of(r, spec, s);
  output_file_state(&out, s, lipids, spec->replicate[2]);
  lipids_destroy(lipids);
  system_destroy(s);
  build_spec_destroy(spec);
  output_file_release(&out);
  return STATUS_DONE;
}

const struct command command_build = {
    .name = "build",
    .operands = "SPEC.yaml",
    .least = 1,
    .most = 1,
    .summary = "Makes a bilayer, water, a lattice or copies of a state, and writes a state file",
    .more = spec_help,
    .option = options,
    .run = build_run,
};
