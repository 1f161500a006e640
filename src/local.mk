# One block a folder (docs/develop/code.md): append your file.

# errors, texts, memory, vectors, random numbers
liblamella_a_SOURCES += %D%/base/angle.h %D%/base/axis.h %D%/base/box.h %D%/base/box_shape.c %D%/base/box_shape.h %D%/base/choices.h %D%/base/error_list.c %D%/base/error_list.h %D%/base/file_kind.c %D%/base/file_kind.h %D%/base/file_kind_list.h %D%/base/hd.h %D%/base/id_map.c \
  %D%/base/id_map.h %D%/base/index_file.c %D%/base/index_file.h %D%/base/integers.h %D%/base/largest.h %D%/base/log.c %D%/base/log.h %D%/base/memory.c %D%/base/memory.h %D%/base/minmax.h %D%/base/name_map.c %D%/base/name_map.h %D%/base/parallel_loop.c %D%/base/parallel_loop.h %D%/base/parse.c %D%/base/parse.h \
  %D%/base/path.c %D%/base/path.h %D%/base/portable.h %D%/base/portable_fma.h %D%/base/real.h %D%/base/rng.h %D%/base/replace.c %D%/base/replace.h %D%/base/rotation.h %D%/base/streams.c %D%/base/streams.h %D%/base/text.c \
  %D%/base/text.h %D%/base/text_escape.c %D%/base/torus.h %D%/base/units.h %D%/base/vec.h %D%/base/vec3d.h %D%/base/worker.c %D%/base/worker.h %D%/base/words.c %D%/base/words.h %D%/base/xdr.c %D%/base/xdr.h

# force field, topology, system, bead arrays, energies, external fields
liblamella_a_SOURCES += %D%/model/bias.c %D%/model/bias.h %D%/model/bias_list.h %D%/model/hills.h %D%/model/ladder.c %D%/model/ladder.h %D%/model/coordinate_list.h %D%/model/external.c %D%/model/external.h %D%/model/external_list.h \
  %D%/model/bead_fields.h %D%/model/bead_group.h %D%/model/team.h %D%/model/restraint_shape.h %D%/model/heat_bath.c %D%/model/heat_bath.h %D%/model/ramp.h %D%/model/bonded_form.c %D%/model/bonded_form.h %D%/model/bead_group.c \
  %D%/model/bonded_list.h %D%/model/cluster.c %D%/model/cluster.h %D%/model/cluster_pattern.c %D%/model/site_list.h \
  %D%/model/connections.c %D%/model/connections.h \
  %D%/model/energy.h %D%/model/energy_list.h %D%/model/forcefield.c \
  %D%/model/forcefield.h %D%/model/lipids.c %D%/model/lipids.h \
  %D%/model/molecule.c %D%/model/molecule.h %D%/model/thermo.h \
  %D%/model/applied_forces.c %D%/model/applied_forces.h %D%/model/clock.c %D%/model/clock.h %D%/model/list_build.c %D%/model/list_build.h %D%/model/run_record.c %D%/model/run_record.h \
  %D%/model/restraints.c %D%/model/restraints.h %D%/model/soft_core.h \
  %D%/model/place.c %D%/model/place.h %D%/model/sums.h %D%/model/system.c %D%/model/system.h \
  %D%/model/tabulated.c %D%/model/tabulated.h \
  %D%/model/topology.c %D%/model/topology.h

# molecules over the blocks of all ranks: made whole, leaflets, bonds, selections, groups of beads
liblamella_a_SOURCES += %D%/molecules/bead_place.c %D%/molecules/bead_place.h %D%/molecules/flatness.c %D%/molecules/flatness.h \
  %D%/molecules/group_find.c %D%/molecules/group_find.h %D%/molecules/leaflet.c %D%/molecules/leaflet.h \
  %D%/molecules/remote.c %D%/molecules/remote.h %D%/molecules/selection.c %D%/molecules/selection.h \
  %D%/molecules/whole.c %D%/molecules/whole.h %D%/molecules/whole_block.c %D%/molecules/whole_block.h

