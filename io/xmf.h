/* XDMF beside a trajectory, so that ParaView (its XDMFReader) shows the beads. Rank 0 only. */
#ifndef XMF_H
#define XMF_H

#include <stdint.h>

struct xmf;

/* data: the HDF5 file, in the same folder; vector: name of its element of directions, or NULL. */
struct xmf *xmf_open(const char *path, const char *data, int64_t n, const char *vector);
/* Frames 0, 1, ... in this order. The file is whole after each. */
void xmf_add(struct xmf *x, double time);
void xmf_close(struct xmf *x);

#endif
