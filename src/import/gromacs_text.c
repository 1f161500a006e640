/* See gromacs_text.h. Files that are being read form a stack. */
#include "import/gromacs_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/name_map.h"
#include "base/text.h"

enum {
  DEPTH_MOST = 64,       /* of files that include each other */
  CONDITIONS_MOST = 256, /* of #ifdef in #ifdef */
  INCLUDES_MOST = 20000,
  BYTES_MOST = 256 << 20, /* of all files together */
  LINE_MOST = 1 << 16,    /* bytes of a line */
  REPLACED_MOST = 4096,   /* macros in a line */
  PATH_MOST = 4096
};

struct file {
  const char *name;
  char *text, *next;
  int line;         /* of `next`, less one */
  int n_conditions; /* open where the file began */
};

struct condition {
  struct file_line where;
  int active, has_else;
  int wanted, name; /* 1: of #ifdef; its macro, a number in `named` */
};

struct gromacs_text {
  const struct gromacs_options *options;
  struct error_list *errors;
  struct name_map files; /* all that were opened */
  struct file stack[DEPTH_MOST];
  int depth, n_includes;
  size_t bytes;
  struct condition condition[CONDITIONS_MOST];
  int n_conditions, n_inactive;
  struct name_map named; /* macros of conditions */
  struct name_map macros;
  char **value;       /* of macros; NULL: not defined */
  int n_given;        /* macros of the options, which come first */
  char *used;         /* [n_given] 1: a line of the topology asks for it */
  char *line, *other; /* [LINE_MOST] each */
};

/* Ends all ranks with the errors so far, of which there is one. */
__attribute__((noreturn)) static void end_all(struct gromacs_text *t)
{
  error_list_check(t->errors);
  abort();
}

/* Adds an error at a place and ends all ranks. */
#define FAIL(t, where, ...)                                                                        \
  do {                                                                                             \
    LINE_ERROR((t)->errors, where, __VA_ARGS__);                                                   \
    end_all(t);                                                                                    \
  } while (0)

static struct file_line here(const struct gromacs_text *t)
{
  const struct file *f = &t->stack[t->depth - 1];
  return (struct file_line){f->name, f->line};
}

static void push_file(struct gromacs_text *t, const char *path, struct file_line from)
{
  if (t->depth == DEPTH_MOST)
    FAIL(t, from, "%d files include each other, the last '%s': is there a circle?", DEPTH_MOST,
         path);
  for (int k = 0; k < t->depth; k++)
    if (!strcmp(t->stack[k].name, path))
      FAIL(t, from, "'%s' includes itself, directly or by the files that it includes", path);
  if (t->n_includes++ == INCLUDES_MOST)
    FAIL(t, from, "more than %d files are included", INCLUDES_MOST);
  struct file *f = &t->stack[t->depth++];
  f->text = f->next = text_read_file(path, BYTES_MOST);
  const int number = name_map_put(&t->files, path);
  f->name = t->files.name[number];
  f->line = 0;
  f->n_conditions = t->n_conditions;
  t->bytes += strlen(f->text);
  if (t->bytes > BYTES_MOST)
    FAIL(t, from, "'%s': the files of the topology have more than %d MB together", path,
         BYTES_MOST >> 20);
}

/* 1 if a file can be opened there. */
static int is_file(const char *path)
{
  char why[160];
  FILE *file = text_open(path, BYTES_MOST, why);
  if (file) fclose(file);
  return file != NULL;
}

