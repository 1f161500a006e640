/* Memory allocation that cannot fail. Local. */
#ifndef MEMORY_H
#define MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of memory of this computer or container; infinity if unknown. */
double memory_bytes(void);

/* Dies with STATUS_INPUT if this machine has less memory than `bytes`. Linux grants more memory
   than there is and kills the process that uses it. what: start of the message ("5000 beads"). */
void memory_require(double bytes, const char *what);

/* Returns zeroed memory for count elements of size bytes (count may be 0). Dies with STATUS_INPUT
   if count * size overflows or memory runs out. */
void *alloc_array(long long count, unsigned long size);
/* realloc with the same checks. The contents are kept; new bytes are not set. */
void *grow_array(void *old, long long count, unsigned long size);
/* Returns the array of n elements with room for one more. It must be NULL for n = 0, and grow by
   this function only: its room doubles, and follows from n. */
void *extend_array(void *old, long long n, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
