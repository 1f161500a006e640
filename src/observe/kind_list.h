/* The kinds of observables, a row each:

   KIND(name, derive, every, needs, even, options, summary)

   as members of struct observable_kind (observable.h); needs, and `every` by default. The functions
   of a kind are observe_name_open, observe_name_collect, observe_name_sample and derive, which is
   NULL where all results are means. Included several times. */
#ifdef KIND
KIND(coordinates, observe_coordinates_derive, 100, NEEDS_COORDINATES, 0, "",
     "means and deviations of the coordinates of the run file")
KIND(density, NULL, 100, NEEDS_CENTRE, 0, "bins|groups",
     "number, mass, charge and electron density along z")
KIND(leaflets, observe_leaflets_derive, 1000, NEEDS_POSITIONS, 0, "head|tail|range|groups",
     "lipids by leaflet, flip-flops, lateral contacts")
KIND(membrane, observe_membrane_derive, 100, NEEDS_POSITIONS | NEEDS_CENTRE, 0,
     "head|tail|water_volume", "area and volume per lipid, thickness, elastic moduli")
KIND(msd, observe_msd_derive, 1000, NEEDS_POSITIONS, 1, "molecules|groups|fit_from|fit_to",
     "mean-square displacement of molecules, and diffusion constants")
KIND(order, NULL, 1000, NEEDS_POSITIONS | NEEDS_ORIENTATIONS, 0, "head|tail",
     "order parameters of bonds, axes and tails; tilt")
KIND(potential, observe_potential_derive, 100, NEEDS_CENTRE | NEEDS_AXES, 0, "bins",
     "electric field and potential along z")
KIND(pressure, NULL, 100,
     NEEDS_CENTRE | NEEDS_ENERGIES | NEEDS_FORCES | NEEDS_VELOCITIES | NEEDS_AXES, 0, "bins",
     "lateral and normal pressure along z, tension, first moments")
KIND(rdf, NULL, 1000, NEEDS_POSITIONS, 0, "pairs|range|bins|in_plane",
     "radial distribution functions of pairs of bead types or groups")
KIND(rotation, observe_rotation_derive, 1000, NEEDS_ORIENTATIONS, 1, "types|groups",
     "rotational relaxation of dipoles and axes")
KIND(temperature, NULL, 100, NEEDS_MOMENTA, 0, "",
     "kinetic temperatures by bead type and molecule, of translation and rotation")
KIND(undulation, observe_undulation_derive, 1000, NEEDS_POSITIONS | NEEDS_CENTRE, 0,
     "head|tail|grid|fit_to", "spectra of height and thickness, bending rigidity")
#endif
