/* Keeps existing files when a run writes new ones of the same name. Local. */
#ifndef BACKUP_H
#define BACKUP_H

/* Moves every file that a run of this prefix writes into the folder PREFIX.backup.N, where N is the
   first free number, and prints its name. Does nothing if there is no such file. Dies with
   STATUS_IO if moving fails. */
void backup_prefix(const char *prefix);
/* Renames a file of an earlier run to .prev, and checks that a new one can be written. */
void backup_previous(const char *path);
/* Gives a damaged file a second name (hard link), PATH.damaged or the first free one of
   PATH.damaged2, ..., and returns it; the caller frees it. Without hard links the file is renamed.
   A file that has such a link already, made by a job that was killed here, gets no other. */
char *backup_link_damaged(const char *path);
/* Renames a damaged file in the same way and prints the new name. */
void backup_rename_damaged(const char *name);

#endif
