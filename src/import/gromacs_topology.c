/* Reading of topologies: see gromacs_topology.h. */
#include "import/gromacs_topology.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

enum { LINES_MOST = 4000000, PAIRS_MOST = 4000000, NAMES_MOST = 1000000, BLOCKS_MOST = 1000000 };

enum level { PARAMETERS, BONDED_TYPES, UNUSED, MOLECULETYPE, MOLECULE, SYSTEM };

const char *const gromacs_directive_name[GROMACS_DIRECTIVES] = {
#define DIRECTIVE(name, level, refusal) #name,
#include "import/gromacs_directives.h"
#undef DIRECTIVE
};
static const enum level level_of[GROMACS_DIRECTIVES] = {
#define DIRECTIVE(name, level, refusal) level,
#include "import/gromacs_directives.h"
#undef DIRECTIVE
};
static const char *const refusal_of[GROMACS_DIRECTIVES] = {
#define DIRECTIVE(name, level, refusal) refusal,
#include "import/gromacs_directives.h"
#undef DIRECTIVE
};

struct reader {
  struct gromacs_topology *t;
  struct error_list *m;
  int directive; /* -1: none yet, or unknown */
  int molecule;  /* the last [ moleculetype ]; -1: none */
  int has_defaults, in_system;
  int refused; /* 1: after a directive between molecules that is not implemented */
  struct gromacs_words words;
};

/* Ends all ranks if a table has reached its limit. */
static void check_room(struct reader *r, int64_t n, int64_t most, struct gromacs_place place)
{
  if (n < most) return;
  GROMACS_ERROR(r->m, place, "more than %lld lines of this kind", (long long)most);
  error_list_check(r->m);
}

static void keep_line(struct reader *r, struct gromacs_lines *l, const char *line,
                      struct gromacs_place place)
{
  check_room(r, l->n, LINES_MOST, place);
  l->line = extend_array(l->line, l->n, sizeof *l->line);
  l->line[l->n++] =
      (struct gromacs_line){(enum gromacs_directive)r->directive, place, text_copy(line)};
}

/* 1 for names that are the same to GROMACS: case, '-' and '_' do not matter. */
static int is_same_name(const char *a, const char *b)
{
  for (;; a++, b++) {
    a += strspn(a, "-_");
    b += strspn(b, "-_");
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return 0;
    if (!*a) return 1;
  }
}

/* Which directive a line "[ name ]" begins, and whether it may stand there. */
static void begin_directive(struct reader *r, char *line, struct gromacs_place place)
{
  char *name = line + 1 + strspn(line + 1, " \t");
  char *close = strchr(name, ']');
  struct nearest near = {{0}, 0};
  char hint[96];
  r->directive = -1;
  size_t n = close ? (size_t)(close - name) : 0;
  while (n && isspace((unsigned char)name[n - 1]))
    n--;
  if (!close || !n) {
    GROMACS_ERROR(r->m, place, "expected [ DIRECTIVE ]");
    return;
  }
  name[n] = 0;
  for (int k = 0; k < GROMACS_DIRECTIVES; k++) {
    nearest_offer(&near, name, gromacs_directive_name[k]);
    if (is_same_name(name, gromacs_directive_name[k])) r->directive = k;
  }
  if (r->directive < 0) {
    GROMACS_ERROR(r->m, place, "unknown directive [ %.40s ]%s", name, nearest_text(&near, hint));
    return;
  }
  const enum level level = level_of[r->directive];
  name = (char *)(uintptr_t)gromacs_directive_name[r->directive];
  if (r->refused && level == MOLECULE) {
    r->directive = -1; /* belongs to the directive that is refused */
    return;
  }
  r->refused = level == SYSTEM && refusal_of[r->directive];
  if (r->refused)
    GROMACS_ERROR(r->m, place, "[ %s ]: %s", name, refusal_of[r->directive]);
  else if (level == MOLECULE && (r->molecule < 0 || r->in_system))
    GROMACS_ERROR(r->m, place, "[ %s ] %s", name,
                  r->in_system ? "after [ system ]" : "before any [ moleculetype ]");
  else if (level < MOLECULE && (r->in_system || (level != MOLECULETYPE && r->molecule >= 0)))
    GROMACS_ERROR(r->m, place, "[ %s ] must stand before the first [ %s ]", name,
                  r->in_system ? "system" : "moleculetype");
  else if (level != SYSTEM && r->directive != GROMACS_defaults && !r->has_defaults)
    GROMACS_ERROR(r->m, place, "[ %s ] before [ defaults ]: is the force field included?", name);
  if (level == MOLECULE && r->molecule < 0) r->directive = -1;
  r->in_system |= level == SYSTEM;
}

