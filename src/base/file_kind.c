#include "base/file_kind.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"

enum { HEAD = 4096 };

static const struct {
  const char *name, *way;
} kinds[FILE_KINDS] = {
    {"", ""},
#define KIND(kind, name, way) {name, way},
#include "base/file_kind_list.h"
};

/* What binary files begin with: bytes from a place on. */
static const struct {
  enum file_kind kind;
  size_t at, n;
  const char *bytes;
} marks[] = {
    {FILE_HDF5, 0, 8, "\x89HDF\r\n\x1a\n"},
    {FILE_TRR, 0, 4, "\x00\x00\x07\xc9"},
    {FILE_XTC, 0, 4, "\x00\x00\x07\xcb"},
    {FILE_XTC, 0, 4, "\x00\x00\x07\xe7"},
    {FILE_CPT, 0, 4, "\x00\x02\x9f\x29"},
    {FILE_TPR, 8, 8, "VERSION "},
    {FILE_EDR, 0, 4, "\xff\xff\x26\xfd"},
    {FILE_DCD, 4, 4, "CORD"},
    {FILE_GZIP, 0, 2, "\x1f\x8b"},
    {FILE_GZIP, 0, 4, "PK\x03\x04"},
    {FILE_GZIP, 0, 3, "BZh"},
    {FILE_GZIP, 0, 5,
     "\xfd"
     "7zXZ"},
};

/* The first bytes of a regular file; returns their number. */
static size_t read_head(const char *path, char head[HEAD + 1])
{
  struct stat about;
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  ssize_t n = 0;
  if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode))
    n = pread(file, head, HEAD, 0);
  if (file >= 0) close(file);
  if (n < 0) n = 0;
  head[n] = 0;
  return (size_t)n;
}

static const char *next_line(const char *text)
{
  text += strcspn(text, "\n");
  return *text ? text + 1 : text;
}

static int is_pdb(const char *text)
{
  char record[7];
  snprintf(record, sizeof record, "%.6s", text);
  return word_list_find("HEADER|TITLE |REMARK|CRYST1|ATOM  |HETATM|MODEL |COMPND|EXPDTA|AUTHOR",
                        record) >= 0;
}

static int is_cif(const char *text)
{
  static const char *const first[] = {"data_", "loop_", "_cell.", "_entry.", "_atom_site."};
  int found = 0;
  while (*text == '#' || isspace((unsigned char)*text))
    text = *text == '#' ? next_line(text) : text + 1;
  for (size_t k = 0; k < sizeof first / sizeof first[0]; k++)
    found |= !strncmp(text, first[k], strlen(first[k]));
  return found;
}

/* The row after a title and the number of atoms; NULL where no such number stands in the second
 * line. */
static const char *gro_row(const char *text)
{
  const char *count = next_line(text), *row = next_line(count);
  const size_t blanks = strspn(count, " \t"), digits = strspn(count + blanks, "0123456789");
  const size_t rest = strspn(count + blanks + digits, " \t\r");
  return digits > 0 && count[blanks + digits + rest] == '\n' ? row : NULL;
}

/* 1 if the row has three decimal points where coordinates stand. */
static int has_coordinates(const char *row)
{
  const size_t length = strcspn(row, "\n");
  int points = 0;
  for (size_t k = 20; k < length; k++)
    points += row[k] == '.';
  return points >= 3;
}

/* Topologies and run parameters, by the first line that is no comment. */
static enum file_kind kind_of_lines(const char *text)
{
  static const char *const first[] = {"#include", "#define", "#ifdef", "#ifndef"};
  static const char *const directives[] = {"defaults", "atomtypes", "moleculetype", "system"};
  while (*text && strchr("; \t\r\n", *text))
    text = *text == ';' ? next_line(text) : text + 1;
  for (size_t k = 0; k < sizeof first / sizeof first[0]; k++)
    if (!strncmp(text, first[k], strlen(first[k]))) return FILE_TOP;
  const char *name = text + 1 + strspn(text + (*text != 0), " \t");
  for (size_t k = 0; *text == '[' && k < sizeof directives / sizeof directives[0]; k++)
    if (!strncmp(name, directives[k], strlen(directives[k]))) return FILE_TOP;
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || (text[n] && strchr("-_", text[n])))
    n++;
  return n > 0 && text[n + strspn(text + n, " \t")] == '=' ? FILE_MDP : FILE_UNKNOWN;
}

enum file_kind file_kind_of(const char *path)
{
  char head[HEAD + 1];
  const size_t n = read_head(path, head);
  for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
    if (n >= marks[k].at + marks[k].n && !memcmp(head + marks[k].at, marks[k].bytes, marks[k].n))
      return marks[k].kind;
  if (memchr(head, 0, n)) return FILE_UNKNOWN;
  const char *row = gro_row(head);
  if (row) return has_coordinates(row) ? FILE_GRO : FILE_UNKNOWN;
  if (is_cif(head)) return FILE_CIF;
  return is_pdb(head) ? FILE_PDB : kind_of_lines(head);
}

const char *file_kind_other(const char *path, enum file_kind wanted, const char *expected,
                            char text[FILE_KIND_TEXT])
{
  const enum file_kind kind = file_kind_of(path);
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
  size_t used = 0;
  if (kind == FILE_UNKNOWN || kind == wanted) return NULL;
  used += (size_t)snprintf(text, FILE_KIND_TEXT, "it is %s, not %s: ", kinds[kind].name, expected);
  for (const char *c = kinds[kind].way; *c && used < FILE_KIND_TEXT - 1; c++) {
    const size_t room = FILE_KIND_TEXT - used;
    const size_t n = *c == '@' ? strlen(path) : *c == '~' ? stem : 1;
    used += (size_t)snprintf(text + used, room, "%.*s", (int)n, *c == '@' || *c == '~' ? path : c);
  }
  return text;
}

void file_kind_require(const char *path, enum file_kind wanted, const char *expected)
{
  char text[FILE_KIND_TEXT];
  const char *other = file_kind_other(path, wanted, expected, text);
  if (other) die_all(STATUS_INPUT, "%s: %s", path, other);
}
