/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(membrane)
KIND(msd)
KIND(rdf)
KIND(rotation)
KIND(temperature)
#endif
