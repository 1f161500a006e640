#include "input/stages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "input/yaml_tree.h"

enum { STAGES_MOST = 1000, NAME_MOST = STAGE_NAME - 1 };

/* Words with which endings of other files of a run begin. */
static const char endings[] = "analysis|backup|checkpoint|csv|damaged|h5|h5md|lock|log|observables|"
                              "offender|performance|prev|psf|tmp|xmf";
/* Keys that stand beside the name of a stage, and what they set. */
static const char *const beside[][2] = {
    {"steps", "run.steps"}, {"minimise", "minimise"}, {"restraints", "restraints"}};
enum { BESIDE = sizeof beside / sizeof *beside };
/* Keys and sections of the run file that hold for all stages. */
static const char *const common[] = {"input",         "restart",     "stages",        "parallel",
                                     "output.prefix", "run.replica", "run.max_hours", "groups"};

static int is_name(const char *name)
{
  size_t n = 0;
  while (isalnum((unsigned char)name[n]) || (n > 0 && name[n] && strchr("_.+-", name[n])))
    n++;
  return n > 0 && n <= NAME_MOST && !name[n];
}

/* 1 if endings of other files begin with what a name begins with. */
static int is_ending(const char *name)
{
  char first[STAGE_NAME];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(name, "."), name);
  return word_list_find(endings, first) >= 0;
}

int stages_may_be_named(const char *name)
{
  return is_name(name) && !is_ending(name);
}

/* 1 if a name is another one, or that and something after a dot: files of one stage could have the
   names of files of the other. */
static int is_below(const char *name, const char *other)
{
  const size_t n = strlen(other);
  return !strncmp(name, other, n) && (!name[n] || name[n] == '.');
}

static void read_name(struct yaml_tree *t, int node, struct stages *s, int k)
{
  const int at = yaml_need(t, node, "name");
  const char *name = yaml_text(t, at, "");
  s->stage[k].name = text_copy(name);
  if (!name[0]) return;
  if (!is_name(name))
    yaml_add_error(t, at,
                   "'%.80s' is no name of a stage, which begins with a letter or digit and has at "
                   "most %d letters, digits and characters of _.+-",
                   name, NAME_MOST);
  else if (is_ending(name))
    yaml_add_error(t, at, "files of a run have the ending '.%.*s': choose another name",
                   (int)strcspn(name, "."), name);
  for (int j = 0; j < k; j++) {
    const char *other = s->stage[j].name;
    if (other[0] && !strcmp(name, other))
      yaml_add_error(t, at, "two stages have the name '%s'", name);
    else if (other[0] && (is_below(name, other) || is_below(other, name)))
      yaml_add_error(t, at,
                     "the stages '%s' and '%s' would have files of the same names: choose another "
                     "name for one",
                     other, name);
  }
}

/* The keys `set` of a stage, and those beside it. */
static void read_keys(struct yaml_tree *t, int node, struct params *p)
{
  const int set = yaml_get(t, node, "set");
  if (yaml_is_map(t, set) && yaml_count(t, set) == 0)
    yaml_add_error(t, set, "it sets nothing: write {section: {key: value}}, or leave it out");
  for (size_t k = 0; k < sizeof common / sizeof *common; k++)
    if (params_node(t, set, common[k]))
      yaml_add_error(t, params_node(t, set, common[k]),
                     "it is the same in all stages: write it outside of the list of stages");
  params_merge(p, t, set);
  for (int k = 0; k < BESIDE; k++) {
    const int at = yaml_get(t, node, beside[k][0]), again = params_node(t, set, beside[k][1]);
    if (!at) continue;
    if (again)
      yaml_add_error(t, again, "'%s' stands beside 'set' too: leave one out", beside[k][0]);
    params_merge_at(p, t, beside[k][1], at);
  }
}

static void read_stage(struct yaml_tree *t, int node, const struct params *base, struct stages *s,
                       int k)
{
  struct params *p = s->stage[k].params = params_for_stage(base, k + 1);
  const int before = yaml_errors(t);
  char keys[64] = "name|set";
  for (int j = 0; j < BESIDE; j++)
    word_list_add(keys, sizeof keys, beside[j][0]);
  if (!yaml_expect_map(t, node, keys)) {
    s->stage[k].name = text_copy("");
    return;
  }
  read_name(t, node, s, k);
  read_keys(t, node, p);
  const int minimise = yaml_get(t, node, "minimise"), steps = yaml_get(t, node, "steps");
  if (yaml_errors(t) == before && minimise && p->minimise_steps == 0)
    yaml_add_error(t, minimise, "how many steps? Write minimise: {steps: N}, N more than 0");
  if (minimise && steps)
    yaml_add_error(t, steps,
                   "this stage minimises, by at most minimise.steps: leave out 'steps', or write "
                   "two stages");
  char *prefix = text_format("%s.%s", base->output_prefix, s->stage[k].name);
  params_set_text(p, "output.prefix", prefix);
  free(prefix);
}

/* 1 if a stage sets a key itself; one that minimises has no use for those of steps. */
static int has_key(const struct yaml_tree *t, int node, const char *key)
{
  int has = params_node(t, yaml_get(t, node, "set"), key) || params_node(t, node, key);
  for (int k = 0; k < BESIDE; k++)
    has |= !strcmp(key, beside[k][1]) && yaml_get(t, node, beside[k][0]);
  return has || (yaml_get(t, node, "minimise") && !strncmp(key, "run.", 4));
}