static void read_defaults(struct reader *r, struct gromacs_place place)
{
  long long function = 1, rule = 1;
  if (r->has_defaults) GROMACS_ERROR(r->m, place, "[ defaults ] stands here for the second time");
  r->has_defaults = 1;
  if (!gromacs_words_int(&r->words, 0, "nbfunc", 1, 2, &function)) return;
  if (function != 1) GROMACS_ERROR(r->m, place, "nbfunc 2: Buckingham pairs are not implemented");
  if (gromacs_words_int(&r->words, 1, "the combination rule", 1, 3, &rule)) r->t->rule = (int)rule;
}

static int is_letter(const char *word)
{
  return isalpha((unsigned char)word[0]) && !word[1];
}

/* name [bonded name] [atomic number] mass charge particle V W */
static void read_atomtype(struct reader *r, struct gromacs_place place)
{
  struct gromacs_topology *t = r->t;
  const struct gromacs_words *w = &r->words;
  struct gromacs_type type = {.place = place};
  if (w->n < 6) {
    GROMACS_ERROR(r->m, place, "an atom type has at least 6 columns, here are %d", w->n);
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
    GROMACS_ERROR(r->m, place, "expected: name [bonded type] [number] mass charge A V W");
    return;
  }
  const int good = gromacs_words_real(w, mass, "mass", &type.mass) &
                   gromacs_words_real(w, mass + 1, "charge", &type.charge) &
                   gromacs_words_real(w, mass + 3, "V", &type.c[0]) &
                   gromacs_words_real(w, mass + 4, "W", &type.c[1]);
  if (!strchr("ADVdvSsa", w->word[mass + 2][0]))
    GROMACS_ERROR(r->m, place, "particle type '%s': expected A, V or D", w->word[mass + 2]);
  if (toupper((unsigned char)w->word[mass + 2][0]) == 'S')
    GROMACS_ERROR(r->m, place, "particle type S: shells are not implemented");
  if (!good) return;
  check_room(r, t->type_names.n, NAMES_MOST, place);
  const int before = t->type_names.n, k = name_map_put(&t->type_names, w->word[0]);
  if (k == before) {
    t->type = extend_array(t->type, k, sizeof *t->type);
  } else {
    warn("%s:%d: atom type %s replaces that of %s:%d", place.file, place.line, w->word[0],
         t->type[k].place.file, t->type[k].place.line);
    free(t->type[k].bonded);
  }
  type.bonded = text_copy(w->word[bonded]);
  t->type[k] = type;
}

static void read_pair(struct reader *r, struct gromacs_place place)
{
  struct gromacs_topology *t = r->t;
  const struct gromacs_words *w = &r->words;
  struct gromacs_pair pair = {.place = place};
  long long function;
  for (int k = 0; k < 2; k++) {
    pair.type[k] = k < w->n ? name_map_find(&t->type_names, w->word[k]) : -1;
    if (pair.type[k] < 0) {
      GROMACS_ERROR(r->m, place, "there is no atom type '%.40s'", k < w->n ? w->word[k] : "");
      return;
    }
  }
  if (!gromacs_words_int(w, 2, "function", 1, 2, &function)) return;
  if (function == 2) GROMACS_ERROR(r->m, place, "function 2: Buckingham is not implemented");
  if (!gromacs_words_real(w, 3, "V", &pair.c[0]) || !gromacs_words_real(w, 4, "W", &pair.c[1]))
    return;
  check_room(r, t->n_pairs, PAIRS_MOST, place);
  t->pair = extend_array(t->pair, t->n_pairs, sizeof *t->pair);
  t->pair[t->n_pairs++] = pair;
}

static void read_moleculetype(struct reader *r, struct gromacs_place place)
{
  struct gromacs_topology *t = r->t;
  const struct gromacs_words *w = &r->words;
  struct gromacs_moleculetype molecule = {.place = place};
  long long nrexcl = 0;
  check_room(r, t->molecule_names.n, NAMES_MOST, place);
  gromacs_words_int(w, 1, "nrexcl", 0, 1000000, &nrexcl);
  molecule.nrexcl = (int)nrexcl;
  molecule.first_line = molecule.end_line = t->molecule_lines.n;
  const int before = t->molecule_names.n, k = name_map_put(&t->molecule_names, w->word[0]);
  if (k < before) {
    GROMACS_ERROR(r->m, place, "molecule type %.40s is given again, first in %s:%d", w->word[0],
                  t->molecule[k].place.file, t->molecule[k].place.line);
  }
  if (k == before) t->molecule = extend_array(t->molecule, k, sizeof *t->molecule);
  t->molecule[k] = molecule;
  r->molecule = k;
}

