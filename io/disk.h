/* Room on the disk, looked at before it is needed. Local. */
#ifndef DISK_H
#define DISK_H

/* Status 4 unless the disk that holds an existing file or folder has room for so many bytes. what:
   for the message ("a frame"). */
void disk_need(const char *path, const char *what, double bytes);

#endif
