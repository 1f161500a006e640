#include "model/bonded_form.h"

#include <math.h>
#include <string.h>

const struct bonded_form_info bonded_form_info[FORMS] = {
#define PARAMETER(name, unit, low, high) {#name, unit, low, high, 0, 0},
#define OPTIONAL(name, unit, low, high) {#name, unit, low, high, 0, 1},
#define BONDED(section, form, beads, axes, reads, joins, channel, set, formula, ...)               \
  {SECTION_##section, #form,   beads,        axes, BONDED_READS_##reads, joins,                    \
   ENERGY_##channel,  formula, {__VA_ARGS__}},
#include "model/bonded_list.h"
};

const char *const bonded_section_name[SECTIONS] = {
#define SECTION(name) #name,
    BONDED_SECTIONS(SECTION)
#undef SECTION
};

double bonded_offset(int form, const double *value, int bead)
{
  const struct bonded_form_info *f = &bonded_form_info[form];
  for (int k = 0; bead < f->axes && f->parameter[k].name; k++) {
    const char *name = f->parameter[k].name;
    if (name[0] == 'd' && name[1] == '0' + bead && name[2] == 0) return value[k];
  }
  return 0;
}

int bonded_takes_axis(int form, const double *value, int bead)
{
  const struct bonded_form_info *f = &bonded_form_info[form];
  const int has_angle = f->section == SECTION_angle && f->beads == 2 && bead == 0;
  return bead < f->axes && (has_angle || bonded_offset(form, value, bead) != 0);
}

double bonded_rest(int form, const double *value)
{
  const struct bonded_form_info *f = &bonded_form_info[form];
  double offsets = 0;
  for (int bead = 0; bead < f->axes; bead++)
    offsets += fabs(bonded_offset(form, value, bead));
  for (int k = 0; f->joins && f->parameter[k].name; k++) {
    if (!strcmp(f->parameter[k].name, "r0")) return value[k] + offsets;
    if (!strcmp(f->parameter[k].name, "rmax")) return value[k] / 3;
  }
  return 0;
}

void bonded_section_beads(int section, int *fewest, int *most)
{
  *fewest = BONDED_BEADS_MOST;
  *most = 0;
  for (int k = 0; k < FORMS; k++) {
    const struct bonded_form_info *f = &bonded_form_info[k];
    if ((int)f->section != section) continue;
    if (f->beads < *fewest) *fewest = f->beads;
    if (f->beads > *most) *most = f->beads;
  }
}
