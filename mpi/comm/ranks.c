/* Wrappers of MPI with 64-bit counts: larger messages than MPI's int allows are sent in pieces. MPI
   keeps its default error handler, which ends the program. */
#include "mpi/comm/ranks_mpi.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/largest.h"
#include "base/log.h"
#include "mpi/comm/implementation.h"
#include "mpi/comm/wait.h"

enum { PIECE = 1 << 30 };    /* bytes of one message, at most (or one record) */
enum { ABORT_SECONDS = 15 }; /* that MPI_Abort may take */

static int final_status;

static void end_without_mpi(int number)
{
  (void)number;
  _exit(final_status);
}

/* Ends this process if what follows takes longer. */
static void limit_time(unsigned seconds, int status)
{
  final_status = status;
  signal(SIGALRM, end_without_mpi);
  alarm(seconds);
}

/* MPI_Finalize of Open MPI 4.1 can hang: a thread of it misses the request to end if that comes
   before the thread waits for events, shortly after MPI_Init, as after wrong input. With several
   ranks the limit is longer, since they may wait for each other. */
static void finalize(int size, int status)
{
  limit_time(size > 1 ? 60 : 5, status);
  MPI_Finalize();
  alarm(0);
}

/* With one rank the program ends without MPI_Abort, and so without the launcher's messages. HDF5
   cleans up when MPI and the program end; after a failed write, or while another thread runs, that
   can hang or crash, and _exit avoids it. */
static void abort_all(int status)
{
  int size, is_main;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1) {
    const struct timespec passed_on = {0, 100000000};
    fflush(NULL);
    nanosleep(&passed_on, NULL); /* hydra may end before it has passed on what was said just now */
    limit_time(ABORT_SECONDS, status); /* where the launcher cannot be told, it sees the end */
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  fflush(NULL);
  MPI_Is_thread_main(&is_main);
  if (status == STATUS_IO || !is_main) _exit(status);
  finalize(size, status);
  exit(status);
}

/* The MPI_User_function of ranks_largest_start, of pairs: a complex number is two doubles. */
static void largest_of_both(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int k = 0; k < 2 * *n; k++)
    largest_add((double *)inout + k / 2 * 2, ((const double *)in)[k]);
}

void ranks_mpi_create(struct ranks *r, MPI_Comm comm)
{
  r->mpi = alloc_array(1, sizeof *r->mpi);
  r->mpi->comm = comm;
  MPI_Comm_dup(comm, &r->mpi->private);
  r->mpi->self = MPI_COMM_SELF;
  r->mpi->leaders = MPI_COMM_NULL;
  r->mpi->largest = MPI_REQUEST_NULL;
  MPI_Op_create(largest_of_both, 1, &r->mpi->largest_op);
  r->mpi->watched = &r->mpi->pulse;
  r->mpi->waits = &r->mpi->pulse.waits;
  r->mpi->count = &r->mpi->pulse.count;
  pthread_mutex_init(&r->mpi->pulse.device_lock, NULL);
}

void ranks_mpi_destroy(struct ranks *r)
{
  MPI_Comm_free(&r->mpi->private);
  if (r->mpi->leaders != MPI_COMM_NULL) MPI_Comm_free(&r->mpi->leaders);
  MPI_Op_free(&r->mpi->largest_op);
  pthread_mutex_destroy(&r->mpi->pulse.device_lock);
  free(r->mpi);
  r->mpi = NULL;
}

/* Sets the numbers of the nodes, and of the ranks on this node, from a communicator of all ranks;
   and how they wait. */
static void find_nodes(struct ranks *r, MPI_Comm all)
{
  const char *said = getenv("LAMELLA_NODES");
  MPI_Comm here;
  int first, before = 0;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, r->rank, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &r->local_rank);
  MPI_Comm_size(here, &r->local_size);
  first = r->local_rank == 0;
  MPI_Exscan(&first, &before, 1, MPI_INT, MPI_SUM, all);
  r->node = r->rank == 0 ? 0 : before;
  MPI_Bcast(&r->node, 1, MPI_INT, 0, here);
  r->gives_core = wait_chosen(r->gives_core, here, all);
  MPI_Comm_free(&here);
  MPI_Allreduce(&first, &r->nodes, 1, MPI_INT, MPI_SUM, all);
  if (!said || atoi(said) < 1) return;
  r->nodes = atoi(said) < r->size ? atoi(said) : r->size;
  r->node = (int)((int64_t)r->rank * r->nodes / r->size);
}

