# Physics and schedule. One line a module: append yours.
liblamella_a_SOURCES += %D%/bead_fields.h %D%/hd.h %D%/param_list.h %D%/units.h
liblamella_a_SOURCES += %D%/bilayer.c %D%/bilayer.h
liblamella_a_SOURCES += %D%/build_spec.c %D%/build_spec.h
liblamella_a_SOURCES += %D%/lammps.c %D%/lammps.h
liblamella_a_SOURCES += %D%/lammps_file.c %D%/lammps_file.h
liblamella_a_SOURCES += %D%/lammps_check.c %D%/lammps_check.h
liblamella_a_SOURCES += %D%/lammps_link.c %D%/lammps_link.h
liblamella_a_SOURCES += %D%/lammps_pattern.c %D%/lammps_pattern.h
liblamella_a_SOURCES += %D%/lammps_reader.c %D%/lammps_reader.h
liblamella_a_SOURCES += %D%/lammps_section.c %D%/lammps_section.h
liblamella_a_SOURCES += %D%/lammps_types.c %D%/lammps_types.h
liblamella_a_SOURCES += %D%/lattice.c %D%/lattice.h
liblamella_a_SOURCES += %D%/lipid.c %D%/lipid.h
liblamella_a_SOURCES += %D%/molecule.c %D%/molecule.h
liblamella_a_SOURCES += %D%/place.c %D%/place.h
liblamella_a_SOURCES += %D%/replicate.c %D%/replicate.h
liblamella_a_SOURCES += %D%/summary.c %D%/summary.h
liblamella_a_SOURCES += %D%/topology.c %D%/topology.h
liblamella_a_SOURCES += %D%/water.c %D%/water.h
liblamella_a_SOURCES += %D%/cmd_build.c %D%/cmd_import.c
liblamella_a_SOURCES += %D%/backend.c %D%/backend.h
liblamella_a_SOURCES += %D%/backend_cpu.c %D%/backend_cpu.h %D%/backend_cpu_build.c %D%/backend_cpu_move.c
liblamella_a_SOURCES += %D%/bead_record.h %D%/bonded.h %D%/integrate_body.h %D%/model.h
liblamella_a_SOURCES += %D%/force_body.h %D%/move_body.h
liblamella_a_SOURCES += %D%/cells.c %D%/cells.h %D%/id_map.c %D%/id_map.h
liblamella_a_SOURCES += %D%/cmd_energy.c %D%/cmd_run.c
liblamella_a_SOURCES += %D%/couple.c %D%/couple.h %D%/couple_body.h %D%/observe.h
liblamella_a_SOURCES += %D%/energy.h %D%/energy_list.h %D%/sums.h
liblamella_a_SOURCES += %D%/force_block.h %D%/force_cpu.h %D%/force_kernel.c
liblamella_a_SOURCES += %D%/fingerprint.c %D%/fingerprint.h
liblamella_a_SOURCES += %D%/minimise.c %D%/minimise.h
liblamella_a_SOURCES += %D%/offender.c %D%/offender.h
liblamella_a_SOURCES += %D%/output.c %D%/output.h %D%/performance.c %D%/performance.h
liblamella_a_SOURCES += %D%/pair.h %D%/pair_dd.h %D%/pair_list.h %D%/pair_lj.h %D%/pair_qd.h
liblamella_a_SOURCES += %D%/pair_qq.h %D%/pair_sum.h %D%/pair_terms.h %D%/real.h %D%/vec.h
liblamella_a_SOURCES += %D%/rng.h %D%/sim.c %D%/sim.h %D%/step.c %D%/step.h
liblamella_a_SOURCES += %D%/start.c %D%/start.h
liblamella_a_SOURCES += %D%/job_log.c %D%/job_log.h
liblamella_a_SOURCES += %D%/stop.c %D%/stop.h %D%/streams.c %D%/streams.h %D%/timer.c %D%/timer.h %D%/timer_list.h
liblamella_a_SOURCES += %D%/cmd_info.c %D%/commands.h
liblamella_a_SOURCES += %D%/system.c %D%/system.h
liblamella_a_SOURCES += %D%/verify.c %D%/verify.h
liblamella_a_SOURCES += %D%/worker.c %D%/worker.h
liblamella_a_SOURCES += %D%/cmd_forcefield.c %D%/forcefield.c %D%/forcefield.h %D%/forcefield_parse.c
liblamella_a_SOURCES += %D%/help.c %D%/help.h %D%/options.c %D%/options.h
liblamella_a_SOURCES += %D%/log.c %D%/log.h %D%/mistakes.c %D%/mistakes.h %D%/param.c %D%/param.h
liblamella_a_SOURCES += %D%/text.c %D%/text.h %D%/words.c %D%/words.h %D%/yaml_tree.c %D%/yaml_tree.h

# Compiled once for each precision and instruction set; KERNEL_NAME (mixed_v3, ...) goes into the
# names of what such a file defines.
kernel_sources = %D%/cells_list.c %D%/force_cpu.c
EXTRA_LIBRARIES = libkernel_mixed_v1.a libkernel_double_v1.a
libkernel_mixed_v1_a_SOURCES = $(kernel_sources)
libkernel_mixed_v1_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=mixed_v1
libkernel_mixed_v1_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
libkernel_double_v1_a_SOURCES = $(kernel_sources)
libkernel_double_v1_a_CPPFLAGS = $(AM_CPPFLAGS) -DKERNEL_NAME=double_v1 -DREAL_DOUBLE
libkernel_double_v1_a_CFLAGS = $(AM_CFLAGS) $(KERNEL_CFLAGS)
liblamella_a_LIBADD += $(libkernel_mixed_v1_a_OBJECTS) $(libkernel_double_v1_a_OBJECTS)
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
BUILT_SOURCES += %D%/version.h
CLEANFILES += %D%/version.h
%D%/version.h: version-always
	@$(MKDIR_P) $(@D)
	@BUILD_COMPILER='$(lamella_cc_version)' \
	  BUILD_CFLAGS='$(LANGUAGE_CFLAGS) $(OPTIMISE_CFLAGS) $(SANITIZE_CFLAGS) $(CFLAGS)' \
	  BUILD_MPI='$(lamella_mpi_version)' BUILD_HDF5='$(lamella_hdf5_version)' \
	  BUILD_CUDA='$(lamella_cuda_version)' $(SHELL) $(top_srcdir)/build-aux/version_header.sh $@
$(lamella_OBJECTS) $(liblamella_a_OBJECTS): | %D%/version.h
version-always:
.PHONY: version-always
