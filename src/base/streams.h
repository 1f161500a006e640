/* The standard streams, so that no result is lost unnoticed. */
#ifndef STREAMS_H
#define STREAMS_H

/* Before anything is opened. A closed standard input, output or error is connected to /dev/null, so
   that no file gets its number and no message goes into a data file; writing to a closed standard
   output still fails. A broken pipe and a file beyond its size limit become errors of the write. */
void streams_guard(void);

/* Brings what was printed to the standard output. 0, or the errno of a write that failed. */
int streams_flush(void);

#endif