/* Sets the rest of r for a communicator of all its ranks. */
static void join(struct ranks *r, MPI_Comm comm)
{
  MPI_Comm_rank(comm, &r->rank);
  MPI_Comm_size(comm, &r->size);
  find_nodes(r, comm);
  ranks_mpi_create(r, comm);
}

/* Numbers are read and printed with a point. A library that MPI loads may have chosen the locale of
   the user, which may have a comma. */
static void keep_decimal_point(void)
{
  if (strcmp(localeconv()->decimal_point, ".") != 0) setlocale(LC_NUMERIC, "C");
}

void ranks_open(struct ranks *r, int *argc, char ***argv)
{
  int provided;
  implementation_prepare(*argv);
  r->gives_core = wait_choose();
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  keep_decimal_point();
  join(r, MPI_COMM_WORLD);
  r->groups = 1;
  log_open(r->rank, r->size, abort_all);
  r->on_node = r->local_rank;
  r->node_size = r->local_size;
  implementation_check_launcher(r->size);
  r->busy = r->gives_core && !implementation()->yields ? implementation()->name : NULL;
}

int ranks_close(struct ranks *r, int status)
{
  MPI_Comm comm = r->mpi->comm;
  ranks_mpi_destroy(r);
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  fflush(NULL);
  finalize(r->size, status);
  return status;
}

int ranks_divide(struct ranks *r, int groups)
{
  MPI_Comm comm, leaders;
  if (r->size % groups)
    die_all(STATUS_INPUT, "%d ranks cannot be divided into %d groups of equal size", r->size,
            groups);
  const int each = r->size / groups, group = r->rank / each;
  MPI_Comm_split(MPI_COMM_WORLD, group, r->rank, &comm);
  MPI_Comm_split(MPI_COMM_WORLD, r->rank % each ? MPI_UNDEFINED : 0, r->rank, &leaders);
  ranks_mpi_destroy(r);
  join(r, comm);
  r->mpi->leaders = leaders;
  r->groups = groups;
  log_open(r->rank, r->size, abort_all);
  return group;
}

/* Without ranks_wait_begin: the other ranks of a group wait for their rank 0, which must not count
   as waiting meanwhile. */
void ranks_gather_groups(const struct ranks *r, const void *own, int bytes, void *all)
{
  MPI_Request request;
  if (r->groups == 1) {
    memcpy(all, own, (size_t)bytes);
  } else if (r->rank == 0) {
    MPI_Iallgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, r->mpi->leaders, &request);
    wait_requests(r, 1, &request);
  }
  ranks_broadcast(r, all, (int64_t)bytes * r->groups);
}

struct groups_range ranks_range_of_groups(const struct ranks *r, int64_t value)
{
  int64_t *all = alloc_array(r->groups, sizeof *all);
  ranks_gather_groups(r, &value, sizeof value, all);
  struct groups_range g = {all[0], all[0]};
  for (int k = 1; k < r->groups; k++) {
    g.least = all[k] < g.least ? all[k] : g.least;
    g.most = all[k] > g.most ? all[k] : g.most;
  }
  free(all);
  return g;
}

const void *ranks_leaders(const struct ranks *r)
{
  return &r->mpi->leaders;
}

const void *ranks_self(const struct ranks *r)
{
  return &r->mpi->self;
}

void ranks_all(struct ranks *r)
{
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  *r = (struct ranks){0};
  join(r, comm);
}

int ranks_join(const struct ranks *r, int status)
{
  const struct timespec sleep = {0, 20000000};
  MPI_Request request;
  int all = status, done = 0;
  MPI_Iallreduce(&status, &all, 1, MPI_INT, MPI_MAX, r->mpi->private, &request);
  while (!done) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&sleep, NULL);
  }
  return all;
}

void ranks_copy(const struct ranks *r, struct ranks *copy)
{
  MPI_Comm comm;
  MPI_Comm_dup(r->mpi->comm, &comm);
  *copy = *r;
  ranks_mpi_create(copy, comm);
  copy->mpi->watched = r->mpi->watched;
  copy->mpi->waits = &r->mpi->watched->file_waits;
  copy->mpi->count = &r->mpi->watched->file_count;
}

