/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(density)
KIND(membrane)
KIND(msd)
KIND(potential)
KIND(pressure)
KIND(rdf)
KIND(rotation)
KIND(temperature)
#endif
