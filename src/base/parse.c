#include "base/parse.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *word_list_item(const char *list, int index, size_t *n)
{
  for (int k = 0;; k++) {
    *n = strcspn(list, "|");
    if (k == index) return list;
    if (!list[*n]) return NULL;
    list += *n + 1;
  }
}

int word_list_find(const char *list, const char *word)
{
  size_t n, length = strlen(word);
  for (int k = 0;; k++) {
    const char *item = word_list_item(list, k, &n);
    if (!item) return -1;
    if (n == length && strncmp(item, word, n) == 0) return k;
  }
}

void word_list_add(char *list, size_t bytes, const char *word)
{
  const size_t used = strlen(list);
  snprintf(list + used, bytes - used, "%s%s", used ? "|" : "", word);
}

static int min_int(int a, int b)
{
  return a < b ? a : b;
}

/* Edit distance in which swapping two neighbouring letters counts one (optimal string
   alignment). */
static int distance(const char *a, int na, const char *b, int nb)
{
  int row[3][64]; /* rows of the letters i - 2, i - 1 and i of a, by i % 3 */
  for (int j = 0; j <= nb; j++)
    row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      now[j] = min_int(min_int(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = min_int(now[j], before[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

static void offer(struct nearest *n, const char *word, const char *candidate, size_t length)
{
  size_t word_length = strlen(word);
  if (word_length >= sizeof n->best || length >= sizeof n->best) return;
  int d = distance(word, (int)word_length, candidate, (int)length);
  if (d > 1 + (int)word_length / 4 || d >= (int)length) return;
  if (n->best[0] && d >= n->distance) return;
  memcpy(n->best, candidate, length);
  n->best[length] = 0;
  n->distance = d;
}

void nearest_offer(struct nearest *n, const char *word, const char *candidate)
{
  offer(n, word, candidate, strlen(candidate));
}

int word_list_find_alias(const char *list, const char *word)
{
  static const char *const alias[][2] = {{"v-rescale", "bussi"}, {"c-rescale", "crescale"}};
  int found = word_list_find(list, word);
  for (size_t k = 0; k < sizeof alias / sizeof alias[0] && found < 0; k++)
    if (!strcasecmp(word, alias[k][0])) found = word_list_find(list, alias[k][1]);
  return found;
}

/* Offers the word of a list that does what GROMACS has another word for. */
static void offer_gromacs(struct nearest *n, const char *text, const char *list)
{
  static const char *const word[][2] = {
      {"nose-hoover", "bussi"}, {"sd", "langevin"}, {"parrinello-rahman", "crescale"}};
  for (size_t k = 0; k < sizeof word / sizeof word[0]; k++)
    if (!strcasecmp(text, word[k][0]) && word_list_find(list, word[k][1]) >= 0)
      nearest_offer(n, word[k][1], word[k][1]);
}

void nearest_offer_list(struct nearest *n, const char *word, const char *list)
{
  size_t length;
  const char *item;
  for (int k = 0; (item = word_list_item(list, k, &length)); k++)
    offer(n, word, item, length);
  offer_gromacs(n, word, list);
}

const char *nearest_text(const struct nearest *n, char text[96])
{
  text[0] = 0;
  if (n->best[0]) snprintf(text, 96, "; did you mean '%s'?", n->best);
  return text;
}

int parse_real(const char *text, double *value)
{
  size_t n = strlen(text);
  if (n == 0 || strspn(text, "+-.0123456789eE") != n) return 0;
  char *end;
  double v = strtod(text, &end);
  if (*end || end == text || !isfinite(v)) return 0;
  *value = v;
  return 1;
}

int parse_int(const char *text, int64_t *value)
{
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  size_t n = strlen(digits);
  double v;
  if (n > 0 && strspn(digits, "0123456789") == n) {
    while (n > 1 && digits[0] == '0')
      digits++, n--;
    /* 19 digits fit into an unsigned integer of 64 bits. */
    uint64_t u = n > 19 ? UINT64_MAX : strtoull(digits, NULL, 10);
    if (u > INT64_MAX) return 0;
    *value = text[0] == '-' ? -(int64_t)u : (int64_t)u;
    return 1;
  }
  if (!parse_real(text, &v) || v != floor(v) || fabs(v) > 9007199254740992.0) return 0;
  *value = (int64_t)v;
  return 1;
}

const char *format_real(double value, char text[FORMAT_REAL_BYTES])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, FORMAT_REAL_BYTES, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

char *format_yaml_string(const char *text)
{
  char *quoted = alloc_array((long long)(4 * strlen(text) + 3), 1), *to = quoted;
  *to++ = '"';
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      *to++ = '\\';
      *to++ = *text;
    } else if (c < 0x20 || c == 0x7f) {
      to += sprintf(to, "\\x%02x", c);
    } else {
      *to++ = *text;
    }
  }
  *to++ = '"';
  *to = 0;
  return quoted;
}
