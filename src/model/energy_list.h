/* The reported energies, in the order of files: ENERGY(name, description). From bond on they are
   those of bonded terms (bonded_list.h), external is that of external fields (external_list.h),
   bias that of biases (bias_list.h). Those from dudl_lj on are no part of the potential energy: its
   slopes by lambda (soft_core.h). */
#ifdef ENERGY
ENERGY(lj, "Lennard-Jones, and tables in its place")
ENERGY(qq, "charge with charge")
ENERGY(qd, "charge with dipole")
ENERGY(dd, "dipole with dipole")
ENERGY(sticky, "soft sticky dipole water: sticky term")
ENERGY(gb, "Gay-Berne")
ENERGY(bond, "bonds")
ENERGY(angle, "angles")
ENERGY(dipole_angle, "dipole-orientation restraints")
ENERGY(dihedral, "dihedrals")
ENERGY(external, "external fields")
ENERGY(bias, "biases on coordinates, and of PLUMED")
ENERGY(dudl_lj, "slope by lambda, of Lennard-Jones")
ENERGY(dudl_qq, "slope by lambda, of charges")
#undef ENERGY
#endif
