/* XDMF description of a trajectory, for ParaView's XDMFReader. Called by rank 0 only. */
#ifndef XMF_H
#define XMF_H

#include <stdint.h>

struct xmf;

enum { XMF_FRAME_BYTES = 1300 }; /* about what a frame adds */

/* Creates the file. data: the HDF5 file in the same folder; n: beads; vector: name of the element
   shown as vectors, or NULL. */
struct xmf *xmf_open(const char *path, const char *data, int64_t n, const char *vector);
/* Appends the next frame. The file is complete after each. */
void xmf_add(struct xmf *x, double time);
void xmf_close(struct xmf *x);

#endif
