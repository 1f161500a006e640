/* Standard input, output and error (not CUDA streams): makes lost output an error. */
#ifndef STREAMS_H
#define STREAMS_H

/* Call before any file is opened. A closed standard stream is connected to /dev/null, so that no
   data file gets its descriptor; writing to a closed standard output still fails. SIGPIPE and
   SIGXFSZ are ignored: the write returns an error instead. Ends the process with STATUS_INPUT or
   STATUS_IO if it may open too few files or write only very small ones. */
void streams_guard(void);

/* Flushes stdout. Returns 0, or the errno of a write that failed. */
int streams_flush(void);

#endif
