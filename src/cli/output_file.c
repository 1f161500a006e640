#include "cli/output_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/summary.h"

struct output_file output_file_lock(const struct ranks *r, const char *path)
{
  path_check(r, path);
  char *target = path_target(path);
  return (struct output_file){r, path, target, lock_take(r, target)};
}

void output_file_state(const struct output_file *f, struct system *s, const struct lipids *lipids,
                       int copies)
{
  summary_require_kernels(f->ranks, s);
  state_write(f->ranks, f->path, s, NULL);
  summary_print(f->ranks, s, lipids, copies);
  if (f->ranks->rank == 0) printf("written      %s\n", f->path);
}

void output_file_release(struct output_file *f)
{
  lock_release(f->ranks, f->target, f->lock);
  free(f->target);
}
