#include "base/words.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/parse.h"

char *text_trim(char *text)
{
  text += strspn(text, WORDS_BLANKS);
  size_t n = strlen(text);
  while (n && isspace((unsigned char)text[n - 1]))
    text[--n] = 0;
  return text;
}

char *line_next(char **text, int *line, char mark, const char **comment)
{
  const char end[] = {mark, 0};
  while (**text) {
    char *begin = *text;
    const size_t n = strcspn(begin, "\n");
    *text += n + (begin[n] == '\n');
    begin[n] = 0;
    *line += *line < INT_MAX;
    const size_t plain = strcspn(begin, end);
    if (comment) *comment = begin + plain + (plain < n);
    begin[plain] = 0;
    begin = text_trim(begin);
    if (*begin) return begin;
  }
  return NULL;
}

void words_split(struct words *w, char *line)
{
  char *rest;
  w->n = 0;
  for (char *word = strtok_r(line, WORDS_BLANKS, &rest); word;
       word = strtok_r(NULL, WORDS_BLANKS, &rest)) {
    if (w->n == WORDS_MOST) {
      WORDS_ERROR(w, "more than %d words in a line", WORDS_MOST);
      return;
    }
    w->word[w->n++] = word;
  }
}

int words_real(const struct words *w, int k, const char *what, double *value)
{
  if (k >= w->n)
    WORDS_ERROR(w, "%s is missing", what);
  else if (!parse_real(w->word[k], value))
    WORDS_ERROR(w, "%s: '%.60s' is not a finite number", what, w->word[k]);
  else
    return 1;
  return 0;
}

int words_int(const struct words *w, int k, const char *what, int64_t low, int64_t high,
              int64_t *value)
{
  int64_t got;
  if (k >= w->n)
    WORDS_ERROR(w, "%s is missing", what);
  else if (parse_int(w->word[k], &got) && got >= low && got <= high) {
    *value = got;
    return 1;
  } else if (high == INT64_MAX)
    WORDS_ERROR(w, "%s: '%.60s' is not an integer from %lld on", what, w->word[k], (long long)low);
  else
    WORDS_ERROR(w, "%s: '%.60s' is not an integer from %lld to %lld", what, w->word[k],
                (long long)low, (long long)high);
  return 0;
}
