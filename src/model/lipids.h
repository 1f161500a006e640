/* Which molecules are lipids, and which of their beads are heads and tails: one answer for runs,
   observables and all commands. Host memory, the same on every rank.

   Unless the run file says it (section membrane), a molecule type is a lipid if it has a head and a
   tail (tails are beads without charge and dipole) and its molecules stand in the layer
   (leaflets_stand). Without a layer by which to see that, types with the name of an amino acid or
   nucleotide and types of more than LIPID_BEADS_MOST beads are no lipids. Proteins and nucleic
   acids of several residues never are. The heads are the first of these that the type has:
   - phosphates: beads of the type or name P, or whose name begins with PO4
   - the bead ROH of a sterol
   - the bead AM1 of a ceramide or ganglioside
   - its beads with charge or dipole, if bonds among these connect them and the molecule has an end
     of two beads that are neither, bonded in a row
   - the bead GL1 of a glyceride.
   Beads of polyethylene glycol are no tails. So water of several beads, sugars and solvents are no
   lipids. Molecules of no type of the force field are judged by their own beads and bonds. */
#ifndef LIPIDS_H
#define LIPIDS_H

#include "model/topology.h"

enum { LIPID_BEADS_MOST = 40 };

/* What a bead of a lipid is, as bits. Tails are beads without charge and dipole that are no heads.
 */
enum { LIPID_HEAD = 1, LIPID_TAIL = 2 };

/* Of a molecule type. */
struct lipid_type {
  int is_lipid;
  int is_odd;  /* 1: has head and tail, but the name of a residue, or more than LIPID_BEADS_MOST
                  beads: a lipid only if it stands in the layer */
  int is_said; /* 1: the user says that it is a lipid */
  int headed;  /* 1: its heads are phosphates, or given: thickness is measured between such heads */
  char *mark;  /* [n_beads]: bits LIPID_HEAD and LIPID_TAIL; if it is no lipid NULL, or the marks
                  that it would have */
};

struct lipids {
  const struct forcefield *ff; /* borrowed */
  struct lipid_type *type;     /* [n_molecules] */
  int64_t *molecules;          /* [n_molecules]: of the system; NULL: unknown */
  int is_given;                /* 1: the run file names the lipids: no others are */
  int is_flat;                 /* 1: they count as a flat bilayer, or several, wherever they are */
};

/* A molecule as arrays of its beads have it. */
struct molecule_beads {
  int n, molecule_type;      /* -1: none of the force field */
  const int32_t *type, *env; /* [n] */
  const int64_t *id;         /* [n], ascending; NULL: they follow each other */
};

/* The lipids of a force field by the rule above, as far as no positions are needed. */
struct lipids *lipids_create(const struct forcefield *ff);
/* Makes any molecule type of at least two beads a lipid. */
void lipids_include(struct lipids *l, int molecule);
void lipids_exclude(struct lipids *l, int molecule);
/* Makes the beads of a name the heads of a lipid, beside those that it has if more is 1. Returns 0
   if it has no bead of the name. */
int lipids_set_head(struct lipids *l, int molecule, const char *name, int more);
/* 1 if beads of a lipid are known as heads. */
int lipids_has_heads(const struct lipids *l, int molecule);
void lipids_destroy(struct lipids *l);

/* The bead of a molecule whose id is that of bead k plus a difference; -1: none. */
int molecule_partner(const struct molecule_beads *m, int k, int64_t difference);
/* Sets mark[n] of the beads of a molecule, and *headed. Returns 0, and marks nothing, if it is no
   lipid. */
int lipids_mark(const struct lipids *l, const struct topology *t, const struct molecule_beads *m,
                char *mark, int *headed);
/* The lipids of the system as the key membrane.lipids: [POPC]. Caller frees. */
char *lipids_list(const struct lipids *l);
/* The lipids of the system and their heads as the section membrane of a run file: {lipids: [POPC],
   heads: {POPC: [PO4]}}. Caller frees. */
char *lipids_text(const struct lipids *l);
/* The beads with a mark of every lipid of the system, {POPC: [PO4]}. own: marks
   [n_molecules][beads], NULL: of no lipid. Caller frees. */
char *lipids_marked(const struct lipids *l, char *const *own, int bit);
/* The molecules of the system that are lipids of a type of the force field. Needs l->molecules. */
int64_t lipids_count(const struct lipids *l);

#endif
