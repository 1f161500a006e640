/* Where a state file keeps what. Shared by those who write and those who read it. */
#ifndef STATE_LAYOUT_H
#define STATE_LAYOUT_H

#include <stddef.h>

#include "model/system.h"

#define STATE_FORMAT "lamella state"
enum { STATE_FORMAT_VERSION = 2, STATE_FORMAT_OLDEST = 1 };

/* A quaternion may differ from length 1 by so much. */
#define STATE_UNIT_ERROR 1e-6

/* A few numbers of struct system, all ranks the same. */
struct state_item {
  const char *name, *unit, *text;
  char kind; /* as in h5.h */
  int rows;
  int since; /* first format version that has it; older files leave 0 */
  size_t offset;
};
enum { STATE_ITEMS = 16 };
extern const struct state_item state_item[STATE_ITEMS];

/* Topology, one dataset a member; terms and exclusions of slot k are rows start[k] to
   start[k + 1]. */
#define STATE_TERM_START "topology/term_start"
#define STATE_TERM_KIND "topology/term_kind"
#define STATE_TERM_TYPE "topology/term_type"
#define STATE_TERM_ROLE "topology/term_role"
#define STATE_TERM_PARTNER "topology/term_partner"
#define STATE_EXCLUDE_START "topology/exclude_start"
#define STATE_EXCLUDE "topology/exclude"

#define STATE_FORCEFIELD "forcefield/text"
#define STATE_RUN "run/text"
#define STATE_INPUT "run/input"
#define STATE_HISTORY "run/history"

/* "beads/position" and so on. */
void state_field_name(int field, char name[64]);

#endif
