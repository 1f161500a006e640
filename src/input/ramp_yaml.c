#include "input/ramp_yaml.h"

#include <stdio.h>

#include "base/parse.h"
#include "base/text.h"

#define TIME_MOST 1e15 /* ps */

/* [[ps, value], ...] */
static void read_points(struct yaml_tree *t, int list, struct ramp *r, double low, double high)
{
  struct ramp read = {yaml_expect_list(t, list, 1, RAMP_POINTS_MOST), r->periodic, {0}, {0}};
  for (int k = 0; k < read.n; k++) {
    const int point = yaml_item(t, list, k);
    if (!yaml_expect_list(t, point, 2, 2)) return;
    read.time[k] = yaml_real(t, yaml_item(t, point, 0), 0, 0, TIME_MOST);
    read.value[k] = yaml_real(t, yaml_item(t, point, 1), low, low, high);
    if (k > 0 && read.time[k] < read.time[k - 1])
      yaml_add_error(t, point, "the time %g ps is before that of the point before, %g ps",
                     read.time[k], read.time[k - 1]);
  }
  if (read.periodic && read.n > 0 && !(read.time[read.n - 1] > 0))
    yaml_add_error(t, list, "the time of the last point is the period, and must be above 0");
  else if (read.n > 0)
    *r = read;
}

void ramp_read(struct yaml_tree *t, int node, struct ramp *r, double low, double high)
{
  struct ramp read = ramp_constant(ramp_last(r));
  if (!node) return;
  if (yaml_is_list(t, node)) {
    read_points(t, node, &read, low, high);
  } else if (yaml_is_map(t, node)) {
    if (!yaml_expect_map(t, node, "points|periodic")) return;
    read.periodic = yaml_choice(t, yaml_get(t, node, "periodic"), 0, "no|yes");
    read_points(t, yaml_need(t, node, "points"), &read, low, high);
  } else {
    read = ramp_constant(yaml_real(t, node, read.value[0], low, high));
  }
  *r = read;
}

char *ramp_text(const struct ramp *r)
{
  char time[FORMAT_REAL_BYTES], value[FORMAT_REAL_BYTES];
  struct text_stream text;
  if (r->n == 1 && !r->periodic) return text_copy(format_real(r->value[0], value));
  FILE *out = text_begin(&text);
  fputs(r->periodic ? "{points: [" : "[", out);
  for (int k = 0; k < r->n; k++)
    fprintf(out, "%s[%s, %s]", k ? ", " : "", format_real(r->time[k], time),
            format_real(r->value[k], value));
  fputs(r->periodic ? "], periodic: yes}" : "]", out);
  return text_end(&text);
}

void edges_set(double edges[3], double value)
{
  for (int d = 0; d < 3; d++)
    edges[d] = value;
}

void edges_read(struct yaml_tree *t, int node, double edges[3], double low, double high)
{
  if (yaml_is_list(t, node))
    yaml_reals(t, node, 3, edges, low, high);
  else if (node)
    edges_set(edges, yaml_real(t, node, edges[0], low, high));
}

char *edges_text(const double edges[3])
{
  char text[3][FORMAT_REAL_BYTES];
  for (int d = 0; d < 3; d++)
    format_real(edges[d], text[d]);
  if (edges[0] == edges[1] && edges[1] == edges[2]) return text_copy(text[0]);
  return text_format("[%s, %s, %s]", text[0], text[1], text[2]);
}