void ranks_copy_free(struct ranks *copy)
{
  MPI_Comm comm = copy->mpi->comm;
  ranks_mpi_destroy(copy);
  MPI_Comm_free(&comm);
}

int ranks_threads(const struct ranks *r)
{
  int level;
  MPI_Query_thread(&level);
  int64_t enough = level == MPI_THREAD_MULTIPLE;
  ranks_min_int64(r, &enough, 1);
  return (int)enough;
}

MPI_Comm ranks_comm(const struct ranks *r)
{
  return r->mpi->comm;
}

void ranks_file_begin(const struct ranks *r, const char *path)
{
  file_call_begin(&r->mpi->watched->file_call, path);
}

void ranks_file_end(const struct ranks *r)
{
  file_call_end(&r->mpi->watched->file_call);
  atomic_fetch_add(&r->mpi->watched->file_count, 1);
}

void ranks_barrier(const struct ranks *r)
{
  ranks_wait_begin(r);
  wait_collective(r);
  MPI_Barrier(r->mpi->private);
  ranks_wait_end_collective(r);
}

static void reduce(const struct ranks *r, void *value, int n, MPI_Datatype type, MPI_Op op)
{
  if (r->size == 1) return;
  ranks_wait_begin(r);
  wait_collective(r);
  MPI_Allreduce(MPI_IN_PLACE, value, n, type, op, r->mpi->private);
  ranks_wait_end_collective(r);
}

void ranks_sum_int64(const struct ranks *r, int64_t *value, int n)
{
  reduce(r, value, n, MPI_UINT64_T, MPI_SUM);
}

void ranks_max_int64(const struct ranks *r, int64_t *value, int n)
{
  reduce(r, value, n, MPI_INT64_T, MPI_MAX);
}

void ranks_min_int64(const struct ranks *r, int64_t *value, int n)
{
  reduce(r, value, n, MPI_INT64_T, MPI_MIN);
}

void ranks_max_double(const struct ranks *r, double *value, int n)
{
  reduce(r, value, n, MPI_DOUBLE, MPI_MAX);
}

void ranks_sum_double(const struct ranks *r, double *value, int n)
{
  reduce(r, value, n, MPI_DOUBLE, MPI_SUM);
}

void ranks_broadcast(const struct ranks *r, void *data, int64_t bytes)
{
  ranks_wait_begin(r);
  wait_collective(r);
  for (int64_t at = 0; at < bytes; at += PIECE) {
    int piece = (int)(bytes - at < PIECE ? bytes - at : PIECE);
    MPI_Bcast((char *)data + at, piece, MPI_BYTE, 0, r->mpi->private);
  }
  ranks_wait_end(r);
}

int64_t ranks_before(const struct ranks *r, int64_t value)
{
  int64_t before = 0;
  ranks_wait_begin(r);
  wait_collective(r);
  MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, r->mpi->private);
  ranks_wait_end(r);
  return r->rank == 0 ? 0 : before;
}

void ranks_largest_start(const struct ranks *r, const double two[2])
{
  struct ranks_mpi *m = r->mpi;
  memcpy(m->largest_in, two, sizeof m->largest_in);
  memcpy(m->largest_out, two, sizeof m->largest_out);
  if (r->size > 1)
    MPI_Iallreduce(m->largest_in, m->largest_out, 1, MPI_C_DOUBLE_COMPLEX, m->largest_op,
                   m->private, &m->largest);
}

void ranks_largest_finish(const struct ranks *r, double two[2])
{
  ranks_wait_begin(r);
  wait_requests(r, 1, &r->mpi->largest);
  ranks_wait_end(r);
  memcpy(two, r->mpi->largest_out, sizeof r->mpi->largest_out);
}

void ranks_swap(const struct ranks *r, int n, const int *rank, const void *out, void *in, int bytes)
{
  enum { TAG = 1 }; /* post has 0 */
  MPI_Request *request = alloc_array(2LL * n, sizeof *request);
  for (int k = 0; k < n; k++) {
    MPI_Irecv((char *)in + (int64_t)k * bytes, bytes, MPI_BYTE, rank[k], TAG, r->mpi->private,
              &request[2 * k]);
    MPI_Isend((const char *)out + (int64_t)k * bytes, bytes, MPI_BYTE, rank[k], TAG,
              r->mpi->private, &request[2 * k + 1]);
  }
  ranks_wait_begin(r);
  wait_requests(r, 2 * n, request);
  ranks_wait_end(r);
  free(request);
}

