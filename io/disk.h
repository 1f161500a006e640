/* Free disk space. Local. */
#ifndef DISK_H
#define DISK_H

/* The free bytes of the disk of a file, which need not exist; NaN where they are unknown. */
double disk_free(const char *path);
/* Dies with STATUS_IO if it has fewer. what: for the message ("a frame"). */
void disk_require(const char *path, const char *what, double bytes);

#endif
