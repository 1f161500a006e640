/* Reading of the keys pull-* of run parameters: see gromacs_pull.h. Defaults and checks are those
   of grompp (GROMACS 2026, manual, section "COM pulling"). */
#include "import/gromacs_pull.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"

enum { MOST = 256 }; /* groups or coordinates that are looked for */

static const struct {
  const char *word;
  enum pull_geometry geometry;
  int groups;
  const char *refusal; /* NULL: it can be imported */
} geometries[] = {
    {"distance", PULL_DISTANCE, 2, NULL},
    {"direction", PULL_DIRECTION, 2, NULL},
    {"direction-periodic", PULL_PERIODIC, 2, NULL},
    {"angle", PULL_ANGLE, 4, NULL},
    {"dihedral", PULL_DIHEDRAL, 6, NULL},
    {"angle-axis", PULL_AXIS, 2, NULL},
    {"direction-relative", PULL_RELATIVE, 4, NULL},
    {"cylinder", PULL_CYLINDER, 2, NULL},
    {"transformation", PULL_DIRECTION, 0, "expressions of coordinates are not implemented"},
    {"position", PULL_DIRECTION, 2,
     "a geometry of GROMACS 4: write a coordinate of geometry direction for each axis"}};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

static const char types[] = "umbrella|constant-force|flat-bottom|flat-bottom-high|constraint";

const char *gromacs_pull_key(const struct gromacs_pull *p, const char *names, int number,
                             char key[GROMACS_KEY])
{
  char digits[16], name[GROMACS_KEY];
  const char *item;
  size_t n;
  snprintf(digits, sizeof digits, "%d", number);
  for (int k = 0; (item = word_list_item(names, k, &n)); k++) {
    snprintf(name, sizeof name, "%.*s", (int)n, item);
    if (*gromacs_mdp_value(p->mdp, gromacs_rule_number(name, digits, key), "")) return key;
  }
  snprintf(name, sizeof name, "%.*s", (int)strcspn(names, "|"), names);
  return gromacs_rule_number(name, digits, key);
}

/* Refuses keys of groups or coordinates after the n that there are, and of number 0. */
static void check_beyond(const struct gromacs_pull *p, const char *names, int n, const char *count)
{
  enum { LARGEST = 999 }; /* of a number in a key: gromacs_rule_number */
  char key[GROMACS_KEY];
  for (int number = 0; number <= LARGEST; number = number ? number + 1 : n + 1) {
    gromacs_pull_key(p, names, number, key);
    if (!*gromacs_mdp_value(p->mdp, key, "")) continue;
    if (number > 0)
      GROMACS_REFUSE(p->mdp, key, "%s: %s is %d: raise it, or leave this out", key, count, n);
    else if (!p->is_old)
      GROMACS_REFUSE(p->mdp, key, "%s: numbers count from 1", key);
  }
}

struct gromacs_pull gromacs_pull_open(const struct gromacs_mdp *mdp)
{
  struct gromacs_pull p = {.mdp = mdp, .is_old = *gromacs_mdp_value(mdp, "pull-group1", "") != 0};
  if (gromacs_mdp_choice(mdp, "pull") <= 0) return p;
  const int errors = gromacs_mdp_errors(mdp)->count;
  p.n_groups = (int)gromacs_mdp_int(mdp, "pull-ngroups", 1, 1, MOST);
  p.n_coordinates = p.is_old ? p.n_groups : (int)gromacs_mdp_int(mdp, "pull-ncoords", 1, 1, MOST);
  if (gromacs_mdp_errors(mdp)->count > errors) p.n_groups = p.n_coordinates = 0;
  if (p.n_groups == 0) return p;
  check_beyond(&p, "pull-group#-name|pull-group#", p.n_groups, "pull-ngroups");
  check_beyond(&p, "pull-coord#-groups|pull-coord#-type|pull-coord#-k|pull-k#", p.n_coordinates,
               p.is_old ? "pull-ngroups" : "pull-ncoords");
  return p;
}

