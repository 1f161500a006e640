/* The smaller and the larger of two numbers that are not NaN. Compilers make instructions of them,
   where fmin, fmax, fminf and fmaxf are calls of the C library, which cost code for wide vectors
   more than the search of a cell. */
#ifndef MINMAX_H
#define MINMAX_H

#include "base/hd.h"

HD float float_min(float a, float b)
{
  return a < b ? a : b;
}

HD float float_max(float a, float b)
{
  return a > b ? a : b;
}

HD double double_min(double a, double b)
{
  return a < b ? a : b;
}

HD double double_max(double a, double b)
{
  return a > b ? a : b;
}

#endif
