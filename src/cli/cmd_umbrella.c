/* lamella umbrella: run files of the windows of a free energy along a coordinate. In each a moving
   umbrella pulls from the place where the input has the coordinate, and then stays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "input/param.h"
#include "io/state.h"
#include "md/biases.h"
#include "md/simulation.h"

enum { WINDOWS_MOST = 1000, DECIMALS_MOST = 6, TEXT_MOST = 1 << 20 };

static const struct option_help options[] = {
    {"coordinate", "NAME", NULL, .help = "of the list `coordinates` of the run file",
     .required = 1},
    {"windows", "LOW:HIGH:STEP", NULL,
     .help = "places of the umbrellas, in the unit of the coordinate; or a list, A,B,C",
     .required = 1},
    {"force-constant", "K", NULL,
     .help = "of the umbrellas, kJ/mol/u2, u the unit of the coordinate; default: 4 kT / STEP^2, "
             "so that "
             "windows are two standard deviations apart"},
    {"steps", "N", NULL, .help = "length of a window, without the pulling", .key = "run.steps"},
    {"pull-rate", "RATE", "0.001", .help = "velocity of the moving umbrella, u/ps"},
    {"run", NULL, NULL, .help = "then runs the windows, as lamella run PREFIX.w*.yaml does"},
    {OPTION_SET},
    {0},
};

static const char more[] =
    "Writes PREFIX.wPLACE.yaml for each window, PREFIX as output.prefix or the name of RUN.yaml: a "
    "run\n"
    "file with the stages `pull` and `md`. lamella run PREFIX.w*.yaml does them, and goes on after "
    "any\n"
    "stop; lamella-pmf PREFIX gives the profile. Windows may be added later.\n";

/* Places of windows, as they are written. */
struct windows {
  int n, decimals;
  double at[WINDOWS_MOST];
  double apart; /* the least distance of two; infinite: there is one */
};

static int decimals_of(const char *text)
{
  const char *dot = strchr(text, '.');
  const size_t n = dot ? strspn(dot + 1, "0123456789") : 0;
  return n > DECIMALS_MOST ? DECIMALS_MOST : (int)n;
}

/* Numbers between separators. Returns how many, at most `most`; -1: one is no number. */
static int split(const char *text, char separator, double *value, int most, int *decimals)
{
  int n = 0;
  for (const char *at = text;; at++) {
    const char ends[] = {separator, 0};
    char *one = text_format("%.*s", (int)strcspn(at, ends), at);
    const int known = n < most && parse_real(one, &value[n]);
    if (decimals_of(one) > *decimals) *decimals = decimals_of(one);
    at += strlen(one);
    free(one);
    if (!known) return -1;
    n++;
    if (!*at) return n;
  }
}

static void refuse_windows(const char *text, const char *why)
{
  die_all(STATUS_INPUT,
          "--windows=%s: %s; expected LOW:HIGH:STEP, such as 0:4:0.1, or a list such as "
          "0.45,0.55 of at most %d places",
          text, why, WINDOWS_MOST);
}

/* LOW:HIGH:STEP. Returns their number. */
static int places_of_range(const char *text, double *at, int *decimals)
{
  double range[3];
  if (split(text, ':', range, 3, decimals) != 3) refuse_windows(text, "not three numbers");
  if (!(range[2] > 0) || range[1] < range[0])
    refuse_windows(text, "LOW is above HIGH, or STEP not above 0");
  const double last = floor((range[1] - range[0]) / range[2] * (1 + 1e-9) + 1e-9);
  if (last >= WINDOWS_MOST) refuse_windows(text, "too many windows");
  for (int k = 0; k <= (int)last; k++)
    at[k] = range[0] + k * range[2];
  return (int)last + 1;
}

