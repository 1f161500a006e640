/* XDMF description of a trajectory: see xmf.h. A frame is written over the closing tags, which
   follow again; so each frame costs the same. */
#include "io/xmf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

struct xmf {
  FILE *file;
  char *path;
  const char *vector;
  char *data;
  int64_t n, frames;
  long tail; /* offset of the closing tags */
};

static const char closing[] = "  </Grid>\n </Domain>\n</Xdmf>\n";

static void check(const struct xmf *x, int failed)
{
  if (failed) die(STATUS_IO, "cannot write '%s': %s", x->path, strerror(errno));
}

static void close_tags(struct xmf *x)
{
  x->tail = ftell(x->file);
  fputs(closing, x->file);
  check(x, fflush(x->file) || ferror(x->file));
}

/* A name as XML has it. Caller frees. */
static char *escaped(const char *name)
{
  static const char special[] = "&<>\"'";
  static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  char *text = alloc_array(6 * (long long)strlen(name) + 1, 1), *to = text;
  for (const char *c = name; *c; c++) {
    const char *found = strchr(special, *c);
    if (found)
      to = stpcpy(to, entity[found - special]);
    else
      *to++ = *c;
  }
  return text;
}

struct xmf *xmf_open(const char *path, const char *data, int64_t n, const char *vector)
{
  struct xmf *x = alloc_array(1, sizeof *x);
  const char *name = strrchr(data, '/');
  *x = (struct xmf){.path = text_copy(path), .data = escaped(name ? name + 1 : data), .n = n};
  x->vector = vector;
  x->file = fopen(path, "w");
  check(x, !x->file);
  fputs("<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.1\">\n <Domain>\n"
        "  <Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
        x->file);
  close_tags(x);
  return x;
}

/* Reference to one frame of an element [T][N][3]. */
static void add_vectors(struct xmf *x, const char *element)
{
  fprintf(x->file,
          "     <DataItem ItemType=\"HyperSlab\" Dimensions=\"%lld 3\">\n"
          "      <DataItem Dimensions=\"3 3\" Format=\"XML\">%lld 0 0 1 1 1 1 %lld 3</DataItem>\n"
          "      <DataItem Dimensions=\"%lld %lld 3\" NumberType=\"Float\" Precision=\"4\" "
          "Format=\"HDF\">%s:/particles/trajectory/%s/value</DataItem>\n"
          "     </DataItem>\n",
          (long long)x->n, (long long)x->frames, (long long)x->n, (long long)(x->frames + 1),
          (long long)x->n, x->data, element);
}

void xmf_add(struct xmf *x, double time)
{
  check(x, fseek(x->file, x->tail, SEEK_SET));
  fprintf(x->file,
          "   <Grid Name=\"frame\">\n    <Time Value=\"%.10g\"/>\n"
          "    <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%lld\"/>\n"
          "    <Geometry GeometryType=\"XYZ\">\n",
          time, (long long)x->n);
  add_vectors(x, "position");
  fputs("    </Geometry>\n", x->file);
  fprintf(x->file,
          "    <Attribute Name=\"species\" AttributeType=\"Scalar\" Center=\"Node\">\n"
          "     <DataItem Dimensions=\"%lld\" NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">"
          "%s:/particles/trajectory/species</DataItem>\n    </Attribute>\n",
          (long long)x->n, x->data);
  if (x->vector) {
    fprintf(x->file, "    <Attribute Name=\"%s\" AttributeType=\"Vector\" Center=\"Node\">\n",
            x->vector);
    add_vectors(x, x->vector);
    fputs("    </Attribute>\n", x->file);
  }
  fputs("   </Grid>\n", x->file);
  x->frames++;
  close_tags(x);
}

void xmf_close(struct xmf *x)
{
  if (!x) return;
  check(x, fclose(x->file));
  free(x->path);
  free(x->data);
  free(x);
}
