/* In what the implementations of MPI differ: environment variables of their launchers, and
   parameters before MPI_Init. A row for each is in implementation.c. */
#ifndef IMPLEMENTATION_H
#define IMPLEMENTATION_H

struct implementation {
  const char *in;   /* is in the text of MPI_Get_library_version; NULL: in any */
  const char *name; /* in messages */
  /* Names of environment variables; NULL: there is none. Those of its launcher: the number of this
     rank, the numbers of all ranks and of those on this node, whether each is bound to cores of its
     own, and whether ranks outnumber slots; and one that is set where it tells neither of these
     two. */
  const char *rank, *size, *local_size, *bound, *crowded, *silent;
  /* A parameter: waits within MPI give the core away, if its value is not 0 or false. */
  const char *yield;
  const char *yields; /* a value with which they do; NULL: there is none */
  /* In front of a path with a colon: ROMIO takes what is before the first one for the kind of the
     file system. NULL: it is part of the path. */
  const char *file_system;
  void (*prepare)(int is_launched); /* sets its other parameters; NULL: nothing to set */
};

/* The row of the library that this program has loaded. Local; also before MPI_Init. */
const struct implementation *implementation(void);

/* The value of an environment variable, NULL where it has no name or is not set; and 1 if it is
   true. Local. */
const char *implementation_variable(const char *name);
int implementation_is_on(const char *name);

/* Sets parameters that the user has not set, and may start the program anew, with the arguments
   argv. Local; before MPI_Init, and before anything that must not be done twice. */
void implementation_prepare(char **argv);

/* After log_open, with the number of ranks: ends the program where its launcher is that of another
   MPI and has started it as one of several, each of which is alone. Local. */
void implementation_check_launcher(int size);

#endif
