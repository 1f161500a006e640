/* Every kind of coordinate, once. Included several times, with COORDINATE defined.

   COORDINATE(kind, unit, turns, moments, least, most, options, formula):
     kind         its name in `coordinates:` of a run file
     unit         of its value, in files; that of deg is rad in the program
     turns        1: values that differ by a turn are one, and biases take the nearest
     moments      sums over the beads of its last group, or over pairs of beads, that it reads
                  beside the centres; at most MOMENTS_MOST
     least, most  groups in `of`; a group in `from` is one more, and comes last
     options      keys of its own in the run file, as a word list; NULL: none
     formula      its value, for tables

   A new kind is its row here, a function in pair/coordinate_body.h,

     void coordinate_<kind>(const struct coordinate *c, struct coordinate_work *w)

   (with moments, branches of coordinate_moments and coordinate_bead_slope there too), and what its
   options mean in input/coordinate_lists.c. The run file, its messages, `lamella run
   --help`, the manual's table (make manual), both backends, files and the test of slopes and virial
   (tests/unit/test_coordinates.c) follow. */
#ifdef COORDINATE
COORDINATE(
    distance, "nm", 0, 0, 1, 1, "from|along|length|periodic",
    "d = centre of `of` less that of `from`; along: x, y, z or a vector: the component of d, "
    "signed, or with length: yes its size; xy, xz, yz or xyz (the default): the length of d in "
    "these axes")
COORDINATE(angle, "deg", 0, 0, 3, 4, NULL,
           "of 3 groups: the angle at the second; of 4: between the vectors from the first to the "
           "second and from the third to the fourth")
COORDINATE(tilt, "deg", 0, 0, 2, 2, "axis",
           "the angle between the vector from the first to the second group and axis: x, y, z (the "
           "default) or a vector")
COORDINATE(dihedral, "deg", 1, 0, 4, 6, NULL,
           "of 4 groups: that of their centres, -180 to 180, trans is 180; of 6: that of the "
           "vectors from the first to the second, third to fourth, fifth to sixth")
COORDINATE(
    projection, "nm", 0, 0, 4, 4, NULL,
    "the component of the vector from the first to the second group along that from the third "
    "to the fourth")
COORDINATE(area, "nm2", 0, 0, 0, 0, NULL, "of the face of the box along x and y")
COORDINATE(volume, "nm3", 0, 0, 0, 0, NULL, "of the box")
COORDINATE(gyration, "nm", 0, 6, 1, 1, NULL, "radius of gyration, by weight")
COORDINATE(
    cylinder, "nm", 0, 26, 1, 1, "from|along|radius",
    "the component along an axis (along: x, y, z, the default, or a vector) of the centre of "
    "`of` less that of the beads of `from` in a cylinder about it, at distance r weighted by "
    "(1 - r^2 / radius^2)^2")
COORDINATE(
    contacts, "contacts", 0, 7, 1, 1, "from|r0|d0|d_max|n|m",
    "sum of (s(r) - s(d_max)) / (1 - s(d_max)) over all pairs of a bead of `of` and another of "
    "`from` at distance r below d_max, s = (1 - x^n) / (1 - x^m) with x = (r - d0) / r0, 1 below "
    "d0; d0 0, n 6, m 2 n unless given")
#undef COORDINATE
#endif
