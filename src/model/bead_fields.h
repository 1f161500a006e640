/* Every per-bead array, once. FIELD(name, type, components, flags, unit, description).

   Arrays are [bead][component]. MIGRATE: travels when a bead changes rank. STATE: dynamic, in the
   state file. STATIC: never changes; kept by blocks of ids (struct system) and in the state file;
   those that kernels need also migrate. Allocation, growth, sorting, migration, the state file and
   its descriptions follow from this list. Included several times. */
#ifdef FIELD
FIELD(position, int32_t, 3, MIGRATE | STATE, "box/2^32",
      "position, fraction of the box edge in units of 2^-32 (read as unsigned)")
FIELD(residual, uint32_t, 3, MIGRATE | STATE, "box/2^64",
      "what the position leaves out: the next 32 bits of the fraction")
FIELD(image, int32_t, 3, MIGRATE | STATE, "1", "box crossings: unwrapped = (position + image) box")
FIELD(orientation, double, 4, MIGRATE | STATE, "1",
      "unit quaternion, scalar first, turning body axes into the laboratory frame")
FIELD(momentum, double, 3, MIGRATE | STATE, "amu nm ps-1", "momentum")
FIELD(angular_momentum, double, 3, MIGRATE | STATE, "amu nm2 ps-1",
      "angular momentum in the body frame")
FIELD(build_position, int32_t, 3, MIGRATE | STATE, "box/2^32",
      "position at the last build of the neighbour list, in build_box")
FIELD(type, int32_t, 1, MIGRATE | STATIC, "1", "bead type, from 0, in the order of the force field")
FIELD(slot, int32_t, 1, MIGRATE | STATIC, "1",
      "bonded environment: row of topology/slots; -1 for none")
FIELD(molecule, int32_t, 1, STATIC, "1", "molecule, from 1; 0 for none")
FIELD(kind, int32_t, 1, STATIC, "1",
      "molecule type, from 0, in the order of the force field; -1 for none")
#endif