const char *gromacs_pull_group(const struct gromacs_pull *p, int number)
{
  char key[GROMACS_KEY];
  if (number == 0 && !p->is_old) return "";
  return gromacs_mdp_value(p->mdp, gromacs_pull_key(p, "pull-group#-name|pull-group#", number, key),
                           "");
}

/* What reads the keys of a coordinate. */
struct reader {
  const struct gromacs_pull *pull;
  const struct gromacs_mdp *mdp;
  struct pull_coordinate *c;
  char key[GROMACS_KEY]; /* the last */
};

/* The value of the first key of a list that the file has. */
static const char *find(struct reader *r, const char *names, const char *preset)
{
  return gromacs_mdp_value(r->mdp, gromacs_pull_key(r->pull, names, r->c->number, r->key), preset);
}

static double read_real(struct reader *r, const char *names, double most)
{
  find(r, names, "");
  return gromacs_mdp_real(r->mdp, r->key, 0, -most, most);
}

/* 1 for a word that begins with y or Y, 0 for n: as GROMACS reads it. */
static int read_yes(struct reader *r, const char *word)
{
  if (strncasecmp(word, "y", 1) && strncasecmp(word, "n", 1))
    GROMACS_REFUSE(r->mdp, r->key, "%s: '%.40s': expected yes or no", r->key, word);
  return !strncasecmp(word, "y", 1);
}

/* Three numbers of at most `most`, where the key is given. Returns 0 with an error. */
static int read_vector(struct reader *r, const char *names, double most, double v[3])
{
  double value[3], largest = 0;
  find(r, names, "");
  const int n = gromacs_mdp_words(r->mdp, r->key);
  if (n == 0) return 1;
  if (n != 3) {
    GROMACS_REFUSE(r->mdp, r->key, "%s: expected three numbers", r->key);
    return 0;
  }
  if (gromacs_mdp_reals(r->mdp, r->key, 3, value) != 3) return 0;
  for (int d = 0; d < 3; d++)
    largest = fmax(largest, fabs(value[d]));
  if (largest > most) {
    GROMACS_REFUSE(r->mdp, r->key, "%s: %g is more than %g", r->key, largest, most);
    return 0;
  }
  memcpy(v, value, sizeof value);
  return 1;
}

/* Which directions count. */
static void read_dim(struct reader *r)
{
  int n = 0;
  for (int d = 0; d < 3; d++) {
    r->c->dim[d] = 1;
    const char *word =
        *find(r, "pull-coord#-dim|pull-dim", "") ? gromacs_mdp_word(r->mdp, r->key, d) : "Y";
    if (!*word) {
      GROMACS_REFUSE(r->mdp, r->key, "%s: expected three times Y or N", r->key);
      return;
    }
    n += r->c->dim[d] = read_yes(r, word);
  }
  const int all = r->c->geometry >= PULL_RELATIVE;
  if (n == 0 || (all && n < 3))
    GROMACS_REFUSE(r->mdp, r->key, "%s: %s", r->key,
                   n == 0 ? "all directions are N" : "the geometry has all three directions here");
}

/* The row of the geometry; -1: it is refused. */
static int read_geometry(struct reader *r)
{
  const char *word = find(r, "pull-coord#-geometry|pull-geometry", "distance");
  for (int k = 0; k < GEOMETRIES; k++) {
    if (gromacs_word_find(geometries[k].word, word) < 0) continue;
    const char *why = geometries[k].refusal;
    if (geometries[k].geometry == PULL_CYLINDER && r->pull->is_old)
      why = "cylinders of GROMACS 4, of pull-r1 and pull-r0, have other weights";
    if (!why) return k;
    GROMACS_REFUSE(r->mdp, r->key, "%s = %.40s: %s", r->key, word, why);
    return -1;
  }
  GROMACS_REFUSE(
      r->mdp, r->key,
      "%s = %.40s: expected distance, direction, direction-periodic, direction-relative, "
      "cylinder, angle, angle-axis or dihedral",
      r->key, word);
  return -1;
}

