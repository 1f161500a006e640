/* Every kind of coordinate, once. Included several times, with COORDINATE defined.

   COORDINATE(kind, unit, least, most, options, formula):
     kind         its name in `coordinates:` of a run file
     unit         of its value, in files
     least, most  groups in `of`; a group in `from` is one more, and comes last
     options      keys of its own in the run file, as a word list
     formula      its value, for tables

   A new kind is its row here, a function in pair/coordinate_body.h,

     void coordinate_<kind>(const struct coordinate *c, struct coordinate_work *w)

   and what its options mean in input/coordinate_lists.c. The run file, its messages, `lamella run
   --help`, the manual's table (make manual), both backends, files and the test of slopes and virial
   (tests/unit/test_coordinates.c) follow. */
#ifdef COORDINATE
COORDINATE(
    distance, "nm", 1, 1, "from|along|periodic",
    "d = centre of `of` less that of `from`; along: x, y, z or a vector: the component of d, "
    "signed; xy, xz, yz or xyz (the default): the length of d in these axes")
#undef COORDINATE
#endif