/* folder/name in path; 1 if that is a file. */
static int try_folder(const char *folder, size_t length, const char *name, char path[PATH_MOST])
{
  const int n = snprintf(path, PATH_MOST, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
  return n < PATH_MOST && is_file(path);
}

static int find_file(const struct gromacs_text *t, const char *name, char path[PATH_MOST])
{
  const char *from = t->stack[t->depth - 1].name, *slash = strrchr(from, '/');
  if (name[0] == '/') return try_folder("", 0, name, path);
  if (try_folder(from, slash ? (size_t)(slash - from) : 0, name, path)) return 1;
  for (int k = 0; k < t->options->n_folders; k++)
    if (try_folder(t->options->folder[k], strlen(t->options->folder[k]), name, path)) return 1;
  const char *library = getenv("GMXLIB");
  while (library && *library) {
    const size_t n = strcspn(library, ":");
    if (n && try_folder(library, n, name, path)) return 1;
    library += n + (library[n] == ':');
  }
  return 0;
}

static void include(struct gromacs_text *t, char *rest)
{
  const struct file_line where = here(t);
  char path[PATH_MOST];
  const char end = *rest == '<' ? '>' : '"';
  char *name = rest + 1, *close = *rest == '"' || *rest == '<' ? strchr(name, end) : NULL;
  if (!close || close == name) FAIL(t, where, "expected #include \"FILE\"");
  *close = 0;
  if (!find_file(t, name, path))
    FAIL(t, where,
         "'%s' is not in the folder of this file, nor in those of --include and of GMXLIB, or "
         "cannot be read",
         name);
  push_file(t, path, where);
}

static void define(struct gromacs_text *t, const char *name, const char *value)
{
  const int before = t->macros.n, k = name_map_put(&t->macros, name);
  if (k == before) {
    t->value = extend_array(t->value, k, sizeof *t->value);
    t->value[k] = NULL;
  }
  if (t->value[k] && value && strcmp(t->value[k], value) != 0 && t->depth > 0) {
    const struct file_line where = here(t);
    warn("%s:%d: macro %s becomes '%s', and was '%s'", where.file, where.line, name, value,
         t->value[k]);
  }
  free(t->value[k]);
  t->value[k] = value ? text_copy(value) : NULL;
}

static const char *value_of(struct gromacs_text *t, const char *name)
{
  const int k = name_map_find(&t->macros, name);
  if (k >= 0 && k < t->n_given && !t->n_inactive) t->used[k] = 1;
  return k < 0 ? NULL : t->value[k];
}

static int is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Cuts the first word off a text; the rest begins with no blank. */
static char *cut_word(char **text)
{
  char *word = *text, *end = word + strcspn(word, " \t");
  *text = end + strspn(end, " \t");
  if (*end) *end = 0;
  return word;
}

static void open_condition(struct gromacs_text *t, const char *name, int wanted)
{
  if (t->n_conditions == CONDITIONS_MOST)
    FAIL(t, here(t), "more than %d #ifdef in each other", CONDITIONS_MOST);
  struct condition *c = &t->condition[t->n_conditions++];
  *c = (struct condition){.where = here(t),
                          .active = (value_of(t, name) != NULL) == wanted,
                          .wanted = wanted,
                          .name = name_map_put(&t->named, name)};
  t->n_inactive += !c->active;
}

/* The innermost condition that began in the present file. */
static struct condition *last_condition(struct gromacs_text *t, const char *directive)
{
  if (t->n_conditions <= t->stack[t->depth - 1].n_conditions)
    FAIL(t, here(t), "#%s without #ifdef in this file", directive);
  return &t->condition[t->n_conditions - 1];
}

/* A line that begins with '#'. */
static void process(struct gromacs_text *t, char *line)
{
  const struct file_line where = here(t);
  char *rest = line + 1 + strspn(line + 1, " \t");
  const char *directive = cut_word(&rest);
  const int is_ifdef = !strcmp(directive, "ifdef"), is_ifndef = !strcmp(directive, "ifndef");
  const int is_define = !strcmp(directive, "define"), is_undef = !strcmp(directive, "undef");
  if (!strcmp(directive, "else")) {
    struct condition *c = last_condition(t, directive);
    if (c->has_else) FAIL(t, where, "a second #else for the #ifdef of line %d", c->where.line);
    c->has_else = 1;
    c->active = !c->active;
    t->n_inactive += c->active ? -1 : 1;
  } else if (!strcmp(directive, "endif")) {
    t->n_inactive -= !last_condition(t, directive)->active;
    t->n_conditions--;
  } else if (is_ifdef || is_ifndef || is_define || is_undef) {
    const char *name = cut_word(&rest);
    if (!*name) FAIL(t, where, "#%s without a name", directive);
    if (is_ifdef || is_ifndef)
      open_condition(t, name, is_ifdef);
    else if (!t->n_inactive)
      define(t, name, is_define ? rest : NULL);
  } else if (!strcmp(directive, "include")) {
    if (!t->n_inactive) include(t, rest);
  } else if (!t->n_inactive) {
    FAIL(t, where, "unknown directive '#%.40s'", directive);
  }
}

/* Copies a line to t->other with its macros replaced once; returns how many were. */
static int replace_once(struct gromacs_text *t, const char *line)
{
  int replaced = 0;
  size_t used = 0;
  for (const char *at = line; *at;) {
    const char *from = at;
    size_t n = 0;
    while (is_word(at[n]))
      n++;
    if (n > 0) {
      char name[256];
      const char *value = NULL;
      snprintf(name, sizeof name, "%.*s", (int)n, at);
      if (n < sizeof name) value = value_of(t, name);
      at += n;
      if (value) {
        replaced++;
        from = value;
        n = strlen(value);
      }
    } else {
      n = 1;
      at++;
    }
    if (used + n >= LINE_MOST)
      FAIL(t, here(t), "the line has more than %d bytes when its macros are replaced", LINE_MOST);
    memcpy(t->other + used, from, n);
    used += n;
  }
  t->other[used] = 0;
  return replaced;
}

static void replace_macros(struct gromacs_text *t)
{
  int total = 0, replaced;
  if (t->macros.n == 0) return;
  while ((replaced = replace_once(t, t->line)) > 0) {
    char *swap = t->line;
    t->line = t->other;
    t->other = swap;
    total += replaced;
    if (total > REPLACED_MOST)
      FAIL(t, here(t), "a macro in this line is defined by itself, or too many are replaced");
  }
}

/* Cuts the comment and blanks off; returns the line without leading blanks. */
static char *trim(char *line)
{
  line[strcspn(line, ";")] = 0;
  return text_trim(line);
}

/* Reads a line with those that continue it into t->line; 0 at the end of the file. */
static int read_line(struct gromacs_text *t)
{
  struct file *f = &t->stack[t->depth - 1];
  size_t used = 0;
  int more = *f->next != 0;
  const int any = more;
  while (more) {
    size_t n = strcspn(f->next, "\n"), bytes = n;
    const char *from = f->next;
    f->next += n + (f->next[n] == '\n');
    f->line++;
    while (bytes && isspace((unsigned char)from[bytes - 1]))
      bytes--;
    more = bytes && from[bytes - 1] == '\\';
    if (more) bytes--;
    if (used + bytes + 2 >= LINE_MOST)
      FAIL(t, here(t), "the line has more than %d bytes", LINE_MOST);
    memcpy(t->line + used, from, bytes);
    used += bytes;
    if (more) t->line[used++] = ' ';
    more = more && *f->next;
  }
  t->line[used] = 0;
  return any;
}

/* Says which macros of the options no line has asked for, as grompp does. */
static void warn_unused(const struct gromacs_text *t)
{
  for (int k = 0; k < t->n_given; k++)
    if (!t->used[k])
      warn(
          "%s: no line of the topology uses the macro '%s' of --define or of `define` in --mdp, so "
          "that it has no effect: is its name spelled as in #ifdef?",
          t->files.name[0], t->macros.name[k]);
}

char *gromacs_text_next(struct gromacs_text *t, struct file_line *where)
{
  while (t->depth > 0) {
    struct file *f = &t->stack[t->depth - 1];
    if (!read_line(t)) {
      if (t->n_conditions > f->n_conditions)
        FAIL(t, t->condition[t->n_conditions - 1].where, "this #ifdef has no #endif in its file");
      free(f->text);
      t->depth--;
      continue;
    }
    char *line = trim(t->line);
    if (line[0] == '#') {
      process(t, line);
    } else if (line[0] && !t->n_inactive) {
      replace_macros(t);
      *where = here(t);
      line = trim(t->line);
      if (line[0]) return line;
    }
  }
  warn_unused(t);
  return NULL;
}

const char *gromacs_text_set(const struct gromacs_text *t)
{
  for (int k = t->n_conditions - 1; k >= 0; k--)
    if (t->condition[k].wanted != t->condition[k].has_else)
      return t->named.name[t->condition[k].name];
  return NULL;
}

struct gromacs_text *gromacs_text_open(const char *path, const struct gromacs_options *o,
                                       struct error_list *m)
{
  struct gromacs_text *t = alloc_array(1, sizeof *t);
  t->options = o;
  t->errors = m;
  t->line = alloc_array(LINE_MOST, 1);
  t->other = alloc_array(LINE_MOST, 1);
  for (int k = 0; k < o->n_defines; k++) {
    char *name = text_copy(o->define[k]), *equal = strchr(name, '=');
    if (equal) *equal = 0;
    if (!*name) error_list_add(m, "--define", 0, "'%s' has no name", o->define[k]);
    define(t, name, equal ? equal + 1 : "");
    free(name);
  }
  t->n_given = t->macros.n;
  t->used = alloc_array(t->n_given, 1);
  push_file(t, path, (struct file_line){path, 0});
  return t;
}

const char *gromacs_text_file(const struct gromacs_text *t, int k)
{
  return k < t->files.n ? t->files.name[k] : NULL;
}

void gromacs_text_close(struct gromacs_text *t)
{
  if (!t) return;
  for (int k = 0; k < t->depth; k++)
    free(t->stack[k].text);
  for (int k = 0; k < t->macros.n; k++)
    free(t->value[k]);
  free(t->value);
  free(t->used);
  name_map_free(&t->files);
  name_map_free(&t->macros);
  name_map_free(&t->named);
  free(t->line);
  free(t->other);
  free(t);
}
