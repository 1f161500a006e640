/* Groups of run parameters of GROMACS whose centre-of-mass motion is removed, and that are frozen:
   see gromacs_writer.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "import/gromacs_writer.h"
#include "import/gromacs_yaml.h"

/* 1 for the default groups of waters and ions, which GROMACS makes by names of residues. */
static int is_of_known_residues(const char *name)
{
  static const char *const groups[] = {"Water", "non-Water", "SOL", "Ion", "Water_and_ions"};
  for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
    if (!strcasecmp(name, groups[k])) return 1;
  return 0;
}

void gromacs_mark_group(const struct gromacs_writer *w, const char *key, const char *name, char *in)
{
  const struct file_line where = gromacs_mdp_line(w->mdp, key);
  if (!gromacs_index_mark(w->index, name, in, gromacs_mdp_errors(w->mdp)))
    error_list_join(
        gromacs_mdp_errors(w->mdp), where.file, where.line, key,
        "what is '%.60s'? %sNo residue or molecule type here has that name%s. Give "
        "--group=%.60s=MOLECULE,... with its molecule types, or --ndx=FILE, an index file "
        "of gmx make_ndx",
        name, w->index->path ? "The index file has no such group. " : "",
        is_of_known_residues(name)
            ? ", and none is a water or ion that GROMACS knows, as W of Martini is not"
            : "",
        name);
  else if (!memchr(in, 1, (size_t)w->index->n))
    GROMACS_REFUSE(w->mdp, key, "%s: the group '%.60s' has no atoms", key, name);
}

/* A row of the list of momentum groups. in: the marked atoms. */
static void write_momentum_group(const struct gromacs_writer *w, const char *in)
{
  char *group = gromacs_index_selection(w->index, in);
  fprintf(w->out, "    - {group: %s}\n", group);
  free(group);
}

/* The groups of comm-grps, unless they are all atoms. */
static void write_momentum_groups(const struct gromacs_writer *w)
{
  const int n = gromacs_mdp_words(w->mdp, "comm-grps");
  char *in = alloc_array(w->index->n, 1), *times = alloc_array(w->index->n, 1);
  for (int k = 0; k < n; k++) {
    const char *name = gromacs_mdp_word(w->mdp, "comm-grps", k);
    const int errors = gromacs_mdp_errors(w->mdp)->count;
    gromacs_mark_group(w, "comm-grps", name, in);
    if (gromacs_mdp_errors(w->mdp)->count > errors) continue;
    if (n == 1 && !memchr(in, 0, (size_t)w->index->n)) break;
    if (k == 0) gromacs_write_text(w, "run.momentum_groups", "", "comm-grps");
    write_momentum_group(w, in);
    for (int64_t i = 0; i < w->index->n; i++) {
      if (in[i] && times[i]++) {
        GROMACS_REFUSE(w->mdp, "comm-grps", "comm-grps: atom %lld is in several of the groups",
                       (long long)i + 1);
        break;
      }
    }
  }
  if (n > MOMENTUM_GROUPS_MOST)
    GROMACS_REFUSE(w->mdp, "comm-grps", "comm-grps: %d groups: at most %d", n,
                   MOMENTUM_GROUPS_MOST);
  free(in);
  free(times);
}

void gromacs_write_motion(const struct gromacs_writer *w)
{
  const int mode = gromacs_mdp_choice(w->mdp, "comm-mode");
  const int64_t every = gromacs_mdp_int(w->mdp, "nstcomm", 100, 0, INT64_MAX);
  gromacs_write_int(w, "run.momentum_every", mode > 0 ? 0 : every, "nstcomm");
  if (mode == 0 && every > 0) write_momentum_groups(w);
}

/* The axes that a group is frozen along, as text; "": none. */
static const char *axes_of(const struct gromacs_writer *w, int group, char axes[4])
{
  int n = 0;
  for (int d = 0; d < 3; d++) {
    const char *word = gromacs_mdp_word(w->mdp, "freezedim", 3 * group + d);
    if (strncasecmp(word, "y", 1) == 0)
      axes[n++] = "xyz"[d];
    else if (strncasecmp(word, "n", 1) != 0)
      GROMACS_REFUSE(w->mdp, "freezedim", "freezedim: '%.40s': expected Y or N", word);
  }
  axes[n] = 0;
  return axes;
}

static void write_frozen_group(const struct gromacs_writer *w, const char *axes, const char *in)
{
  char *group = gromacs_index_selection(w->index, in);
  fprintf(w->out, "  - {group: %s, along: %s}\n", group, axes);
  free(group);
}

int gromacs_run_freezes(const struct gromacs_mdp *mdp)
{
  int n = 0;
  for (const char *word; *(word = gromacs_mdp_word(mdp, "freezedim", n)); n++)
    if (!strncasecmp(word, "y", 1)) return 1;
  return 0;
}

void gromacs_write_frozen(const struct gromacs_writer *w)
{
  const int n = gromacs_mdp_words(w->mdp, "freezegrps"),
            dims = gromacs_mdp_words(w->mdp, "freezedim");
  int rows = 0;
  if (dims != 3 * n)
    GROMACS_REFUSE(w->mdp, n ? "freezegrps" : "freezedim",
                   "freezegrps has %d groups, and freezedim %d words: expected 3 for each group", n,
                   dims);
  if (n == 0 || dims != 3 * n) return;
  char *in = alloc_array(w->index->n, 1), axes[4];
  for (int k = 0; k < n; k++) {
    const char *name = gromacs_mdp_word(w->mdp, "freezegrps", k);
    const int errors = gromacs_mdp_errors(w->mdp)->count;
    gromacs_mark_group(w, "freezegrps", name, in);
    if (!*axes_of(w, k, axes) || gromacs_mdp_errors(w->mdp)->count > errors) continue;
    if (rows == 0) {
      fputs("frozen:  # freezegrps = ", w->out);
      gromacs_yaml_text(w->out, gromacs_mdp_value(w->mdp, "freezegrps", ""));
      fputs("\n", w->out);
    }
    write_frozen_group(w, axes, in);
    rows++;
  }
  free(in);
}
