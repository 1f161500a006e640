/* Values of .mdp files that are taken for others: see gromacs_mdp.h. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "import/gromacs_mdp.h"
#include "import/gromacs_rule.h"

/* The keys that may have a word, as "a, b"; "" where there is none. */
static const char *keys_with(const char *word, char text[256])
{
  const struct gromacs_rule *r;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; (r = gromacs_rule(k)); k++)
    if (r->use <= MDP_USE_RUN && r->words && gromacs_word_find(r->words, word) >= 0 && used < 256)
      used += (size_t)snprintf(text + used, 256 - used, "%s%s", used ? ", " : "", r->keys);
  return text;
}

static void add(struct gromacs_substitutes *all, const char *pair, struct error_list *m)
{
  char keys[256], *copy = text_copy(pair), *colon = strchr(copy, ':');
  if (!colon || colon == copy || !colon[1] || strchr(colon + 1, ':')) {
    error_list_add(m, "--substitute", 0,
                   "'%.80s': expected WORD:WORD,..., as "
                   "nose-hoover:v-rescale",
                   pair);
    free(copy);
    return;
  }
  *colon = 0;
  if (!*keys_with(colon + 1, keys))
    error_list_add(m, "--substitute", 0,
                   "%.80s: no key can have the value '%.40s' here: words that can be taken are in "
                   "lamella import --help",
                   pair, colon + 1);
  all->item = grow_array(all->item, all->n + 1, sizeof *all->item);
  all->item[all->n++] = (struct gromacs_substitute){copy, colon + 1, 0};
}

struct gromacs_substitutes gromacs_substitutes_read(int n, const char *const *text,
                                                    struct error_list *m)
{
  struct gromacs_substitutes all = {0};
  for (int k = 0; k < n; k++) {
    char *rest, *copy = text_copy(text[k]);
    for (char *pair = strtok_r(copy, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest))
      add(&all, pair, m);
    free(copy);
  }
  return all;
}

void gromacs_substitutes_end(struct gromacs_substitutes *all)
{
  char keys[256];
  for (int k = 0; k < all->n; k++) {
    const struct gromacs_substitute *one = &all->item[k];
    if (!one->used)
      warn("--substitute=%s:%s has no effect: no value of %s is %s", one->from, one->to,
           keys_with(one->to, keys), one->from);
    free(one->from);
  }
  free(all->item);
}