/* The requests of one exchange. */
struct posts {
  MPI_Request *request;
  int n;
};

/* Posts sends or receives of count records, in pieces that both sides divide in the same way. */
static void post(struct posts *p, const struct ranks *r, MPI_Datatype type, size_t record,
                 char *data, int64_t count, int other, int receive)
{
  int64_t step = record < PIECE ? PIECE / (int64_t)record : 1;
  for (int64_t at = 0; at < count; at += step) {
    int piece = (int)(count - at < step ? count - at : step);
    char *where = data + (size_t)at * record;
    p->request = extend_array(p->request, p->n, sizeof *p->request);
    MPI_Request *request = &p->request[p->n++];
    if (receive)
      MPI_Irecv(where, piece, type, other, 0, r->mpi->private, request);
    else
      MPI_Isend(where, piece, type, other, 0, r->mpi->private, request);
  }
}

void ranks_counts(const struct ranks *r, const int64_t *send, int64_t *receive)
{
  ranks_wait_begin(r);
  wait_collective(r);
  MPI_Alltoall(send, 1, MPI_INT64_T, receive, 1, MPI_INT64_T, r->mpi->private);
  ranks_wait_end(r);
}

void *ranks_deliver(const struct ranks *r, size_t record, const void *data, const int64_t *send,
                    const int64_t *receive)
{
  struct posts posts = {0};
  int64_t received = 0;
  for (int k = 0; k < r->size; k++)
    received += receive[k];
  char *all = alloc_array(received, record);
  char *to = all;
  char *from = (char *)(uintptr_t)data; /* MPI-3 takes const; post() serves both directions */
  MPI_Datatype type;
  MPI_Type_contiguous((int)record, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  char *own = NULL;
  for (int k = 0; k < r->size; k++) {
    if (k == r->rank)
      own = to;
    else
      post(&posts, r, type, record, to, receive[k], k, 1);
    to += (size_t)receive[k] * record;
  }
  for (int k = 0; k < r->size; k++) {
    size_t bytes = (size_t)send[k] * record;
    if (k != r->rank)
      post(&posts, r, type, record, from, send[k], k, 0);
    else if (bytes > 0)
      memcpy(own, from, bytes);
    from += bytes;
  }
  ranks_wait_begin(r);
  wait_requests(r, posts.n, posts.request);
  ranks_wait_end(r);
  MPI_Type_free(&type);
  free(posts.request);
  return all;
}

void *ranks_exchange(const struct ranks *r, size_t record, const void *data,
                     const int64_t *send_count, int64_t *receive_count, int64_t *received)
{
  int64_t *count = alloc_array(r->size, sizeof *count);
  ranks_counts(r, send_count, count);
  *received = 0;
  for (int k = 0; k < r->size; k++)
    *received += count[k];
  void *all = ranks_deliver(r, record, data, send_count, count);
  if (receive_count) memcpy(receive_count, count, (size_t)r->size * sizeof *count);
  free(count);
  return all;
}

void *ranks_gather(const struct ranks *r, const void *data, int64_t bytes, int64_t *total)
{
  int64_t *count = alloc_array(r->size, sizeof *count);
  memset(count, 0, (size_t)r->size * sizeof *count);
  count[0] = bytes;
  void *all = ranks_exchange(r, 1, data, count, NULL, total);
  free(count);
  if (r->rank == 0) return all;
  free(all);
  return NULL;
}

void *ranks_allgather(const struct ranks *r, const void *data, int64_t bytes, int64_t *total)
{
  void *all = ranks_gather(r, data, bytes, total);
  ranks_broadcast(r, total, sizeof *total);
  if (!all) all = alloc_array(*total, 1);
  ranks_broadcast(r, all, *total);
  return all;
}

int ranks_agree(const struct ranks *r, int yes, char *why, int size)
{
  int64_t all = yes, total;
  ranks_min_int64(r, &all, 1);
  if (all || r->size == 1) return (int)all;
  char *reasons = ranks_gather(r, why, yes ? 0 : (int64_t)strlen(why) + 1, &total);
  if (reasons) snprintf(why, (size_t)size, "%s", reasons);
  free(reasons);
  return 0;
}

double ranks_time(void)
{
  return MPI_Wtime();
}
