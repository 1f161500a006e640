#include "model/list_build.h"

#include <string.h>

void list_build_take(struct list_build *l, int64_t step, const double box[BOX])
{
  l->step = step;
  memcpy(l->box, box, sizeof l->box);
}

void list_build_forget(struct list_build *l)
{
  l->step = -1;
}

void list_build_set_skin(struct list_build *l, double skin)
{
  l->skin = skin;
}

void list_build_restore(struct list_build *l, const struct list_build *earlier)
{
  *l = *earlier;
}
