/* Every kind of bias, a potential on the value x of a coordinate, once. Included several times,
   with BIAS, PARAMETER and PLACE defined.

   BIAS(kind, options, formula, parameters):
     kind        its name in `biases:` of a run file
     options     its keys beside name, kind, coordinate and parameters, as a word list
     formula     the energy, for tables
     parameters  PARAMETER(name, unit, low, high, default) or PLACE(...) of each, in the order of
                 their values; at most BIAS_PARAMETERS_MOST. A default NAN: it must be given. u in a
                 unit is that of the coordinate, rad where that is deg. A PLACE is a value of the
                 coordinate, in its unit, and moves with the key `rate`. Each may be a ramp

   A new kind is its row here and its function in pair/bias_body.h,

     struct bias_value bias_<kind>(const struct bias *b, const double *p, double x)
       energy, and force along the coordinate, for parameters p

   The run file, its messages, `lamella run --help`, the manual's table (make manual), both
   backends, work, files and the test of slopes (tests/unit/test_coordinates.c) follow. */
#ifdef BIAS
BIAS(umbrella, "", "U = k (x - at)^2 / 2",
     PARAMETER(k, "kJ/mol/u2", 0, 1e12, (double)NAN) PLACE(at, "u", -1e9, 1e9, (double)NAN))
BIAS(constant_force, "", "U = -force x", PARAMETER(force, "kJ/mol/u", -1e12, 1e12, (double)NAN))
BIAS(flat_bottom, "", "U = k (x - low)^2 / 2 below low, k (x - high)^2 / 2 above high, else 0",
     PARAMETER(k, "kJ/mol/u2", 0, 1e12, (double)NAN) PLACE(low, "u", -1e9, 1e9, -(double)INFINITY)
         PLACE(high, "u", -1e9, 1e9, (double)INFINITY))
BIAS(
    table, "file",
    "U = scale times the energy of a table of x; file: rows x, U, -dU/dx; straight beyond its ends",
    PARAMETER(scale, "1", -1e9, 1e9, 1))
BIAS(metadynamics, "coordinates|width|every|grid",
     "V = sum of hills (Gaussians of a width); a hill of height exp(-V / (k T (bias_factor - 1))) "
     "every so many steps",
     PARAMETER(height, "kJ/mol", 0, 1e6, (double)NAN)
         PARAMETER(bias_factor, "1", 1.001, 1e9, (double)INFINITY)
             PARAMETER(temperature, "K", 1e-6, 1e6, 0))
BIAS(constraint, "", "none: x = at", PLACE(at, "u", -1e9, 1e9, (double)NAN))
#undef BIAS
#undef PARAMETER
#undef PLACE
#endif
