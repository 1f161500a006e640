/* Old files make room for new ones without being lost. Local. */
#ifndef BACKUP_H
#define BACKUP_H

/* Moves every file that a run of this prefix writes into the folder PREFIX.backup.N, N the first
   number that is free, and says so; nothing where there is none. Status 4 where that fails. */
void backup_prefix(const char *prefix);
/* Renames a file that cannot be used to NAME.damaged (or .damaged2, ...), and says so. */
void backup_aside(const char *name);

#endif
