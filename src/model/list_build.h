/* The last build of the neighbour lists: a restart repeats it. The positions of the build are the
   beads' build_position, which backends set (bead_fields.h). */
#ifndef LIST_BUILD_H
#define LIST_BUILD_H

#include <stdint.h>

#include "base/box.h"

/* Written by model/list_build.c. */
struct list_build {
  int64_t step;    /* < 0: no lists yet, and box and build_position mean nothing */
  double box[BOX]; /* nm */
  double skin;     /* nm, of the next build too */
};

/* Lists are built at this step, in this box (nm). */
void list_build_take(struct list_build *l, int64_t step, const double box[BOX]);
/* There is no build to be repeated: the next one starts from the present positions. The skin stays.
 */
void list_build_forget(struct list_build *l);
/* The skin of the next build, nm. */
void list_build_set_skin(struct list_build *l, double skin);
/* All members, of an earlier build. */
void list_build_restore(struct list_build *l, const struct list_build *earlier);

#endif
