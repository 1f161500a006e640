/* The forms of bonded terms as data, made from bonded_list.h. */
#ifndef BONDED_FORM_H
#define BONDED_FORM_H

#include <stdint.h>

#include "model/energy.h"

/* Sections of force fields, in the order of the terms of a bead; a section `bonds:` is called bond
   here. Files have no types of the last two: those of restraints are made from their force
   constants, those of excluded charges from the treatments with a reaction field. */
#define BONDED_SECTIONS_OF_FILES(S) S(bond) S(angle) S(dihedral)
#define BONDED_SECTIONS(S) BONDED_SECTIONS_OF_FILES(S) S(restraint) S(excluded)

enum bonded_section {
#define SECTION(name) SECTION_##name,
  BONDED_SECTIONS(SECTION)
#undef SECTION
      SECTIONS,
  SECTIONS_OF_FILES = SECTION_restraint
};

/* What a form reads: see bonded_list.h. */
enum bonded_reads {
  BONDED_READS_none,
  BONDED_READS_charges,
  BONDED_READS_anchor,
  BONDED_READS_order,
  BONDED_READS_table
};

enum bonded_form {
#define BONDED(section, form, ...) FORM_##section##_##form,
#include "model/bonded_list.h"
  FORMS
};

/* Its size is the largest number of beads of a form. */
union bonded_beads {
#define BONDED(section, form, beads, ...) char section##_##form[beads];
#include "model/bonded_list.h"
};

enum {
  BONDED_BEADS_MOST = (int)sizeof(union bonded_beads),
  BONDED_AXES_MOST = 3,
  BONDED_PARAMETERS_MOST = 6,
  /* The energy channels of bonded terms of files (energy_list.h). */
  BONDED_CHANNEL_FIRST = ENERGY_bond,
  BONDED_CHANNELS_END = ENERGY_external,
  BONDED_CHANNELS = BONDED_CHANNELS_END - BONDED_CHANNEL_FIRST
};

/* Bits of all forms; and of the forms that GPUs evaluate in the last pair pass of a bead, in
   addition to those of pair_set_bonded. If a force field has other forms, its bonded terms have a
   kernel of their own, so that they do not take registers from the pair kernel. */
#define BONDED_FORM(form) (UINT64_C(1) << FORM_##form)
#define BONDED_ALL_FORMS (~UINT64_C(0) >> (64 - FORMS))
#define BONDED_IN_PASSES                                                                           \
  (BONDED_FORM(bond_harmonic) | BONDED_FORM(angle_cosine_squared) | BONDED_FORM(angle_dipole) |    \
   BONDED_FORM(restraint_place) | BONDED_FORM(restraint_flat_bottomed))

/* Of a form of bonded terms, virtual sites or external fields. */
struct form_parameter {
  const char *name, *unit;
  double low, high, preset; /* preset: where a file does not give it */
  int optional;             /* 0: a file has to give it */
};

/* The members are those of a row of bonded_list.h. */
struct bonded_form_info {
  enum bonded_section section;
  const char *name;
  int beads, axes, reads, joins, channel;
  const char *formula;
  struct form_parameter parameter[BONDED_PARAMETERS_MOST + 1]; /* then one without a name */
};

extern const struct bonded_form_info bonded_form_info[FORMS];
/* "bond", "angle": of enum bonded_section. */
extern const char *const bonded_section_name[SECTIONS];
/* The rest length, nm, between the centres of the beads of a form that joins: r0, or with sites r0
   plus their offsets, the largest that is possible; a third of rmax (FENE); 0 of other forms. */
double bonded_rest(int form, const double *value);
/* How far from its centre along body z the site of a bead of a form lies, nm. */
double bonded_offset(int form, const double *value, int bead);
/* 1 if a form with these values takes an axis of a bead. */
int bonded_takes_axis(int form, const double *value, int bead);
/* 1 if the order of the beads of a form cannot be reversed. */
static inline int bonded_has_direction(const struct bonded_form_info *form)
{
  return form->axes > 0 || form->reads == BONDED_READS_order;
}
/* The fewest and the most beads of the forms of a section. */
void bonded_section_beads(int section, int *fewest, int *most);

#endif
