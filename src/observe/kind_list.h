/* The kinds of observables, one line each: KIND(name). Included several times. */
#ifdef KIND
KIND(density)
KIND(leaflets)
KIND(membrane)
KIND(msd)
KIND(order)
KIND(potential)
KIND(pressure)
KIND(rdf)
KIND(rotation)
KIND(temperature)
KIND(undulation)
#endif