static void read_windows(struct windows *w, const char *text)
{
  char number[FORMAT_REAL_BYTES + DECIMALS_MOST];
  *w = (struct windows){.apart = (double)INFINITY};
  w->n = strchr(text, ':') ? places_of_range(text, w->at, &w->decimals)
                           : split(text, ',', w->at, WINDOWS_MOST, &w->decimals);
  if (w->n < 0) refuse_windows(text, "not a list of numbers");
  for (int k = 0; k < w->n; k++) {
    if (!(fabs(w->at[k]) < 1e9)) refuse_windows(text, "a place is too large");
    snprintf(number, sizeof number, "%.*f", w->decimals, w->at[k]);
    parse_real(number, &w->at[k]);
    if (w->at[k] == 0) w->at[k] = 0; /* not -0 */
    for (int m = 0; m < k; m++)
      w->apart = fmin(w->apart, fabs(w->at[k] - w->at[m]));
  }
  if (w->apart == 0) refuse_windows(text, "two windows have one place");
}

/* Of the coordinate that the windows are of. */
struct pulled {
  const char *name, *unit;
  double start, scale; /* its value in the input; in a unit of files per unit of the program */
  double most;         /* half the box, where the nearest image counts; else infinite */
  double range[2];     /* values that it can have */
};

/* Half the least edge of the box along the axes that a distance has. */
static double half_box(const struct coordinate *c, const double box[BOX])
{
  double most = (double)INFINITY;
  for (int d = 0; d < 3 && c->kind == COORDINATE_distance && !c->follows; d++)
    if (c->axis[d] != 0) most = fmin(most, 0.5 * box[d]);
  return most;
}

static struct pulled find_coordinate(const struct sim *s, const char *name)
{
  const struct bias_set *set = s->biases ? &s->biases->set : NULL;
  char names[COORDINATES_MOST * (BIAS_NAME + 1)] = "";
  for (int k = 0; set && k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    word_list_add(names, sizeof names, c->name);
    if (strcmp(name, c->name) != 0) continue;
    for (int j = 0; j < set->n_biases; j++)
      if (set->bias[j].coordinate == k && set->bias[j].kind == BIAS_umbrella)
        die_all(STATUS_INPUT,
                "--coordinate=%s: the run file has the umbrella '%s' on it; leave that out: "
                "each window gets its own",
                name, set->bias[j].name);
    const char *unit = coordinate_kind_info[c->kind].unit;
    const double scale = strcmp(unit, "deg") ? 1 : 180 / UNITS_PI;
    struct pulled of = {
        name, unit, biases_state(s)->value[k] * scale, scale, half_box(c, s->system->box), {0, 0}};
    biases_range(s, k, of.range);
    return of;
  }
  for (char *c = names; *c; c++)
    if (*c == '|') *c = ',';
  die_all(STATUS_INPUT,
          "--coordinate=%s: the run file has no such coordinate; in `coordinates` it has %s", name,
          names[0] ? names : "none");
}

/* The coordinate in the input of the run file. Collective. */
static struct pulled measure(struct ranks *r, const struct params *p, const char *name)
{
  struct system *y = state_read(r, p->input);
  struct sim *s = sim_create(r, p, y, SIM_STATE);
  const struct pulled c = find_coordinate(s, name);
  sim_destroy(s);
  system_destroy(y);
  return c;
}

/* Status 2 for windows that the coordinate cannot reach, and where the nearest image of the pulled
   group is on the other side. */
static void refuse_far(const struct windows *w, const struct pulled *c)
{
  for (int j = 0; j < w->n; j++)
    if (w->at[j] < c->range[0] * c->scale || w->at[j] > c->range[1] * c->scale + 1e-9)
      die_all(STATUS_INPUT, "the window at %.*f %s: %s is from %.4g to %.4g %s in this box",
              w->decimals, w->at[j], c->unit, c->name, c->range[0] * c->scale,
              c->range[1] * c->scale, c->unit);
    else if (fabs(w->at[j]) > 0.95 * c->most)
      die_all(STATUS_INPUT,
              "the window at %.*f %s is too near to half the box, %.4g %s, beyond which another "
              "image of the group is nearer: choose windows within %.4g %s, or a larger box",
              w->decimals, w->at[j], c->unit, c->most, c->unit, 0.95 * c->most, c->unit);
}

