/* PLUMED as a library that is loaded when a run begins: the functions of its symbol table, version
   2 or later (PLUMED 2.5), which report errors and throw nothing. What it is told, and in which
   order, is in md/plumed.c. Local, for one rank. */
#ifndef PLUMED_LIBRARY_H
#define PLUMED_LIBRARY_H

struct plumed_library;

/* Loads the library that the environment variable PLUMED_KERNEL names. Status 2 if there is none,
   or it is not PLUMED. */
struct plumed_library *plumed_library_open(void);
/* Ends PLUMED, which completes its files. NULL: nothing. */
void plumed_library_close(struct plumed_library *l);
/* Its path. */
const char *plumed_library_path(const struct plumed_library *l);
/* What errors are about: the input file, and the log, which the caller keeps. */
void plumed_library_about(struct plumed_library *l, const char *input, const char *log);
/* A command of PLUMED with the address of its value. An error ends the program: with status 2, or,
   if step >= 0, with status 3. */
void plumed_command(struct plumed_library *l, long long step, const char *key, const void *value);

#endif
