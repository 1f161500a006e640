/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(leaflets)
KIND(membrane)
KIND(order)
KIND(undulation)
#endif
