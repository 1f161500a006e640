/* Old files make room for new ones without being lost. Local. */
#ifndef BACKUP_H
#define BACKUP_H

/* Moves every file that a run of this prefix writes into the folder PREFIX.backup.N, N the first
   number that is free, and says so; nothing where there is none. Status 4 where that fails. */
void backup_prefix(const char *prefix);
/* Gives a file that cannot be used the further name PATH.damaged (or .damaged2, ...: one that no
   other file has), and returns that. On a disk without hard links the file loses its old name. A
   file that has such a name already, from a job that was killed here, gets no other. Caller frees.
 */
char *backup_link(const char *path);
/* Renames a file in that way, and says so. */
void backup_aside(const char *name);

#endif
