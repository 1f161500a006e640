/* Area and volume per lipid, thickness, and their elastic moduli from fluctuations:
   K_A = kT <A>/(<A^2> - <A>^2) and the same of the volume (models of Feller and Pastor, J. Chem.
   Phys. 111, 1281, 1999). */
#include <math.h>

#include "base/log.h"
#include "base/units.h"
#include "observe/bilayer.h"

struct membrane {
  struct bilayer bilayer;
  double solvent_volume; /* nm3, of all beads of no lipid; NaN: unknown */
};

#define WATER_VOLUME 0.030 /* nm3, of a molecule of H2O */

enum { HEIGHTS = 4 }; /* words: sums of heights and numbers of lipids of both leaflets */
/* Area, its square, volume, its square (box); area and volume per lipid; heights. */
enum { AREA, AREA2, VOLUME, VOLUME2, AREA_LIPID, VOLUME_LIPID, THICKNESS, UPPER, LOWER, VALUES };

#define HEIGHT_SCALE 1073741824.0 /* 2^30 a nm */

/* The volume of a molecule that is neither lipid nor solvent, such as a protein, is unknown. 1 if
   there is one, and a warning. */
static int has_others(const struct observe_system *a)
{
  for (int k = 0; k < a->n_species; k++) {
    const int molecule = a->species[k].molecule_type;
    if (molecule < 0 || a->species[k].is_lipid || forcefield_is_solvent(a->ff, molecule)) continue;
    warn(
        "observe: volume_per_lipid has no number: %s is neither lipid nor water, and its volume is "
        "unknown. List it in membrane: {lipids: [...]} if it is a lipid, or give 'membrane' "
        "water_volume, the volume of a bead that is in no lipid",
        a->ff->molecule[molecule].name);
    return 1;
  }
  return 0;
}

void observe_membrane_open(struct observable *o, struct yaml_tree *t, int options)
{
  struct membrane *m = o->own = observe_memory(o, 1, sizeof *m);
  bilayer_open(&m->bilayer, o, t, options);
  const int node = yaml_get(t, options, "water_volume");
  const double given = yaml_real(t, node, WATER_VOLUME, 0, 1e3);
  m->solvent_volume = given * (double)(node ? o->about->solvent : o->about->waters);
  const int64_t solvent = o->about->solvent;
  if (!node && has_others(o->about)) m->solvent_volume = (double)NAN;
  if (solvent > 0 && !isnan(m->solvent_volume))
    observable_chose(o, "water_volume: %.6g", m->solvent_volume / (double)solvent);
  observable_chose(o, "temperature: %g", o->about->temperature);
  o->words = HEIGHTS;
  o->values = VALUES;
  observable_add_table(o, "membrane", NULL, NULL, 1);
  observable_add_column(o, "area", "nm2", AREA_LIPID);
  observable_add_column(o, "volume_per_lipid", "nm3", VOLUME_LIPID);
  observable_add_column(o, "thickness", "nm", THICKNESS);
  observable_add_column(o, "thickness_upper", "nm", UPPER);
  observable_add_column(o, "thickness_lower", "nm", LOWER);
  observable_add_column(o, "area_compressibility", "mN m-1", OBSERVE_DERIVED);
  observable_add_column(o, "bulk_modulus", "bar", OBSERVE_DERIVED);
}

void observe_membrane_collect(const struct observable *o, const struct observe_frame *f,
                              int64_t *word)
{
  const struct membrane *m = o->own;
  const struct bilayer_lipid *p = bilayer_poses(&m->bilayer, o, f, observe_flat_words(o, word));
  for (int64_t k = 0; k < m->bilayer.lipids; k++) {
    const int lower = p[k].pose.leaflet < 0;
    if (!p[k].headed && m->bilayer.headed > 0) continue;
    word[lower] += llrint(p[k].pose.leaflet * p[k].height * HEIGHT_SCALE);
    word[2 + lower]++;
  }
}

void observe_membrane_sample(struct observable *o, const struct observe_frame *f,
                             const int64_t *word, double *value)
{
  const struct membrane *m = o->own;
  const double area = f->box[0] * f->box[1], volume = area * f->box[2];
  const double lipids = (double)m->bilayer.all;
  value[AREA] = area;
  value[AREA2] = area * area;
  value[VOLUME] = volume;
  value[VOLUME2] = volume * volume;
  value[AREA_LIPID] = 2 * area / lipids;
  value[VOLUME_LIPID] = (volume - m->solvent_volume) / lipids;
  for (int k = 0; k < 2; k++)
    value[UPPER + k] =
        word[2 + k] ? (double)word[k] / HEIGHT_SCALE / (double)word[2 + k] : (double)NAN;
  value[THICKNESS] = value[UPPER] + value[LOWER];
}

/* kT <v>/(<v^2> - <v>^2), kJ/mol over the unit of v; NaN where v is constant. */
static double modulus(double kT, double mean, double square)
{
  const double variance = square - mean * mean;
  return variance > 1e-14 * mean * mean ? kT * mean / variance : (double)NAN;
}

void observe_membrane_derive(const struct observable *o, const double *mean, double *result)
{
  const double kT = UNITS_BOLTZMANN * o->about->temperature;
  /* 1 kJ/(mol nm2) = 1.6605390672 mN/m */
  result[5] = modulus(kT, mean[AREA], mean[AREA2]) * (UNITS_BAR / 10);
  result[6] = modulus(kT, mean[VOLUME], mean[VOLUME2]) * UNITS_BAR;
}
