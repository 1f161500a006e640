/* Reading of topologies: see gromacs_topology.h. */
#include "import/gromacs_topology.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

enum { LINES_MOST = 10000000 };

const struct gromacs_directive_info gromacs_directive_info[GROMACS_DIRECTIVES] = {
#define DIRECTIVE(name, level, beads, refusal) {#name, level, beads, refusal},
#include "import/gromacs_directives.h"
#undef DIRECTIVE
};

struct reader {
  struct gromacs_topology *t;
  int directive; /* -1: none yet, or unknown */
  int molecule;  /* the last [ moleculetype ]; -1: none */
  int has_defaults, in_system;
  int refused; /* 1: after a directive between molecules that is not implemented */
  struct words words;
};

static void keep_line(const struct reader *r, struct gromacs_lines *l, const char *line)
{
  l->line = extend_array(l->line, l->n, sizeof *l->line);
  l->line[l->n++] = (struct gromacs_line){
      .directive = (enum gromacs_directive)r->directive,
      .where = r->words.where,
      .text = text_copy(line),
      .set = r->directive == GROMACS_position_restraints ? gromacs_text_set(r->t->text) : NULL};
}

/* The directive of a line "[ name ]"; -1 with an error: none. */
static int find_directive(const struct words *w, char *line)
{
  char *close = strchr(line, ']'), hint[96];
  struct nearest near = {{0}, 0};
  if (close) *close = 0;
  const char *name = text_trim(line + 1);
  if (!close || !*name) {
    WORDS_ERROR(w, "expected [ DIRECTIVE ]");
    return -1;
  }
  for (int k = 0; k < GROMACS_DIRECTIVES; k++) {
    nearest_offer(&near, name, gromacs_directive_info[k].name);
    if (gromacs_word_equal(name, gromacs_directive_info[k].name)) return k;
  }
  WORDS_ERROR(w, "unknown directive [ %.40s ]%s", name, nearest_text(&near, hint));
  return -1;
}

/* Which directive a line "[ name ]" begins, and whether it may stand there. */
static void begin_directive(struct reader *r, char *line)
{
  const struct words *w = &r->words;
  r->directive = find_directive(w, line);
  if (r->directive < 0) return;
  const struct gromacs_directive_info *d = &gromacs_directive_info[r->directive];
  const int in_molecule = d->level == MOLECULE;
  if (r->refused && in_molecule) {
    r->directive = -1; /* belongs to the directive that is refused */
    return;
  }
  r->refused = d->level == SYSTEM && d->refusal;
  if (r->refused)
    WORDS_ERROR(w, "[ %s ]: %s", d->name, d->refusal);
  else if (in_molecule && (r->molecule < 0 || r->in_system))
    WORDS_ERROR(w, "[ %s ] %s", d->name,
                r->in_system ? "after [ system ]" : "before any [ moleculetype ]");
  else if (d->level < MOLECULE && (r->in_system || (d->level != MOLECULETYPE && r->molecule >= 0)))
    WORDS_ERROR(w, "[ %s ] must stand before the first [ %s ]", d->name,
                r->in_system ? "system" : "moleculetype");
  else if (d->level != SYSTEM && r->directive != GROMACS_defaults && !r->has_defaults)
    WORDS_ERROR(w, "[ %s ] before [ defaults ]: is the force field included?", d->name);
  if (in_molecule && r->molecule < 0) r->directive = -1;
  r->in_system |= d->level == SYSTEM;
}

static void read_defaults(struct reader *r)
{
  const struct words *w = &r->words;
  int64_t function = 1, rule = 1;
  double power = 12;
  if (r->has_defaults) WORDS_ERROR(w, "[ defaults ] stands here for the second time");
  r->has_defaults = 1;
  if (!words_int(w, 0, "nbfunc", 1, 2, &function)) return;
  if (function != 1) WORDS_ERROR(w, "nbfunc 2: Buckingham pairs are not implemented");
  if (words_int(w, 1, "the combination rule", 1, 3, &rule)) r->t->rule = (int)rule;
  r->t->generates_pairs = w->n > 2 && tolower((unsigned char)w->word[2][0]) == 'y';
  if (w->n > 3) gromacs_read_real(w, 3, "fudgeLJ", &r->t->fudge_lj);
  if (w->n > 4) gromacs_read_real(w, 4, "fudgeQQ", &r->t->fudge_qq);
  if (w->n > 5 && gromacs_read_real(w, 5, "power", &power) && power != 12)
    WORDS_ERROR(w, "a repulsion of r^-%g: only r^-12 is implemented", power);
}

static int is_letter(const char *word)
{
  return isalpha((unsigned char)word[0]) && !word[1];
}