/* 1 if a key is another one, or in the section of that name. */
static int is_within(const char *key, const char *name)
{
  const size_t n = strlen(name);
  return !strncmp(key, name, n) && (!key[n] || key[n] == '.');
}

/* Applies "section.key=value" to a stage. before: the stage in messages. */
static void set_in_stage(struct params *p, const char *before, const char *setting,
                         struct error_list *m)
{
  const int minimises = p->minimise_steps > 0, errors = m->count;
  char *key = text_format("%.*s", (int)strcspn(setting, "="), setting);
  char *place = text_format("%s%s", before, key);
  char *whole = text_format("%s%s", strcmp(key, "steps") ? "" : "run.", setting);
  for (size_t k = 0; k < sizeof common / sizeof *common; k++)
    if (is_within(key, common[k]))
      error_list_add(m, place, 0, "it is the same in all stages: leave out %s", before);
  if (minimises && !strncmp(whole, "run.", 4))
    error_list_add(m, place, 0, "this stage minimises, by at most minimise.steps");
  if (m->count == errors) params_override(p, whole, before, m);
  if (m->count == errors && (p->minimise_steps > 0) != minimises)
    error_list_add(m, place, 0, "this stage %s: change that in the list of stages",
                   minimises ? "minimises" : "is a run");
  free(whole);
  free(place);
  free(key);
}

/* Applies "stages.NAME.section.key=value". */
static void set_stage(struct stages *s, const char *setting, struct error_list *m)
{
  const char *name = setting + strlen(PARAMS_STAGES);
  struct nearest near = {{0}, 0};
  char hint[96];
  char *given = text_format("%.*s", (int)strcspn(name, ".="), name);
  for (int k = 0; k < s->n && s->stage[k].name; k++) {
    const size_t n = strlen(s->stage[k].name);
    nearest_offer(&near, given, s->stage[k].name);
    if (n == 0 || strncmp(name, s->stage[k].name, n) || name[n] != '.') continue;
    char *before = text_format("%s%s.", PARAMS_STAGES, s->stage[k].name);
    set_in_stage(s->stage[k].params, before, name + n + 1, m);
    free(before);
    free(given);
    return;
  }
  error_list_add(m, setting, 0,
                 s->stage[0].name
                     ? "there is no such stage (expected stages.NAME.SECTION.KEY=VALUE)%s"
                     : "the run file has no list of stages%s",
                 nearest_text(&near, hint));
  free(given);
}

static int is_of_stage(const char *setting)
{
  return !strncmp(setting, PARAMS_STAGES, strlen(PARAMS_STAGES));
}

/* An override that no stage would see is an error. */
static void refuse_setting(struct yaml_tree *t, int list, const char *setting)
{
  char *key = text_copy(setting);
  int n = 0;
  key[strcspn(key, "=")] = 0;
  for (int k = 0; k < yaml_count(t, list); k++)
    n += has_key(t, yaml_item(t, list, k), key);
  if (n == yaml_count(t, list))
    error_list_add(yaml_error_list(t), key, 0,
                   "each stage has a value of its own: write -s %sNAME.%s for one", PARAMS_STAGES,
                   setting);
  free(key);
}

struct stages *stages_read(const struct params *base, int n_settings, char *const *setting)
{
  struct params_value v = {0};
  params_open(&v, base, "stages");
  struct yaml_tree *t = v.tree;
  struct stages *s = alloc_array(1, sizeof *s);
  const int list = v.node, n = yaml_expect_list(t, list, 0, STAGES_MOST);
  s->n = n > 0 ? n : 1;
  s->stage = alloc_array(s->n, sizeof *s->stage);
  if (n == 0) s->stage[0].params = params_for_stage(base, 0);
  for (int k = 0; k < n; k++)
    read_stage(t, yaml_item(t, list, k), base, s, k);
  for (int k = 0; k < n_settings; k++)
    if (is_of_stage(setting[k]))
      set_stage(s, setting[k], yaml_error_list(t));
    else if (n > 0)
      refuse_setting(t, list, setting[k]);
  if (n > 0 && base->minimise_steps > 0)
    yaml_add_error(t, list,
                   "minimise.steps stands outside of the list, where it would hold for all stages: "
                   "write it in the stage that minimises");
  params_close(&v);
  return s;
}

void stages_link(struct stages *s)
{
  for (int k = 1; k < s->n; k++) {
    char *last = path_with(s->stage[k - 1].params->output_prefix, ".checkpoint.h5");
    params_set_text(s->stage[k].params, "input", last);
    free(last);
  }
}

int stages_find(const struct stages *s, const char *prefix)
{
  const size_t n = strlen(prefix);
  int found = -1;
  for (int k = 0; k < s->n && s->stage[k].name; k++) {
    const char *name = s->stage[k].name;
    const size_t m = strlen(name), most = found < 0 ? 0 : strlen(s->stage[found].name);
    if (m > most && n > m && prefix[n - m - 1] == '.' && !strcmp(prefix + n - m, name)) found = k;
  }
  return found;
}

void stages_destroy(struct stages *s)
{
  for (int k = 0; k < s->n; k++) {
    free(s->stage[k].name);
    params_destroy(s->stage[k].params);
  }
  free(s->stage);
  free(s);
}
