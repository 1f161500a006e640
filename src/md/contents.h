/* Fingerprints of what files held that the run file names and forces read: maps of fields, tables
   of biases, the input of PLUMED. States keep them, so that a job that goes on with other contents
   says it. Tables of a force field are in its text. */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "md/sim.h"

/* where: "run.yaml:7: fields[1].file", the place of the file's name. */
typedef void contents_change(void *argument, const char *where, const char *path, uint64_t was,
                             uint64_t now);
/* Sets the fingerprints of a run in the record of the system, whose fields and biases are open.
   Calls `each` on all ranks for every file of which the record had another one. Collective. */
void contents_compare(struct sim *s, contents_change *each, void *argument);
/* The same for a job: changes are warned of, and stand in the history of the run. So it warns of
   index files whose groups are not those that the run has from its start. */
void contents_note(struct sim *s);

#endif
