#include "io/option_group.h"

#include "input/group_use.h"
#include "input/run_lists.h"
#include "molecules/group_find.h"

static struct params *params_of(const struct system *y)
{
  return y->run.parameters ? params_from_text(y->run.parameters) : NULL;
}

void option_group_find(struct bead_group *g, const struct ranks *r, struct system *y,
                       const char *option, int words, const char *text)
{
  struct params *p = params_of(y);
  struct lipids *l = membrane_lipids_read(p, y->ff);
  struct error_list m = {0};
  bead_group_read_text(text, option, words, p, y->ff, y->n_total, g, &m);
  error_list_check(&m);
  group_find(g, r, y, l, &m);
  error_list_check(&m);
  lipids_destroy(l);
  params_destroy(p);
}

char *option_group_text(const struct system *y, const char *text)
{
  struct params *p = params_of(y);
  char *name = group_words_text(text, p, y->ff);
  params_destroy(p);
  return name;
}