# YAML, keys, parsers of force fields and build files
liblamella_a_SOURCES += %D%/input/field_reader.c %D%/input/field_reader.h %D%/input/build_spec.c %D%/input/build_spec.h \
  %D%/input/exchange_keys.c %D%/input/exchange_keys.h %D%/input/ramp_yaml.c %D%/input/ramp_yaml.h %D%/input/run_lists.c %D%/input/run_lists.h %D%/input/coordinate_lists.c %D%/input/coordinate_lists.h %D%/input/coordinate_find.c %D%/input/coordinate_find.h %D%/input/metadynamics.c %D%/input/metadynamics.h %D%/input/stages.c %D%/input/stages.h %D%/input/forcefield_file.h %D%/input/group_reader.c %D%/input/group_reader.h %D%/input/group_use.c %D%/input/group_use.h \
  %D%/input/forcefield_find.c %D%/input/forcefield_clusters.c %D%/input/forcefield_pairs.c %D%/input/forcefield_parse.c %D%/input/forcefield_tables.c %D%/input/tabulated_file.c \
  %D%/input/forcefield_parser.c %D%/input/forcefield_parser.h %D%/input/param.c %D%/input/param.h \
  %D%/input/param_choices.h %D%/input/param_list.h %D%/input/yaml_text.c %D%/input/yaml_tree.c %D%/input/yaml_tree.h

# LAMMPS data files
liblamella_a_SOURCES += %D%/import/lammps.c %D%/import/lammps.h %D%/import/lammps_check.c %D%/import/lammps_check.h \
  %D%/import/lammps_file.c %D%/import/lammps_file.h %D%/import/lammps_link.c \
  %D%/import/lammps_reader.c %D%/import/lammps_reader.h %D%/import/lammps_section.c \
  %D%/import/lammps_types.c

# GROMACS topologies, configurations, run parameters
liblamella_a_SOURCES += %D%/import/gromacs.c %D%/import/gromacs.h %D%/import/gromacs_directives.h \
  %D%/import/gromacs_dropped.c %D%/import/gromacs_exclusions.c %D%/import/gromacs_forcefield.c %D%/import/gromacs_forms.c \
  %D%/import/gromacs_frame.c %D%/import/gromacs_couple.c %D%/import/gromacs_free_energy.c %D%/import/gromacs_import.c %D%/import/gromacs_import.h %D%/import/gromacs_index.c %D%/import/gromacs_index.h \
  %D%/import/gromacs_selection.c %D%/import/gromacs_pull.c %D%/import/gromacs_pull.h %D%/import/gromacs_pull_text.c \
  %D%/import/gromacs_mdp.c %D%/import/gromacs_mdp.h %D%/import/gromacs_mdp_list.h %D%/import/gromacs_rule.c \
  %D%/import/gromacs_rule.h %D%/import/gromacs_substitute.c %D%/import/gromacs_stage.c %D%/import/gromacs_annealing.c \
  %D%/import/gromacs_molecule.c %D%/import/gromacs_molecule.h %D%/import/gromacs_run.c \
  %D%/import/gromacs_pairs.c %D%/import/gromacs_writer.c %D%/import/gromacs_writer.h %D%/import/gromacs_barostat.c \
  %D%/import/gromacs_thermostat.c %D%/import/gromacs_motion.c %D%/import/gromacs_fields.c %D%/import/gromacs_groups.c \
  %D%/import/gromacs_sets.c %D%/import/gromacs_sites.c %D%/import/gromacs_system.c %D%/import/gromacs_tables.c %D%/import/gromacs_text.c \
  %D%/import/gromacs_text.h %D%/import/gromacs_topology.c %D%/import/gromacs_topology.h \
  %D%/import/gromacs_types.c %D%/import/gromacs_words.c %D%/import/gromacs_yaml.c \
  %D%/import/gromacs_yaml.h

