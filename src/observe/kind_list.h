/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(density)
KIND(membrane)
KIND(potential)
KIND(pressure)
#endif
