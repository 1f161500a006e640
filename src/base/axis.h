/* The axes of the box. */
#ifndef AXIS_H
#define AXIS_H

/* The letter of axis 0, 1 or 2, for messages. */
static inline char axis_name(int axis)
{
  return "xyz"[axis];
}

#endif
