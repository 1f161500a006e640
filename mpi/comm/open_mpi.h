/* What Open MPI needs to be told before MPI_Init. Other implementations of MPI ignore it. */
#ifndef OPEN_MPI_H
#define OPEN_MPI_H

/* Sets parameters that the user has not set, and may start the program anew, with the arguments
   argv. Local; before MPI_Init, and before anything that must not be done twice. */
void open_mpi_prepare(char **argv);

#endif