/* name [bonded name] [atomic number] mass charge particle V W */
static void read_atomtype(struct reader *r)
{
  struct gromacs_topology *t = r->t;
  const struct words *w = &r->words;
  struct gromacs_type type = {.where = w->where};
  if (w->n < 6) {
    WORDS_ERROR(w, "an atom type has at least 6 columns, here are %d", w->n);
    return;
  }
  int mass = 1, bonded = 0;
  if (w->n > 5 && is_letter(w->word[5])) {
    mass = 3;
    bonded = 1;
  } else if (!is_letter(w->word[3])) {
    mass = 2;
    bonded = isalpha((unsigned char)w->word[1][0]) ? 1 : 0;
  }
  if (w->n <= mass + 2 || !is_letter(w->word[mass + 2])) {
    WORDS_ERROR(w, "expected: name [bonded type] [number] mass charge A V W");
    return;
  }
  const int good = gromacs_read_real(w, mass, "mass", &type.mass) &
                   gromacs_read_real(w, mass + 1, "charge", &type.charge) &
                   gromacs_read_real(w, mass + 3, "V", &type.c[0]) &
                   gromacs_read_real(w, mass + 4, "W", &type.c[1]);
  const char particle = (char)toupper((unsigned char)w->word[mass + 2][0]);
  if (particle == 'S')
    WORDS_ERROR(w, "particle type S: shells are not implemented");
  else if (!strchr("ADV", particle))
    WORDS_ERROR(w, "particle type '%s': expected A, V or D", w->word[mass + 2]);
  if (!good) return;
  const int before = t->type_names.n, k = name_map_put(&t->type_names, w->word[0]);
  if (k == before) {
    t->type = extend_array(t->type, k, sizeof *t->type);
  } else {
    warn("%s:%d: atom type %s replaces that of %s:%d", w->where.file, w->where.line, w->word[0],
         t->type[k].where.file, t->type[k].where.line);
    free(t->type[k].bonded);
  }
  type.bonded = text_copy(w->word[bonded]);
  t->type[k] = type;
}

static void read_pair(struct reader *r)
{
  struct gromacs_topology *t = r->t;
  const struct words *w = &r->words;
  struct gromacs_pair pair = {.where = w->where};
  int64_t function;
  for (int k = 0; k < 2; k++) {
    pair.type[k] = k < w->n ? name_map_find(&t->type_names, w->word[k]) : -1;
    if (pair.type[k] < 0) {
      WORDS_ERROR(w, "there is no atom type '%.40s'", k < w->n ? w->word[k] : "");
      return;
    }
  }
  if (!words_int(w, 2, "function", 1, 2, &function)) return;
  if (function == 2) WORDS_ERROR(w, "function 2: Buckingham is not implemented");
  if (!gromacs_read_real(w, 3, "V", &pair.c[0]) || !gromacs_read_real(w, 4, "W", &pair.c[1]))
    return;
  t->pair = extend_array(t->pair, t->n_pairs, sizeof *t->pair);
  t->pair[t->n_pairs++] = pair;
}

void gromacs_combine(const struct gromacs_topology *t, const struct gromacs_pair *row, int i, int j,
                     double c[2])
{
  const double *a = t->type[i].c, *b = t->type[j].c;
  for (int k = 0; k < 2; k++)
    c[k] = row ? row->c[k] : sqrt(a[k] * b[k]);
  if (!row && t->rule == 2) c[0] = 0.5 * (a[0] + b[0]);
}

static void read_moleculetype(struct reader *r)
{
  struct gromacs_topology *t = r->t;
  const struct words *w = &r->words;
  struct gromacs_moleculetype molecule = {.where = w->where};
  int64_t nrexcl = 0;
  words_int(w, 1, "nrexcl", 0, 1000000, &nrexcl);
  molecule.nrexcl = (int)nrexcl;
  molecule.first_line = molecule.end_line = t->molecule_lines.n;
  const int before = t->molecule_names.n, k = name_map_put(&t->molecule_names, w->word[0]);
  if (k < before)
    WORDS_ERROR(w, "molecule type %.40s is given again, first in %s:%d", w->word[0],
                t->molecule[k].where.file, t->molecule[k].where.line);
  else
    t->molecule = extend_array(t->molecule, k, sizeof *t->molecule);
  t->molecule[k] = molecule;
  r->molecule = k;
}

/* The molecule type of a name, which may differ in case if no other does; -1 with an error: none.
 */
static int find_molecule(struct reader *r, const char *name)
{
  const struct words *w = &r->words;
  const struct name_map *names = &r->t->molecule_names;
  struct nearest near = {{0}, 0};
  char hint[96];
  int found = name_map_find(names, name), n = 0;
  if (found >= 0) return found;
  for (int k = 0; k < names->n; k++) {
    nearest_offer(&near, name, names->name[k]);
    if (strcasecmp(name, names->name[k]) != 0) continue;
    found = k;
    n++;
  }
  if (n == 1) return found;
  if (n > 1)
    WORDS_ERROR(w, "'%.40s' is the name of %d molecule types in other case", name, n);
  else
    WORDS_ERROR(w, "there is no molecule type '%.40s'%s", name, nearest_text(&near, hint));
  return -1;
}

