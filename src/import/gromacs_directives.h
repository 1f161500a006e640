/* Every directive of GROMACS topologies, once: DIRECTIVE(name, level, refusal).

   level: where it may stand and who reads its lines. PARAMETERS: before the first molecule type.
   BONDED_TYPES: the same, tables of parameters by type names. MOLECULE: after a [ moleculetype ].
   SYSTEM: at the end. refusal: NULL, or why its lines, or of SYSTEM the directive, are refused
   where the system uses them. Included several times. */
#ifdef DIRECTIVE
DIRECTIVE(defaults, PARAMETERS, NULL)
DIRECTIVE(atomtypes, PARAMETERS, NULL)
DIRECTIVE(nonbond_params, PARAMETERS, NULL)
DIRECTIVE(bondtypes, BONDED_TYPES, NULL)
DIRECTIVE(constrainttypes, BONDED_TYPES, NULL)
DIRECTIVE(angletypes, BONDED_TYPES, NULL)
DIRECTIVE(dihedraltypes, BONDED_TYPES, NULL)
DIRECTIVE(pairtypes, UNUSED, NULL) /* read by pairs only, which are refused */
DIRECTIVE(cmaptypes, UNUSED, NULL) /* read by cmap only, which is refused */
DIRECTIVE(implicit_genborn_params, UNUSED, NULL)
DIRECTIVE(moleculetype, MOLECULETYPE, NULL)
DIRECTIVE(atoms, MOLECULE, NULL)
DIRECTIVE(bonds, MOLECULE, NULL)
DIRECTIVE(angles, MOLECULE, NULL)
DIRECTIVE(dihedrals, MOLECULE, NULL)
DIRECTIVE(constraints, MOLECULE, NULL)
DIRECTIVE(virtual_sites1, MOLECULE, NULL)
DIRECTIVE(virtual_sites2, MOLECULE, NULL)
DIRECTIVE(virtual_sites3, MOLECULE, NULL)
DIRECTIVE(virtual_sitesn, MOLECULE, NULL)
DIRECTIVE(exclusions, MOLECULE, NULL)
DIRECTIVE(position_restraints, MOLECULE, NULL)
DIRECTIVE(virtual_sites4, MOLECULE, "sites of four atoms are not implemented")
DIRECTIVE(pairs, MOLECULE, "1-4 pairs with parameters of their own are not implemented")
DIRECTIVE(pairs_nb, MOLECULE, "pairs with parameters of their own are not implemented")
DIRECTIVE(settles, MOLECULE, "write the three distances as [ constraints ]")
DIRECTIVE(cmap, MOLECULE, "correction maps of torsions are not implemented")
DIRECTIVE(distance_restraints, MOLECULE, NULL) /* read with disre only, which is refused */
DIRECTIVE(dihedral_restraints, MOLECULE, "restraints of dihedrals are not implemented")
DIRECTIVE(angle_restraints, MOLECULE, "restraints of angles are not implemented")
DIRECTIVE(angle_restraints_z, MOLECULE, "restraints of angles are not implemented")
DIRECTIVE(orientation_restraints, MOLECULE, NULL) /* read with orire only, which is refused */
DIRECTIVE(polarization, MOLECULE, "shells are not implemented")
DIRECTIVE(water_polarization, MOLECULE, "shells are not implemented")
DIRECTIVE(thole_polarization, MOLECULE, "shells are not implemented")
DIRECTIVE(system, SYSTEM, NULL)
DIRECTIVE(molecules, SYSTEM, NULL)
DIRECTIVE(intermolecular_interactions, SYSTEM, "bonds between molecules are not implemented")
#endif
