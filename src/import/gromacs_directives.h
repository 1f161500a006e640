/* Every directive of GROMACS topologies, once: DIRECTIVE(name, level, beads, refusal).

   level: where it may stand and who reads its lines. PARAMETERS: before the first molecule type.
   BONDED_TYPES: the same, tables of parameters by type names. MOLECULE: after a [ moleculetype ].
   SYSTEM: at the end. beads: of each bonded term, or 0. refusal: NULL, or why its lines, or of
   SYSTEM the directive, are refused where the system uses them. Included several times. */
#ifdef DIRECTIVE
DIRECTIVE(defaults, PARAMETERS, 0, NULL)
DIRECTIVE(atomtypes, PARAMETERS, 0, NULL)
DIRECTIVE(nonbond_params, PARAMETERS, 0, NULL)
DIRECTIVE(bondtypes, BONDED_TYPES, 2, NULL)
DIRECTIVE(constrainttypes, BONDED_TYPES, 2, NULL)
DIRECTIVE(angletypes, BONDED_TYPES, 3, NULL)
DIRECTIVE(dihedraltypes, BONDED_TYPES, 4, NULL)
DIRECTIVE(pairtypes, BONDED_TYPES, 2, NULL)
DIRECTIVE(cmaptypes, UNUSED, 0, NULL) /* read by cmap only, which is refused */
DIRECTIVE(implicit_genborn_params, UNUSED, 0, NULL)
DIRECTIVE(moleculetype, MOLECULETYPE, 0, NULL)
DIRECTIVE(atoms, MOLECULE, 0, NULL)
DIRECTIVE(bonds, MOLECULE, 2, NULL)
DIRECTIVE(angles, MOLECULE, 3, NULL)
DIRECTIVE(dihedrals, MOLECULE, 4, NULL)
DIRECTIVE(constraints, MOLECULE, 2, NULL)
DIRECTIVE(virtual_sites1, MOLECULE, 0, NULL)
DIRECTIVE(virtual_sites2, MOLECULE, 0, NULL)
DIRECTIVE(virtual_sites3, MOLECULE, 0, NULL)
DIRECTIVE(virtual_sites4, MOLECULE, 0, NULL)
DIRECTIVE(virtual_sitesn, MOLECULE, 0, NULL)
DIRECTIVE(exclusions, MOLECULE, 0, NULL)
DIRECTIVE(position_restraints, MOLECULE, 0, NULL)
DIRECTIVE(pairs, MOLECULE, 2, NULL)
DIRECTIVE(pairs_nb, MOLECULE, 2, NULL)
DIRECTIVE(settles, MOLECULE, 0, NULL)
DIRECTIVE(cmap, MOLECULE, 0, "correction maps of torsions are not implemented")
DIRECTIVE(distance_restraints, MOLECULE, 2, NULL) /* left out without disre */
DIRECTIVE(dihedral_restraints, MOLECULE, 4, NULL)
DIRECTIVE(angle_restraints, MOLECULE, 4, NULL)
DIRECTIVE(angle_restraints_z, MOLECULE, 2, NULL)
DIRECTIVE(orientation_restraints, MOLECULE, 0, NULL) /* read with orire only, which is refused */
DIRECTIVE(polarization, MOLECULE, 0, "shells are not implemented")
DIRECTIVE(water_polarization, MOLECULE, 0, "shells are not implemented")
DIRECTIVE(thole_polarization, MOLECULE, 0, "shells are not implemented")
DIRECTIVE(system, SYSTEM, 0, NULL)
DIRECTIVE(molecules, SYSTEM, 0, NULL)
DIRECTIVE(intermolecular_interactions, SYSTEM, 0, "bonds between molecules are not implemented")
#endif
