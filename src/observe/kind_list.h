/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(density)
KIND(leaflets)
KIND(membrane)
KIND(order)
KIND(potential)
KIND(pressure)
KIND(undulation)
#endif