static double force_constant(const struct arguments *a, const struct params *p,
                             const struct windows *w, const struct pulled *c)
{
  const double apart = w->apart / c->scale;
  const double kt = UNITS_BOLTZMANN * ramp_last(&p->thermostat_temperature);
  if (!arguments_value(a, "force-constant") && w->n == 1)
    die_all(STATUS_INPUT,
            "one window: say --force-constant=K, which otherwise follows from their distance");
  return arguments_real(a, "force-constant", 0, 1e12, 4 * kt / (apart * apart));
}

/* A list in the text of a tree with one more item. Caller frees. */
static char *list_with(const char *list, const char *item)
{
  const char *end = strrchr(list, ']');
  const int n = end ? (int)(end - list) : 0, empty = !end || (int)strcspn(list, "[") + 1 == n;
  return text_format("%.*s%s%s]", end ? n : 1, end ? list : "[", empty ? "" : ", ", item);
}

/* A given seed becomes another one in each window, by its place: noise must not be common to all.
 */
static void set_seed(struct params *w, double place)
{
  const uint64_t number = 2 * (uint64_t)llround(fabs(place) * 1e6) + (place < 0);
  if (w->run_seed >= 0)
    params_set_int(w, "run.seed", (int64_t)(((uint64_t)w->run_seed + number) & INT64_MAX));
}

/* Sets the biases and stages of a window in a copy of the parameters. at: its place as written. */
static void set_window(struct params *w, const struct pulled *c, double k, double rate,
                       const char *at, double place)
{
  char number[3][FORMAT_REAL_BYTES];
  const double time = fabs(place - c->start) / rate;
  const double steps = fmax(1, ceil(time / w->run_dt));
  char *bias = text_format("{name: window, coordinate: %s, kind: umbrella, k: %s, at: ", c->name,
                           format_real(k, number[0]));
  char *fixed = text_format("%s%s}", bias, at);
  char *moving = text_format("%s[[0, %s], [%s, %s]]}", bias, format_real(c->start, number[1]),
                             format_real(fmax(time, w->run_dt), number[2]), at);
  char *all = list_with(w->biases, fixed), *pulling = list_with(w->biases, moving);
  char *stages =
      text_format("[{name: pull, steps: %.0f, set: {biases: %s}}, {name: md}]", steps, pulling);
  params_set_text(w, "biases", all);
  params_set_text(w, "stages", stages);
  free(stages);
  free(pulling);
  free(all);
  free(moving);
  free(fixed);
  free(bias);
}

/* Writes a run file, unless it is there as it would be. Rank 0. */
static void write_file(const char *path, const char *text)
{
  if (path_exists(path)) {
    char *old = text_read_file(path, TEXT_MOST);
    const int same = !strcmp(old, text);
    free(old);
    if (same) return;
    die(STATUS_INPUT,
        "'%s' is there, and is not what would be written now. To add windows, give the other "
        "options and the run file as before; to begin anew, move the files of the windows away",
        path);
  }
  struct replacement file = replacement_open(path);
  fputs(text, file.out);
  replacement_close(&file);
}

/* The names of the run files, which are written. Caller frees. Collective. */
static char **write_windows(const struct ranks *r, const struct params *p, const struct windows *w,
                            const struct pulled *c, double k, double rate)
{
  char **file = alloc_array(w->n, sizeof *file);
  for (int j = 0; j < w->n; j++) {
    char *at = text_format("%.*f", w->decimals, w->at[j]);
    struct params *of = params_for_stage(p, 0);
    char *prefix = text_format("%s.w%s", p->output_prefix, at);
    params_set_text(of, "output.prefix", prefix);
    set_window(of, c, k, rate, at, w->at[j]);
    set_seed(of, w->at[j]);
    char *text = params_text(of);
    file[j] = path_with(prefix, ".yaml");
    if (r->rank == 0) write_file(file[j], text);
    free(text);
    free(prefix);
    free(at);
    params_destroy(of);
  }
  ranks_barrier(r);
  return file;
}

