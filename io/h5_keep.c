#include "io/h5_keep.h"

#include <hdf5.h>
#include <stdio.h>

enum { NAME_MOST = 256 };

/* Copies link k of a file, if it is a group that the other file lacks. 0 if that fails. */
static int keep_one(hid_t from, hid_t to, hsize_t k)
{
  char name[NAME_MOST];
  H5O_info_t about;
  const ssize_t n =
      H5Lget_name_by_idx(from, "/", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT);
  if (n <= 0 || n >= (ssize_t)sizeof name) return 1;
  if (H5Oget_info_by_name(from, name, &about, H5P_DEFAULT) < 0) return 1;
  if (about.type != H5O_TYPE_GROUP || H5Lexists(to, name, H5P_DEFAULT) > 0) return 1;
  return H5Ocopy(from, name, to, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static int keep_all(hid_t from, hid_t to)
{
  H5G_info_t about;
  int good = H5Gget_info(from, &about) >= 0;
  for (hsize_t k = 0; good && k < about.nlinks; k++)
    good = keep_one(from, to, k);
  return good;
}

int h5_keep_groups(const char *from, const char *to, char *why, size_t size)
{
  snprintf(why, size, "results of former jobs could not be copied from '%s'", from);
  hid_t old = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (old < 0) return 1;
  hid_t new = H5Fopen(to, H5F_ACC_RDWR, H5P_DEFAULT);
  int good = new >= 0 && keep_all(old, new);
  if (new >= 0) good &= H5Fclose(new) >= 0;
  H5Fclose(old);
  return good;
}

int h5_rename_group(const char *path, const char *from, const char *to)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (file < 0) return 0;
  int good = H5Lmove(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  good &= H5Fclose(file) >= 0;
  return good;
}