/* The molecule type of a name, which may differ in case if no other does; -1 with an error: none.
 */
static int find_molecule(struct reader *r, const char *name, struct gromacs_place place)
{
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
    GROMACS_ERROR(r->m, place, "'%.40s' is the name of %d molecule types in other case", name, n);
  else
    GROMACS_ERROR(r->m, place, "there is no molecule type '%.40s'%s", name,
                  nearest_text(&near, hint));
  return -1;
}

static void read_block(struct reader *r, struct gromacs_place place)
{
  struct gromacs_topology *t = r->t;
  const struct gromacs_words *w = &r->words;
  struct gromacs_block block = {.place = place};
  long long count = 0;
  block.molecule = find_molecule(r, w->word[0], place);
  if (block.molecule < 0) return;
  if (!gromacs_words_int(w, 1, "number of molecules", 0, INT32_MAX, &count)) return;
  if (count == 0) return;
  check_room(r, t->n_blocks, BLOCKS_MOST, place);
  block.count = count;
  t->molecule[block.molecule].used = 1;
  t->block = extend_array(t->block, t->n_blocks, sizeof *t->block);
  t->block[t->n_blocks++] = block;
}

/* A line that is no directive. */
static void read_content(struct reader *r, char *line, struct gromacs_place place)
{
  struct gromacs_topology *t = r->t;
  const enum gromacs_directive d = (enum gromacs_directive)r->directive;
  switch (level_of[d]) {
  case BONDED_TYPES:
    keep_line(r, &t->bonded_types, line, place);
    return;
  case MOLECULE:
    keep_line(r, &t->molecule_lines, line, place);
    t->molecule[r->molecule].end_line = t->molecule_lines.n;
    return;
  case UNUSED:
    return;
  default:
    break;
  }
  if (d == GROMACS_system) {
    free(t->title);
    t->title = text_copy(line);
    return;
  }
  gromacs_words_split(&r->words, line, place, r->m);
  switch (d) {
  case GROMACS_defaults:
    read_defaults(r, place);
    break;
  case GROMACS_atomtypes:
    read_atomtype(r, place);
    break;
  case GROMACS_nonbond_params:
    read_pair(r, place);
    break;
  case GROMACS_moleculetype:
    read_moleculetype(r, place);
    break;
  case GROMACS_molecules:
    read_block(r, place);
    break;
  default:
    GROMACS_ERROR(r->m, place, "[ %s ]: %s", gromacs_directive_name[d], refusal_of[d]);
  }
}

/* Adds an error for the first line of each directive that a used molecule type has and that is not
   implemented. */
static void refuse_lines(const struct reader *r)
{
  const struct gromacs_topology *t = r->t;
  for (int k = 0; k < t->molecule_names.n; k++) {
    char said[GROMACS_DIRECTIVES] = {0};
    for (int64_t n = t->molecule[k].first_line; n < t->molecule[k].end_line; n++) {
      const struct gromacs_line *l = &t->molecule_lines.line[n];
      if (t->molecule[k].used && refusal_of[l->directive] && !said[l->directive]++)
        GROMACS_ERROR(r->m, l->place, "[ %s ] of molecule type %s: %s",
                      gromacs_directive_name[l->directive], t->molecule_names.name[k],
                      refusal_of[l->directive]);
    }
  }
}

struct gromacs_topology *gromacs_topology_read(const char *path, const struct gromacs_options *o,
                                               struct error_list *m)
{
  struct reader *r = alloc_array(1, sizeof *r);
  struct gromacs_topology *t = alloc_array(1, sizeof *t);
  struct gromacs_place place;
  t->text = gromacs_text_open(path, o, m);
  t->rule = 1;
  *r = (struct reader){.t = t, .m = m, .directive = -1, .molecule = -1};
  for (char *line; (line = gromacs_text_next(t->text, &place));) {
    if (line[0] == '[')
      begin_directive(r, line, place);
    else if (r->directive >= 0)
      read_content(r, line, place);
    else if (m->count == 0 && line[0] != '*') /* of old files: a comment */
      GROMACS_ERROR(m, place, "a line before any [ directive ]");
  }
  if (!m->count && t->n_blocks == 0)
    error_list_add(m, path, 0, "no molecules: [ molecules ] is missing or empty");
  refuse_lines(r);
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