/* The numbers of the groups, n of them. */
static int read_groups(struct reader *r, int n)
{
  struct pull_coordinate *c = r->c;
  c->n_groups = n;
  if (r->pull->is_old) {
    if (n == 2) c->group[1] = c->number;
    return n == 2;
  }
  find(r, "pull-coord#-groups", "");
  const int groups = r->pull->n_groups, given = gromacs_mdp_words(r->mdp, r->key);
  if (given != n)
    GROMACS_REFUSE(r->mdp, r->key, "%s: %d numbers of groups: the geometry has %d", r->key, given,
                   n);
  for (int k = 0; k < n && given == n; k++) {
    int64_t number;
    const char *word = gromacs_mdp_word(r->mdp, r->key, k);
    if (!parse_int(word, &number) || number < 0 || number > groups) {
      GROMACS_REFUSE(r->mdp, r->key, "%s: '%.40s' is no group: pull-ngroups is %d", r->key, word,
                     groups);
      return 0;
    }
    c->group[k] = (int)number;
  }
  return given == n;
}

/* Refuses groups that make no coordinate. */
static void check_groups(struct reader *r)
{
  const struct pull_coordinate *c = r->c;
  const int in_space = !*gromacs_pull_group(r->pull, c->group[0]);
  find(r, "pull-coord#-groups", "");
  for (int k = 0; k < c->n_groups; k += 2)
    if (c->group[k] == c->group[k + 1])
      GROMACS_REFUSE(r->mdp, r->key, "%s: group %d twice", r->key, c->group[k]);
  for (int k = 1; k < c->n_groups; k++)
    if (c->group[k] == 0)
      GROMACS_REFUSE(r->mdp, r->key, "%s: only the first can be 0, a place in space", r->key);
  if (in_space && (c->n_groups > 2 || c->geometry == PULL_CYLINDER))
    GROMACS_REFUSE(r->mdp, r->key, "%s: with this geometry the first must be a group", r->key);
  find(r, "pull-coord#-origin", "");
  if (!in_space && (c->origin[0] != 0 || c->origin[1] != 0 || c->origin[2] != 0))
    GROMACS_REFUSE(r->mdp, r->key, "%s: only a coordinate whose first group is 0 has an origin",
                   r->key);
}

/* The direction, of length 1, where the geometry has one. */
static void read_direction(struct reader *r)
{
  struct pull_coordinate *c = r->c;
  const int good = read_vector(r, "pull-coord#-vec|pull-vec#", 1e9, c->vec);
  const double length = sqrt(c->vec[0] * c->vec[0] + c->vec[1] * c->vec[1] + c->vec[2] * c->vec[2]);
  if (c->geometry == PULL_DISTANCE || (c->geometry >= PULL_RELATIVE && c->geometry != PULL_AXIS))
    return;
  if (!good) return;
  if (!(length > 0)) {
    GROMACS_REFUSE(r->mdp, r->key, "%s: the geometry needs a direction that is not 0 0 0", r->key);
    return;
  }
  for (int d = 0; d < 3; d++) {
    if (c->vec[d] != 0 && !c->dim[d])
      GROMACS_REFUSE(r->mdp, r->key, "%s: %c is not 0, and pull-coord%d-dim has N there", r->key,
                     "xyz"[d], c -> number);
    c->vec[d] /= length;
  }
}