# bilayers, lattices, water, replication
liblamella_a_SOURCES += %D%/setup/bilayer.c %D%/setup/build.h %D%/setup/lattice.c %D%/setup/motion.c %D%/setup/motion.h \
  %D%/setup/insert.c %D%/setup/insert.h %D%/setup/lipid.c %D%/setup/lipid.h %D%/setup/replicate.c %D%/setup/replicate.h

# pair and bonded terms, external fields: every header of the folder
liblamella_a_SOURCES += %D%/pair/pair_pass.c
EXTRA_DIST += $(wildcard $(srcdir)/src/pair/*.h)

# integrator, thermostats, barostats
liblamella_a_SOURCES += %D%/dynamics/cluster_body.h %D%/dynamics/cluster_equations.h %D%/dynamics/site_body.h \
  %D%/dynamics/couple_body.h %D%/dynamics/integrate_params.h \
  %D%/dynamics/hold_body.h %D%/dynamics/move_body.h

# the table of operations
liblamella_a_SOURCES += %D%/backend/backend.c %D%/backend/backend.h %D%/backend/applied_body.h %D%/backend/apart_body.h \
  %D%/backend/device_lines.h %D%/backend/device_lines.cuh %D%/backend/domain.h \
  %D%/backend/clusters.c %D%/backend/clusters.h %D%/backend/grid.h %D%/backend/list_test.h %D%/backend/offender.c %D%/backend/offender.h \
  %D%/backend/profile.h %D%/backend/profile_body.h %D%/backend/cluster_stress.h

# the CPU backend
liblamella_a_SOURCES += %D%/cpu/backend_cpu.c %D%/cpu/backend_cpu.h %D%/cpu/backend_cpu_arrays.c %D%/cpu/backend_cpu_build.c \
  %D%/cpu/backend_cpu_clusters.c %D%/cpu/backend_cpu_halo.c %D%/cpu/backend_cpu_move.c %D%/cpu/cells.c %D%/cpu/cells.h \
  %D%/cpu/cells_reach.h %D%/cpu/force_block.h %D%/cpu/isa_list.h %D%/cpu/force_cpu.h %D%/cpu/force_kernel.c \
  %D%/cpu/profile_cpu.c %D%/cpu/bias_cpu.c \
  %D%/cpu/unlisted_cpu.c

# maps of the electrostatic potential
liblamella_a_SOURCES += %D%/maps/map.c %D%/maps/map.h %D%/maps/map_body.h \
  %D%/maps/map_input.c %D%/maps/map_input.h %D%/maps/map_make.c %D%/maps/map_make.h \
  %D%/maps/parts.c %D%/maps/parts.h %D%/maps/sources.c %D%/maps/sources.h

# maps by Fourier transforms
liblamella_a_SOURCES += %D%/maps/full.c %D%/maps/full.h %D%/maps/full_body.h
if HAVE_FFTW
liblamella_a_SOURCES += %D%/maps/full_fftw.c
endif

# results of observables from the words of their bins
liblamella_a_SOURCES += %D%/observe/stress_profile.c %D%/observe/stress_profile.h

# observables
liblamella_a_SOURCES += %D%/observe/bilayer.c %D%/observe/bilayer.h %D%/observe/blocks.c %D%/observe/blocks.h \
  %D%/observe/coordinates.c %D%/observe/density.c %D%/observe/kind_list.h %D%/observe/membrane.c %D%/observe/observable.c \
  %D%/observe/observable.h %D%/observe/observables.c %D%/observe/planes.c %D%/observe/planes.h %D%/observe/potential.c %D%/observe/pressure.c %D%/observe/observe_group.c %D%/observe/observe_group.h \
  %D%/observe/results.c %D%/observe/results.h %D%/observe/species.c \
  %D%/observe/species.h
liblamella_a_SOURCES += %D%/observe/items.c %D%/observe/items.h
liblamella_a_SOURCES += %D%/observe/correlation.c %D%/observe/correlation.h %D%/observe/cell_sort.c %D%/observe/cell_sort.h
liblamella_a_SOURCES += %D%/observe/msd.c
liblamella_a_SOURCES += %D%/observe/rdf.c
liblamella_a_SOURCES += %D%/observe/rotation.c
liblamella_a_SOURCES += %D%/observe/temperature.c %D%/observe/cluster_freedom.c %D%/observe/cluster_freedom.h
liblamella_a_SOURCES += %D%/observe/leaflets.c %D%/observe/neighbours.c %D%/observe/neighbours.h
liblamella_a_SOURCES += %D%/observe/order.c
liblamella_a_SOURCES += %D%/observe/spectrum.c %D%/observe/spectrum.h %D%/observe/undulation.c

# simulation, step, minimiser, output
liblamella_a_SOURCES += %D%/md/bias_record.c %D%/md/bias_record.h %D%/md/biases.c %D%/md/biases.h %D%/md/hills.c %D%/md/hills.h %D%/md/centres.c %D%/md/centres.h %D%/md/constraints.c %D%/md/constraints.h %D%/md/coordinate_file.c %D%/md/coordinate_file.h \
  %D%/md/csv.c %D%/md/csv.h %D%/md/anchors.c %D%/md/anchors.h %D%/md/fields.c %D%/md/fields.h %D%/md/field_map.c %D%/md/field_map.h %D%/md/contents.c %D%/md/contents.h %D%/md/groups.c %D%/md/groups.h %D%/md/teams.c %D%/md/teams.h %D%/md/analyze.c %D%/md/analyze.h %D%/md/skin.c %D%/md/skin.h %D%/md/partition.c %D%/md/partition.h %D%/md/energies.c %D%/md/energies.h %D%/md/membrane.c %D%/md/membrane.h \
  %D%/md/coupling.c %D%/md/coupling.h %D%/md/fingerprint.c %D%/md/fingerprint.h %D%/md/job_log.c \
  %D%/md/job_log.h %D%/md/listcheck.c %D%/md/listcheck.h \
  %D%/md/minimise.c %D%/md/minimise.h \
  %D%/md/measured.c %D%/md/measured.h %D%/md/neighbor.c %D%/md/neighbor.h %D%/md/observers.c %D%/md/observers.h %D%/md/output.c \
  %D%/md/output.h %D%/md/performance.c %D%/md/performance.h %D%/md/plumed.c %D%/md/plumed.h %D%/md/plumed_library.c %D%/md/plumed_library.h \
  %D%/md/run.c %D%/md/run.h %D%/md/schedule.c %D%/md/schedule.h %D%/md/sim.h %D%/md/simulation.c %D%/md/simulation.h \
  %D%/md/snapshot.c %D%/md/snapshot.h %D%/md/start.c %D%/md/start.h %D%/md/stage.c %D%/md/stage.h %D%/md/step.c %D%/md/step.h \
  %D%/md/stop.c %D%/md/stop.h %D%/md/thread_count.c %D%/md/thread_count.h %D%/md/timer.c %D%/md/timer.h \
  %D%/md/timer_list.h \
  %D%/md/enforce.c %D%/md/enforce.h %D%/md/exchange.c %D%/md/exchange.h

# placement of ions
liblamella_a_SOURCES += %D%/maps/ion_kinds.c %D%/maps/ion_kinds.h %D%/maps/ions.c %D%/maps/ions.h %D%/maps/ions_add.c %D%/maps/ions_add.h

# commands and options
liblamella_a_SOURCES += %D%/cli/cmd_analyze.c %D%/cli/cmd_build.c %D%/cli/cmd_convert.c %D%/cli/cmd_energy.c %D%/cli/cmd_forcefield.c %D%/cli/cmd_import.c \
  %D%/cli/cmd_info.c %D%/cli/cmd_ions.c %D%/cli/cmd_run.c %D%/cli/cmd_umbrella.c %D%/cli/commands.h %D%/cli/help.c %D%/cli/help.h \
  %D%/cli/output_file.c %D%/cli/output_file.h %D%/cli/replicas.c %D%/cli/replicas.h \
  %D%/cli/options.c %D%/cli/options.h %D%/cli/cmd_map.c

# Compiled once for each precision and instruction set; KERNEL_NAME (mixed_v3, ...) goes into the
# names of what such a file defines.
kernel_sources = %D%/cpu/cells_list.c %D%/cpu/force_cpu.c %D%/cpu/move_cpu.c %D%/cpu/stress_cpu.c \
  %D%/maps/map_kernel.c
EXTRA_LIBRARIES =
if HAVE_ISA_NEON
EXTRA_LIBRARIES += libkernel_mixed_neon.a libkernel_double_neon.a
libkernel_mixed_neon_a_SOURCES = $(kernel_sources)
libkernel_mixed_neon_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=mixed_neon
libkernel_mixed_neon_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
libkernel_double_neon_a_SOURCES = $(kernel_sources)
libkernel_double_neon_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=double_neon -DREAL_DOUBLE
libkernel_double_neon_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
liblamella_a_LIBADD += $(libkernel_mixed_neon_a_OBJECTS) $(libkernel_double_neon_a_OBJECTS)
endif
if HAVE_ISA_V1
EXTRA_LIBRARIES += libkernel_mixed_v1.a libkernel_double_v1.a
libkernel_mixed_v1_a_SOURCES = $(kernel_sources)
libkernel_mixed_v1_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=mixed_v1
libkernel_mixed_v1_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
libkernel_double_v1_a_SOURCES = $(kernel_sources)
libkernel_double_v1_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=double_v1 -DREAL_DOUBLE
libkernel_double_v1_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
liblamella_a_LIBADD += $(libkernel_mixed_v1_a_OBJECTS) $(libkernel_double_v1_a_OBJECTS)
endif
if HAVE_ISA_V3
EXTRA_LIBRARIES += libkernel_mixed_v3.a libkernel_double_v3.a
libkernel_mixed_v3_a_SOURCES = $(kernel_sources)
libkernel_mixed_v3_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=mixed_v3
libkernel_mixed_v3_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS) $(ISA_V3_CFLAGS)
libkernel_double_v3_a_SOURCES = $(kernel_sources)
libkernel_double_v3_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=double_v3 -DREAL_DOUBLE
libkernel_double_v3_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS) $(ISA_V3_CFLAGS)
liblamella_a_LIBADD += $(libkernel_mixed_v3_a_OBJECTS) $(libkernel_double_v3_a_OBJECTS)
endif
if HAVE_ISA_V4
EXTRA_LIBRARIES += libkernel_mixed_v4.a libkernel_double_v4.a
libkernel_mixed_v4_a_SOURCES = $(kernel_sources)
libkernel_mixed_v4_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=mixed_v4
libkernel_mixed_v4_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS) $(ISA_V4_CFLAGS)
libkernel_double_v4_a_SOURCES = $(kernel_sources)
libkernel_double_v4_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=double_v4 -DREAL_DOUBLE
libkernel_double_v4_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS) $(ISA_V4_CFLAGS)
liblamella_a_LIBADD += $(libkernel_mixed_v4_a_OBJECTS) $(libkernel_double_v4_a_OBJECTS)
endif

# How this program was built: looked at by every make, rewritten only when it changes.
BUILT_SOURCES += %D%/base/version.h
CLEANFILES += %D%/base/version.h
%D%/base/version.h: version-always
	@$(MKDIR_P) $(@D)
	@BUILD_COMPILER='$(lamella_cc_version)' \
	  BUILD_CFLAGS='$(LANGUAGE_CFLAGS) $(OPTIMISE_CFLAGS) $(SANITIZE_CFLAGS) $(CFLAGS)' \
	  BUILD_MPI='$(lamella_mpi_version)' BUILD_HDF5='$(lamella_hdf5_version)' \
	  BUILD_CUDA='$(lamella_cuda_version)' $(SHELL) $(top_srcdir)/build-aux/version_header.sh $@
$(lamella_OBJECTS) $(liblamella_a_OBJECTS): | %D%/base/version.h
version-always:
.PHONY: version-always
