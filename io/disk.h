/* Free disk space. Local. */
#ifndef DISK_H
#define DISK_H

/* The free bytes of the disk of an existing file or folder; NaN where they are unknown. */
double disk_free(const char *path);
/* Dies with STATUS_IO if the disk of an existing file or folder has fewer free bytes. what: for the
   message ("a frame"). */
void disk_require(const char *path, const char *what, double bytes);

#endif