/* The kind of the potential; -1: it is refused. */
static int read_type(struct reader *r)
{
  const char *pull = gromacs_mdp_value(r->mdp, "pull", ""); /* of old files the kind of all */
  const char *word =
      find(r, "pull-coord#-type", gromacs_word_find("no|yes", pull) < 0 ? pull : "umbrella");
  const char *key = *gromacs_mdp_value(r->mdp, r->key, "") ? r->key : "pull", *why = NULL;
  const int found = gromacs_word_find(types, word);
  if (gromacs_word_find("external-potential", word) >= 0)
    why = "potentials of other modules, as awh, are not there";
  else if (found < 0)
    why = "expected umbrella, constant-force, flat-bottom, flat-bottom-high or constraint";
  else if (found == PULL_CONSTRAINT && r->c->geometry != PULL_DISTANCE &&
           r->c->geometry != PULL_DIRECTION && r->c->geometry != PULL_PERIODIC)
    why = "constraints are of geometry distance, direction and direction-periodic";
  if (why) GROMACS_REFUSE(r->mdp, key, "%s = %.40s: %s", key, word, why);
  return why ? -1 : found;
}

/* Where the potential is, and how it moves. */
static void read_place(struct reader *r)
{
  struct pull_coordinate *c = r->c;
  const char *word = find(r, "pull-coord#-start|pull-start", "no");
  c->starts = read_yes(r, word);
  c->rate = read_real(r, "pull-coord#-rate|pull-rate#", 1e6);
  if (c->rate != 0 && c->type != PULL_FORCE &&
      (gromacs_mdp_real(r->mdp, "tinit", 0, -1e12, 1e12) != 0 ||
       gromacs_mdp_int(r->mdp, "init-step", 0, 0, INT64_MAX) != 0))
    GROMACS_REFUSE(r->mdp, r->key,
                   "%s: time counts from the begin of the run: tinit and init-step "
                   "must be 0",
                   r->key);
  c->init = read_real(r, "pull-coord#-init|pull-init#", 1e9);
  const double low = c->geometry == PULL_DIHEDRAL ? -180 : 0;
  const double high = c->geometry == PULL_DISTANCE ? DBL_MAX : 180;
  const int is_bounded = c->geometry == PULL_DISTANCE || c->geometry >= PULL_ANGLE;
  if (is_bounded && !c->starts && c->type != PULL_FORCE && (c->init < low || c->init > high))
    GROMACS_REFUSE(r->mdp, r->key, "%s = %g: %s", r->key, c->init,
                   c->geometry == PULL_DISTANCE
                       ? "a distance is not negative; geometry direction has a sign"
                   : low < 0 ? "expected an angle from -180 to 180 degrees"
                             : "expected an angle from 0 to 180 degrees");
}

/* The force constant, which lambda must not change. */
static void read_constant(struct reader *r)
{
  struct pull_coordinate *c = r->c;
  const double low = c->type == PULL_FORCE ? -1e12 : 0;
  find(r, "pull-coord#-k|pull-k#", "");
  c->k = gromacs_mdp_real(r->mdp, r->key, 0, low, 1e12);
  find(r, "pull-coord#-kB|pull-kB#", "");
  if (gromacs_mdp_choice(r->mdp, "free-energy") > 0 &&
      gromacs_mdp_real(r->mdp, r->key, c->k, low, 1e12) != c->k)
    GROMACS_REFUSE(r->mdp, r->key,
                   "%s: with free-energy it must be %g, as in state A: lambda does "
                   "not change biases",
                   r->key, c->k);
}

int gromacs_pull_read(const struct gromacs_pull *p, int number, struct pull_coordinate *c)
{
  struct reader r = {.pull = p, .mdp = p->mdp, .c = c};
  const int errors = gromacs_mdp_errors(p->mdp)->count;
  *c = (struct pull_coordinate){.number = number};
  const int row = read_geometry(&r);
  if (row >= 0) c->geometry = geometries[row].geometry;
  const int type = read_type(&r);
  if (row < 0 || type < 0) return 0;
  c->type = (enum pull_type)type;
  read_dim(&r);
  read_vector(&r, "pull-coord#-origin", 1e6, c->origin);
  if (read_groups(&r, geometries[row].groups)) check_groups(&r);
  read_direction(&r);
  read_place(&r);
  read_constant(&r);
  return gromacs_mdp_errors(p->mdp)->count == errors;
}
