/* Reading of PQR files: see pqr.h. */
#include "io/foreign/pqr.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"

#define NM_PER_ANGSTROM 0.1
#define LARGEST 1e6                    /* of a coordinate (angstrom) and of a charge (e) */
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* UTF-8 */
enum { FIELDS_LEAST = 10, FIELDS_MOST = 11 };

struct reader {
  FILE *file;
  const char *path;
  long long line; /* from 1 */
  char *text;     /* of it */
  size_t room;
  int chains;       /* 1: an atom before had a chain */
  long long unsure; /* line of the first atom without, whose x has no decimal point; 0: none */
  char x[16];       /* that x */
  struct pqr *p;
};

static double number(const struct reader *in, const char *text, const char *what)
{
  double value;
  if (!parse_real(text, &value))
    die(STATUS_INPUT, "%s, line %lld: %s '%.40s' is not a number", in->path, in->line, what, text);
  if (fabs(value) > LARGEST)
    die(STATUS_INPUT, "%s, line %lld: %s %.40s is larger than %g", in->path, in->line, what, text,
        LARGEST);
  return value;
}

/* A residue number has a digit, or stars where it did not fit; a chain may touch it. A chain alone
   is no residue number, nor is a residue name without digits. */
static int is_residue_number(const char *text)
{
  return strpbrk(text, "0123456789*") != NULL;
}

/* Dies if a field is missing: an atom with a chain then has as many fields as one without, but the
   chain in the place of the residue number and the residue number in that of x. */
static void check_fields(struct reader *in, char *const *field, int n)
{
  const char *residue = field[n - 6];
  const int chain = n == FIELDS_MOST;
  if (!is_residue_number(residue))
    die(STATUS_INPUT,
        "%s, line %lld: '%.40s' is in the place of the residue number: perhaps a field is missing. "
        "An atom has ATOM, number, name, residue, (chain,) residue number, x, y, z, charge, radius",
        in->path, in->line, residue);
  if (!chain && !in->unsure && !strpbrk(field[n - 5], ".eE")) {
    in->unsure = in->line;
    snprintf(in->x, sizeof in->x, "%s", field[n - 5]);
  }
  in->chains |= chain;
  if (in->chains && in->unsure)
    die(STATUS_INPUT,
        "%s, line %lld: x '%s' has no decimal point: perhaps a field is missing, since other atoms "
        "have a chain and this one has not. Write %s.0 if it is x",
        in->path, in->unsure, in->x, in->x);
}

static void add_atom(struct reader *in, char *const *field, int n)
{
  static const char *const name[] = {"x", "y", "z", "charge", "radius"};
  double value[5];
  if (n < FIELDS_LEAST || n > FIELDS_MOST)
    die(STATUS_INPUT,
        "%s, line %lld: an atom has %s%d fields; it needs ATOM, number, name, residue, (chain,) "
        "residue number, x, y, z, charge and radius, separated by white space%s",
        in->path, in->line, n > FIELDS_MOST ? "more than " : "", n > FIELDS_MOST ? FIELDS_MOST : n,
        n < FIELDS_LEAST ? ": perhaps columns of numbers touch" : "");
  check_fields(in, field, n);
  for (int k = 0; k < 5; k++)
    value[k] = number(in, field[n - 5 + k], name[k]);
  if (value[4] < 0)
    die(STATUS_INPUT, "%s, line %lld: the radius %g is negative", in->path, in->line, value[4]);
  struct pqr *p = in->p;
  p->x = extend_array(p->x, p->n, 3 * sizeof *p->x);
  p->q = extend_array(p->q, p->n, sizeof *p->q);
  for (int k = 0; k < 3; k++)
    p->x[3 * p->n + k] = value[k] * NM_PER_ANGSTROM;
  p->q[p->n++] = value[3];
}

/* Reads one line; 0 at the end of the file, or at a line END or ENDMDL. */
static int read_line(struct reader *in)
{
  static const char white[] = " \t\r\v\f";
  char *field[FIELDS_MOST + 1], *rest;
  int n = 0;
  in->line++;
  if (!text_line(in->file, in->path, &in->text, &in->room)) return 0;
  const int mark = in->line == 1 && !strncmp(in->text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK));
  for (char *word = strtok_r(in->text + (mark ? strlen(BYTE_ORDER_MARK) : 0), white, &rest);
       word && n <= FIELDS_MOST; word = strtok_r(NULL, white, &rest))
    field[n++] = word;
  if (n == 0) return 1;
  if (strcasecmp(field[0], "ATOM") == 0 || strcasecmp(field[0], "HETATM") == 0)
    add_atom(in, field, n);
  else if (strncasecmp(field[0], "ATOM", 4) == 0 || strncasecmp(field[0], "HETATM", 6) == 0)
    die(STATUS_INPUT,
        "%s, line %lld: '%.20s' touches the next field; fields are separated by white space",
        in->path, in->line, field[0]);
  return strcasecmp(field[0], "END") != 0 && strcasecmp(field[0], "ENDMDL") != 0;
}

static void read_all(const char *path, struct pqr *p)
{
  char why[160];
  struct reader in = {.path = path, .p = p, .file = text_open(path, SIZE_MAX, why)};
  if (!in.file) die(STATUS_IO, "cannot read '%s': %s", path, why);
  while (read_line(&in))
    ;
  fclose(in.file);
  free(in.text);
  if (p->n == 0)
    die(STATUS_INPUT, "%s: it has no atom (a line that begins with ATOM or HETATM)", path);
}

/* Rank 0 passes the records of all atoms, which are freed, and each rank gets those of its block.
 */
static double *keep_block(const struct ranks *r, const int64_t *count, size_t record, double *all)
{
  int64_t received;
  double *block = ranks_exchange(r, record, all, count, NULL, &received);
  free(all);
  return block;
}

void pqr_read(const struct ranks *r, const char *path, struct pqr *p)
{
  memset(p, 0, sizeof *p);
  if (r->rank == 0) read_all(path, p);
  int64_t n = p->n, *count = alloc_array(r->size, sizeof *count);
  for (int k = 0; k < r->size; k++)
    count[k] = n * (k + 1) / r->size - n * k / r->size;
  p->x = keep_block(r, count, 3 * sizeof *p->x, p->x);
  p->q = keep_block(r, count, sizeof *p->q, p->q);
  free(count);
  ranks_broadcast(r, &n, sizeof n);
  p->n = n * (r->rank + 1) / r->size - n * r->rank / r->size;
}

void pqr_free(struct pqr *p)
{
  free(p->x);
  free(p->q);
  memset(p, 0, sizeof *p);
}
