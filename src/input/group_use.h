/* Which groups of a run file others name. */
#ifndef GROUP_USE_H
#define GROUP_USE_H

/* Of the mapping `groups` as YAML text those that n other texts name, directly or through each
   other, as such a text; "[]": none. Caller frees. */
char *named_groups_used(const char *groups, const char *const *other, int n);

#endif
