/* Every one-body term (external fields, restraints to a place), once; there is none yet. Included
   several times, with ONEBODY defined or, for the headers, without.

   ONEBODY(name, channel, virial, call):
     channel  the energy that it is reported under (model/energy_list.h)
     virial   1 where r . f, of the unwrapped position, counts in the virial. The default is 0: the
              force of something fixed in space is no part of the pressure of the system, and its
              r . f depends on the origin
     call     adds it to s (struct onebody_sum *): c the coefficients of all terms (struct
              onebody_coef), v the bead (const struct onebody_view *)

   They are computed in the order of this list, after the bonded terms, each in a sum of its own.
   A new term is its header, pair/onebody_<name>.h, with struct onebody_<name> and its function; its
   include and its line here; and its coefficients in onebody_set of model_body.h. Kernels of both
   backends, energies and the virial follow. */
#ifndef ONEBODY
/* Includes. */
#else
/* Terms. */
#endif
