/* Checks free disk space before it is needed. Local. */
#ifndef DISK_H
#define DISK_H

/* Dies with STATUS_IO if the disk of an existing file or folder has fewer free bytes. what: for the
   message ("a frame"). */
void disk_require(const char *path, const char *what, double bytes);

#endif
