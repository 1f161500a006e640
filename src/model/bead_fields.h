/* All arrays with a value per bead, one line each: FIELD(member, name in files, type, components,
   flags, unit, description). Layout: [bead][component].

   flags: MIGRATE: sent when a bead changes rank. STATE: changes during a run; in the state file.
   STATIC: never changes; kept by blocks of ids (struct system) and in the state file; the static
   fields that kernels need migrate too. Allocation, sorting, migration, the state file and its
   description are generated from this list, which is included several times. */
#ifdef FIELD
FIELD(position, "position", int32_t, 3, MIGRATE | STATE, "box/2^32",
      "position, fraction of the box edge in units of 2^-32 (read as unsigned)")
FIELD(residual, "residual", uint32_t, 3, MIGRATE | STATE, "box/2^64",
      "what the position leaves out: the next 32 bits of the fraction")
FIELD(image, "image", int32_t, 3, MIGRATE | STATE, "1",
      "box crossings: unwrapped = (position + image) box")
FIELD(orientation, "orientation", double, 4, MIGRATE | STATE, "1",
      "unit quaternion, scalar first, turning body axes into the laboratory frame")
FIELD(momentum, "momentum", double, 3, MIGRATE | STATE, "amu nm ps-1", "momentum")
FIELD(angular_momentum, "angular_momentum", double, 3, MIGRATE | STATE, "amu nm2 ps-1",
      "angular momentum in the body frame")
FIELD(build_position, "build_position", int32_t, 3, MIGRATE | STATE, "box/2^32",
      "position at the last build of the neighbour list, in build_box")
FIELD(type, "type", int32_t, 1, MIGRATE | STATIC, "1",
      "bead type, from 0, in the order of the force field")
FIELD(bonded_env, "slot", int32_t, 1, MIGRATE | STATIC, "1",
      "bonded environment: row of the topology; -1 for none")
FIELD(molecule, "molecule", int32_t, 1, STATIC, "1", "molecule, from 1; 0 for none")
FIELD(molecule_type, "kind", int32_t, 1, STATIC, "1",
      "molecule type, from 0, in the order of the force field; -1 for none")
#undef FIELD
#endif