/* Status 2 for keys that have no meaning in windows. */
static void refuse(const struct params *p, const char *file)
{
  if (!p->input[0])
    die_all(STATUS_INPUT, "%s has no `input`: the state that the windows begin from", file);
  if (strcmp(p->stages, "[]") != 0)
    die_all(
        STATUS_INPUT,
        "%s has `stages`: give the run file of one run, which each window does after the pulling",
        file);
  if (p->minimise_steps > 0) die_all(STATUS_INPUT, "%s minimises: windows are runs", file);
  if (p->output_coordinates_every == 0)
    die_all(STATUS_INPUT,
            "%s has output.coordinates_every: 0, but windows are analysed by these lines", file);
  if (strcmp(p->restart, "auto") != 0)
    die_all(STATUS_INPUT, "%s has `restart`: leave it out; windows begin at its input", file);
}

/* The longest way of pulling. Warns where mirrored windows would be near the start. */
static double farthest(const struct windows *w, const struct pulled *c)
{
  double far = 0, mirrored = 0;
  for (int j = 0; j < w->n; j++) {
    far = fmax(far, fabs(w->at[j] - c->start));
    mirrored = fmax(mirrored, fabs(-w->at[j] - c->start));
  }
  if (mirrored < 0.75 * far)
    warn("%s is %.4g %s at the start, on the other side of 0 than the windows, and is pulled "
         "through 0; in a symmetric membrane windows on its side need no such way: remove the "
         "run files of these windows and change the signs of LOW and HIGH",
         c->name, c->start, c->unit);
  return far;
}

static int umbrella_run(struct ranks *r, const struct arguments *a)
{
  const char *file = arguments_operand(a, 0);
  struct windows w;
  read_windows(&w, arguments_value(a, "windows"));
  const double rate = arguments_real(a, "pull-rate", 1e-9, 1e9, 0);
  struct params *p = params_load(file, a->n_settings, a->setting);
  refuse(p, file);
  if (!p->output_prefix[0]) {
    char *name = path_run_name(file);
    params_set_text(p, "output.prefix", name);
    free(name);
  }
  const struct pulled c = measure(r, p, arguments_value(a, "coordinate"));
  refuse_far(&w, &c);
  const double k = force_constant(a, p, &w, &c);
  char **files = write_windows(r, p, &w, &c, k, rate);
  const double far = farthest(&w, &c);
  info("%s is %.4g %s at the start; %d windows, force constant %.5g, pulled by up to %.4g %s in "
       "%.4g ps",
       c.name, c.start, c.unit, w.n, k, far, c.unit, far / rate);
  info("written: %s%s%s. lamella run %s.w*.yaml runs them, and lamella-pmf %s gives the profile",
       files[0], w.n > 1 ? " to " : "", w.n > 1 ? files[w.n - 1] : "", p->output_prefix,
       p->output_prefix);
  params_destroy(p);
  struct arguments go = *a;
  go.operand = files;
  go.n_operands = w.n;
  go.n_settings = 0;
  const int status = arguments_value(a, "run") ? command_run.run(r, &go) : STATUS_DONE;
  for (int j = 0; j < w.n; j++)
    free(files[j]);
  free(files);
  return status;
}

const struct command command_umbrella = {
    .name = "umbrella",
    .operands = "RUN.yaml",
    .least = 1,
    .most = 1,
    .summary = "Writes the run files of windows for a free energy along a coordinate",
    .more = more,
    .option = options,
    .run = umbrella_run,
};
