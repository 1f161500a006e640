/* The two largest of the numbers that have been added: {0, 0} of none. Equal numbers count each.
   The result does not depend on the order, and the two largest of a union are those of its parts
   added. A NaN is not taken. */
#ifndef LARGEST_H
#define LARGEST_H

/* two[0] >= two[1] >= 0. */
static inline void largest_add(double two[2], double value)
{
  if (!(value > two[1])) return;
  two[1] = value > two[0] ? two[0] : value;
  two[0] = value > two[0] ? value : two[0];
}

#endif
