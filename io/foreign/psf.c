/* Topology as PSF with wide columns (EXT; NAMD: fields separated by blanks, which allows long type
   names). Ranks format their beads; rank 0 writes them in rounds of ids, so memory does not grow
   with the system. */
#include "io/foreign/psf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/replace.h"
#include "base/version.h"
#include "molecules/bead_place.h"

enum { ROUND = 1 << 14 };

/* Text of this rank. */
struct page {
  FILE *out;
  char *text;
  size_t bytes;
};

static void page_open(struct page *p)
{
  p->out = open_memstream(&p->text, &p->bytes);
  if (!p->out) die(STATUS_INPUT, "out of memory");
}

/* A field: at most 8 characters, without blanks. */
static void psf_name(char field[9], const char *name)
{
  snprintf(field, 9, "%.8s", name[0] ? name : "-");
  for (char *c = field; *c; c++)
    if (*c <= ' ') *c = '_';
}

/* Writes the text of all ranks to the file, in rank order. */
static void page_write(const struct ranks *r, struct page *p, FILE *out)
{
  int64_t bytes;
  if (fclose(p->out)) die(STATUS_INPUT, "out of memory");
  char *all = ranks_gather(r, p->text, (int64_t)p->bytes, &bytes);
  if (r->rank == 0) fwrite(all, 1, (size_t)bytes, out);
  free(all);
  free(p->text);
}

/* The selected beads of this rank from the first-th, counted from 0, to the one before the last-th.
 */
static void add_beads(FILE *out, const struct system *s, const int *place,
                      const struct selection *selection, int64_t first, int64_t last)
{
  for (int64_t m = first; m < last; m++) {
    int64_t k = selection_bead(selection, m);
    const struct ff_type *type = &s->ff->type[s->beads.type[k]];
    int molecule_type = s->beads.molecule_type[k];
    const struct ff_residue *residue = bead_place_residue(s, k, place[k]);
    const int several = residue && s->ff->molecule[molecule_type].n_residues > 1;
    char name[9], molecule[9], of[9];
    psf_name(name, bead_place_name(s, k, place[k]));
    psf_name(molecule, molecule_type < 0 ? type->name : s->ff->molecule[molecule_type].name);
    psf_name(of, residue ? residue->name : molecule);
    fprintf(out, "%10lld %-8s %-8d %-8s %-8s %-6s %14.6f %13.4f %11d\n",
            (long long)(selection->first + m + 1), molecule,
            several ? residue->number : s->beads.molecule[k], of, name, type->name, type->charge,
            type->mass, 0);
  }
}

/* before: number of terms written before. A PSF line has 8 ids (bonds, dihedrals) or 9
   (angles). */
static void add_terms(FILE *out, const int64_t *id, int64_t n, int beads, int64_t before)
{
  int per_line = beads == 3 ? 3 : 8 / beads;
  for (int64_t k = 0; k < n; k++) {
    for (int j = 0; j < beads; j++)
      fprintf(out, "%10lld", (long long)id[beads * k + j]);
    if ((before + k + 1) % per_line == 0) fputc('\n', out);
  }
}

static void write_beads(const struct ranks *r, const struct system *s, const struct selection *t,
                        FILE *out)
{
  int *place = bead_places(r, s);
  for (int64_t start = 0; start < t->total; start += ROUND) {
    struct page page;
    page_open(&page);
    add_beads(page.out, s, place, t, clip(start - t->first, 0, t->n),
              clip(start + ROUND - t->first, 0, t->n));
    page_write(r, &page, out);
  }
  free(place);
}

/* The terms of a section of force fields as one of the PSF. */
struct psf_section {
  int section, beads, per_line;
  const char *title;
};

static void write_terms(const struct ranks *r, const struct system *s,
                        const struct selection *selection, const struct psf_section *of, FILE *out)
{
  const int beads = of->beads, per_line = of->per_line;
  int64_t *id, *row, done = 0;
  int64_t total = bonds_selected(selection, r, s, of->section, beads, 0, s->n, &id, &row);
  free(id);
  free(row);
  ranks_sum_int64(r, &total, 1);
  if (r->rank == 0) fprintf(out, "\n%10lld !%s\n", (long long)total, of->title);
  for (int64_t start = 1; start <= s->n_total; start += ROUND) {
    int64_t n = bonds_selected(selection, r, s, of->section, beads, clip(start - s->first, 0, s->n),
                               clip(start + ROUND - s->first, 0, s->n), &id, &row);
    int64_t all = n;
    struct page page;
    page_open(&page);
    add_terms(page.out, row, n, beads, done + ranks_before(r, n));
    ranks_sum_int64(r, &all, 1);
    done += all;
    page_write(r, &page, out);
    free(id);
    free(row);
  }
  if (r->rank == 0 && total % per_line != 0) fputc('\n', out);
}

void psf_write(const struct ranks *r, const char *path, const struct system *s,
               const struct selection *selection)
{
  static const struct psf_section sections[] = {{SECTION_bond, 2, 4, "NBOND: bonds"},
                                                {SECTION_angle, 3, 3, "NTHETA: angles"},
                                                {SECTION_dihedral, 4, 2, "NPHI: dihedrals"}};
  struct replacement file = {0};
  if (r->rank == 0) {
    file = replacement_open(path);
    fprintf(file.out,
            "PSF EXT NAMD\n\n%10d !NTITLE\n REMARKS lamella %s, force field %.24s%s%s\n\n", 1,
            LAMELLA_VERSION, s->ff->name, s->run.id[0] ? ", run " : "", s->run.id);
    fprintf(file.out, "%10lld !NATOM\n", (long long)selection->total);
  }
  write_beads(r, s, selection, file.out);
  for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++)
    write_terms(r, s, selection, &sections[k], file.out);
  if (r->rank == 0) {
    fprintf(file.out, "\n%10d !NIMPHI: impropers\n\n", 0);
    replacement_close(&file);
  }
  ranks_barrier(r);
}