static void read_block(struct reader *r)
{
  struct gromacs_topology *t = r->t;
  const struct words *w = &r->words;
  struct gromacs_block block = {.where = w->where};
  int64_t count = 0;
  block.molecule = find_molecule(r, w->word[0]);
  if (block.molecule < 0) return;
  if (!words_int(w, 1, "number of molecules", 0, INT32_MAX, &count)) return;
  if (count == 0) return;
  block.count = count;
  t->molecule[block.molecule].used = 1;
  t->block = extend_array(t->block, t->n_blocks, sizeof *t->block);
  t->block[t->n_blocks++] = block;
}

/* Who reads a line in words, by its directive. */
static void (*const read_words[GROMACS_DIRECTIVES])(struct reader *) = {
    [GROMACS_defaults] = read_defaults,   [GROMACS_atomtypes] = read_atomtype,
    [GROMACS_nonbond_params] = read_pair, [GROMACS_moleculetype] = read_moleculetype,
    [GROMACS_molecules] = read_block,
};

/* A line that is no directive. */
static void read_content(struct reader *r, char *line)
{
  struct gromacs_topology *t = r->t;
  const struct gromacs_directive_info *d = &gromacs_directive_info[r->directive];
  if (d->level == BONDED_TYPES) {
    keep_line(r, &t->bonded_types, line);
  } else if (d->level == MOLECULE) {
    keep_line(r, &t->molecule_lines, line);
    t->molecule[r->molecule].end_line = t->molecule_lines.n;
  } else if (r->directive == GROMACS_system) {
    free(t->title);
    t->title = text_copy(line);
  } else if (read_words[r->directive]) {
    words_split(&r->words, line);
    read_words[r->directive](r);
  } else if (d->refusal) {
    WORDS_ERROR(&r->words, "[ %s ]: %s", d->name, d->refusal);
  }
}

/* Adds an error for the first line of each directive that a used molecule type has and that is not
   implemented. */
static void refuse_lines(const struct gromacs_topology *t, struct error_list *m)
{
  for (int k = 0; k < t->molecule_names.n; k++) {
    char said[GROMACS_DIRECTIVES] = {0};
    for (int64_t n = t->molecule[k].first_line; n < t->molecule[k].end_line; n++) {
      const struct gromacs_line *l = &t->molecule_lines.line[n];
      const struct gromacs_directive_info *d = &gromacs_directive_info[l->directive];
      if (t->molecule[k].used && d->refusal && !said[l->directive]++)
        LINE_ERROR(m, l->where, "[ %s ] of molecule type %s: %s", d->name,
                   t->molecule_names.name[k], d->refusal);
    }
  }
}

struct gromacs_topology *gromacs_topology_read(const char *path, const struct gromacs_options *o,
                                               struct error_list *m)
{
  struct reader *r = alloc_array(1, sizeof *r);
  struct gromacs_topology *t = alloc_array(1, sizeof *t);
  t->text = gromacs_text_open(path, o, m);
  t->rule = 1;
  t->fudge_lj = t->fudge_qq = 1;
  t->distance_k = o->distance_k;
  r->t = t;
  r->words.m = m;
  r->directive = r->molecule = -1;
  int n = 0;
  for (char *line; (line = gromacs_text_next(t->text, &r->words.where));) {
    if (n++ == LINES_MOST) {
      WORDS_ERROR(&r->words, "the topology has more than %d lines", LINES_MOST);
      error_list_check(m);
    }
    if (line[0] == '[')
      begin_directive(r, line);
    else if (!line[strspn(line, ":-=_~+. \t")])
      warn("%s:%d: a line without letters and numbers is not read", r->words.where.file,
           r->words.where.line);
    else if (r->directive >= 0)
      read_content(r, line);
    else if (m->count == 0 && line[0] != '*') /* of old files: a comment */
      WORDS_ERROR(&r->words, "a line before any [ directive ]");
  }
  if (!m->count && t->n_blocks == 0)
    error_list_add(m, path, 0, "no molecules: [ molecules ] is missing or empty");
  refuse_lines(t, m);
  if (!t->title) t->title = text_copy("");
  free(r);
  return t;
}

static void free_lines(struct gromacs_lines *l)
{
  for (int64_t k = 0; k < l->n; k++)
    free(l->line[k].text);
  free(l->line);
}

void gromacs_topology_destroy(struct gromacs_topology *t)
{
  if (!t) return;
  for (int k = 0; k < t->type_names.n; k++)
    free(t->type[k].bonded);
  free_lines(&t->bonded_types);
  free_lines(&t->molecule_lines);
  name_map_free(&t->type_names);
  name_map_free(&t->molecule_names);
  free(t->type);
  free(t->pair);
  free(t->molecule);
  free(t->block);
  free(t->title);
  gromacs_text_close(t->text);
  free(t);
}
