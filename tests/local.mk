# Test programs and scripts, a block a folder. tests/unit/test_x.c becomes a program by its line here
# alone. Those in mpi/ run on 1 to 4 ranks; test_long_* run in ./check --long only
# (build-aux/run_test.sh).

# one module, one process
cmocka_tests = %D%/unit/test_blocks %D%/unit/test_bonded %D%/unit/test_build %D%/unit/test_build_beads %D%/unit/test_cells %D%/unit/test_cluster %D%/unit/test_cluster_box %D%/unit/test_cluster_few %D%/unit/test_cluster_freedom %D%/unit/test_connections %D%/unit/test_cluster_large %D%/unit/test_move \
  %D%/unit/test_couple %D%/unit/test_domain %D%/unit/test_external %D%/unit/test_coordinates %D%/unit/test_hills %D%/unit/test_centres %D%/unit/test_forcefield %D%/unit/test_forcefield_clusters %D%/unit/test_forcefield_molecules %D%/unit/test_forcefield_pairs \
  %D%/unit/test_gromacs_columns %D%/unit/test_gromacs_files %D%/unit/test_gromacs_sets %D%/unit/test_id_map %D%/unit/test_integrate %D%/unit/test_isas %D%/unit/test_lammps %D%/unit/test_ladder %D%/unit/test_lanes %D%/unit/test_largest %D%/unit/test_listcheck %D%/unit/test_map_cpu %D%/unit/test_lipids %D%/unit/test_couple_laws \
  %D%/unit/test_molecule %D%/unit/test_near %D%/unit/test_observe_bilayer %D%/unit/test_observe_time \
  %D%/unit/test_pair %D%/unit/test_pair_float %D%/unit/test_pair_models %D%/unit/test_param \
  %D%/unit/test_parallel_loop %D%/unit/test_parse %D%/unit/test_portable %D%/unit/test_profile %D%/unit/test_rng %D%/unit/test_schedule %D%/unit/test_sites %D%/unit/test_skin %D%/unit/test_sums %D%/unit/test_system \
  %D%/unit/test_tabulated %D%/unit/test_topology %D%/unit/test_xtc_pack %D%/unit/test_yaml
%C%_unit_test_bonded_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_unit_test_pair_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_unit_test_pair_models_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_unit_test_pair_float_SOURCES = %D%/unit/test_pair.c
%C%_unit_test_tabulated_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_unit_test_profile_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE

# modules on several ranks
cmocka_tests += %D%/mpi/test_mpi_ahead %D%/mpi/test_mpi_frames %D%/mpi/test_mpi_groups %D%/mpi/test_mpi_halo \
  %D%/mpi/test_mpi_heartbeat %D%/mpi/test_mpi_map_files %D%/mpi/test_mpi_map_full %D%/mpi/test_mpi_map_parts %D%/mpi/test_mpi_migrate \
  %D%/mpi/test_mpi_observe %D%/mpi/test_mpi_profile %D%/mpi/test_mpi_ranks %D%/mpi/test_mpi_replicate %D%/mpi/test_mpi_state \
  %D%/mpi/test_mpi_messenger %D%/mpi/test_mpi_mps %D%/mpi/test_mpi_trajectory %D%/mpi/test_mpi_transport %D%/mpi/test_mpi_wait

# energies, forces, motion, ensembles, observables of whole runs against independent oracles
dist_check_SCRIPTS += %D%/physics/test_exact_lists.py %D%/physics/test_bitwise.py %D%/physics/test_bitwise_beads.py %D%/physics/test_bonded_reach.py \
  %D%/physics/test_clusters.py %D%/physics/test_columns.py %D%/physics/test_reach.py %D%/physics/test_large_clusters.py \
  %D%/physics/test_exchange.py %D%/physics/test_derivatives.py %D%/physics/test_dynamics_beads.py %D%/physics/test_biases.py %D%/physics/test_held.py %D%/physics/test_metadynamics.py %D%/physics/test_fields.py %D%/physics/test_distributions.py %D%/physics/test_gromacs_fields.py %D%/physics/test_frozen.py %D%/physics/test_ensemble.py %D%/physics/test_groups.py %D%/physics/test_pull.py %D%/physics/test_pull_code.py %D%/physics/test_plumed.py \
  %D%/physics/test_frames_observables.py %D%/physics/test_gromacs.py %D%/physics/test_heat_baths.py %D%/physics/test_golden.py %D%/physics/test_golden_beads.py %D%/physics/test_hashes.py \
  %D%/physics/test_lammps_energy.py %D%/physics/test_large.py %D%/physics/test_lj.py %D%/physics/test_long_aarch64.py \
  %D%/physics/test_long_bitwise.py %D%/physics/test_long_ensemble.py %D%/physics/test_long_nve.py \
  %D%/physics/test_long_nve_beads.py %D%/physics/test_minimise.py %D%/physics/test_overlaps.py %D%/physics/test_nve.py %D%/physics/test_observe.py %D%/physics/test_observe_oblique.py %D%/physics/test_box_moves.py %D%/physics/test_boxes.py %D%/physics/test_long_box_moves.py \
  %D%/physics/test_many_types.py %D%/physics/test_oracle.py %D%/physics/test_oracle_beads.py %D%/physics/test_oracle_golden.py \
  %D%/physics/test_observe_groups.py %D%/physics/test_observe_names.py %D%/physics/test_oracle_observe.py %D%/physics/test_potential.py %D%/physics/test_ramps.py %D%/physics/test_restraints.py %D%/physics/test_run_beads.py %D%/physics/test_skin_bits.py %D%/physics/test_soft_core.py %D%/physics/test_tables.py %D%/physics/test_temperature_types.py %D%/physics/test_two_builds.py

# what kills, flips, cuts, full disks and hostile inputs do to jobs and files
dist_check_SCRIPTS += %D%/files/test_attack_boxes.py %D%/files/test_attack_calls.py %D%/files/test_attack_cuts.py \
  %D%/files/test_attack_flips.py %D%/files/test_attack_full.py %D%/files/test_attack_inputs.py \
  %D%/files/test_attack_kills.py %D%/files/test_attack_restart.py %D%/files/test_attack_writes.py %D%/files/test_damaged_frames.py %D%/files/test_frames.py \
  %D%/files/test_heartbeat.py %D%/files/test_hostile_input.py %D%/files/test_late_thread.py %D%/files/test_left_out.py %D%/files/test_locale.py %D%/files/test_lock.py \
  %D%/files/test_long_attack.py %D%/files/test_long_sanitized.sh %D%/files/test_long_trajectory_flips.py %D%/files/test_mdanalysis.py %D%/files/test_memory.py \
  %D%/files/test_outputs.py %D%/files/test_paths.py %D%/files/test_replicas.py %D%/files/test_contents.py %D%/files/test_restart.py %D%/files/test_signals.py %D%/files/test_slow_files.py %D%/files/test_stages.py \
  %D%/files/test_state_faults.py %D%/files/test_trajectory_flips.py %D%/files/test_writer.py

# GPUs
cmocka_tests += %D%/gpu/test_backend_cuda %D%/gpu/test_beads_cuda %D%/gpu/test_couple_cuda \
  %D%/gpu/test_cuda_check %D%/gpu/test_map_cuda %D%/gpu/test_profile_cuda
dist_check_SCRIPTS += %D%/gpu/test_biases_cuda.py %D%/gpu/test_bits_cuda.py %D%/gpu/test_exchange_cuda.py %D%/gpu/test_held_cuda.py %D%/gpu/test_metadynamics_cuda.py %D%/gpu/test_boxes_cuda.py %D%/gpu/test_clusters_cuda.py %D%/gpu/test_cuda.py %D%/gpu/test_cuda_faults.py %D%/gpu/test_long_cuda.py \
  %D%/gpu/test_minimise_cuda.py %D%/gpu/test_soft_core_cuda.py %D%/gpu/test_plumed_cuda.py %D%/gpu/test_map_gpu.py %D%/gpu/test_observe_cuda.py

# commands, tools, job scripts
dist_check_SCRIPTS += %D%/tools/test_analyze.py %D%/tools/test_area.py %D%/tools/test_cli.py %D%/tools/test_convert.py \
  %D%/tools/test_import.py %D%/tools/test_import_gromacs.py %D%/tools/test_import_mdp.py %D%/tools/test_import_pull.py %D%/tools/test_import_stages.py %D%/tools/test_ions.py %D%/tools/test_long_ions.py %D%/tools/test_long_slurm.py %D%/tools/test_file_kinds.py \
  %D%/tools/test_map.py %D%/tools/test_map_class.py %D%/tools/test_map_inputs.py %D%/tools/test_picture.py %D%/tools/test_layer.py %D%/tools/test_membrane.py %D%/tools/test_notebook.py \
  %D%/tools/test_python.py %D%/tools/test_python_package.py %D%/tools/test_python_results.py %D%/tools/test_python_run.py %D%/tools/test_quickstart.py %D%/tools/test_pmf.py %D%/tools/test_report.py %D%/tools/test_tutorial.py %D%/tools/test_tools_status.py %D%/tools/test_umbrella.py %D%/tools/test_tutorial_gromacs.py %D%/tools/test_whole_sites.py %D%/tools/test_slurm.py

# the sources themselves, their build and installation
dist_check_SCRIPTS += %D%/source/test_bench_help.sh %D%/source/test_calls.sh %D%/source/test_faults.sh %D%/source/test_format.sh %D%/source/test_functions.sh %D%/source/test_headers.sh \
  %D%/source/test_install.sh %D%/source/test_layers.sh %D%/source/test_lint.sh %D%/source/test_long_bench.sh \
  %D%/source/test_long_tarball.sh %D%/source/test_manual.sh %D%/source/test_mpi_found.sh %D%/source/test_names.sh %D%/source/test_owners.py \
  %D%/source/test_packaging.py %D%/source/test_recipes.sh %D%/source/test_tools_found.sh

# what they share
EXTRA_DIST += %D%/support/agree.h %D%/support/ahead.h %D%/support/apart.h %D%/support/attack.py %D%/support/attack_shim.c \
  %D%/support/attack_states.py %D%/support/bead_models.py %D%/support/bead_states.py %D%/support/built.h \
  %D%/support/death.h %D%/support/fuzz.h %D%/support/gromacs_files.py %D%/support/pull_files.py %D%/support/hostile_files.py %D%/support/late_thread.c %D%/support/made_observables.py %D%/support/made_windows.py %D%/support/mdp_keys.py %D%/support/membrane_cuda.h \
  %D%/support/oblique.py %D%/support/oracle.py %D%/support/oracle_beads.py %D%/support/oracle_forms.py %D%/support/oracle_frames.py %D%/support/oracle_map.py %D%/support/field_maps.py %D%/support/hashed.py %D%/support/plumed_kernel.c \
  %D%/support/owners.py %D%/support/oracle_motion.py %D%/support/oracle_observe.py %D%/support/oracle_stress.py \
  %D%/support/cluster_shapes.h %D%/support/clusters.yaml %D%/support/profiles.h %D%/support/run_lamella.py %D%/support/sample.h %D%/support/scatter.h %D%/support/settings.h %D%/support/sorted_sources.h \
  %D%/support/slurm_local.py %D%/support/slurm_project.py %D%/support/texts.h %D%/support/trial.py %D%/support/unit.h %D%/support/without_cuda.h

if HAVE_CMOCKA
check_PROGRAMS += $(cmocka_tests)
else
# Skipped by name, so that they count.
TESTS += $(cmocka_tests:=-unbuilt.cmocka)
CLEANFILES += $(cmocka_tests:=-unbuilt.cmocka)
endif
.PRECIOUS: %-unbuilt.cmocka
%-unbuilt.cmocka:
	@$(MKDIR_P) $(@D) && : >$@

TESTS += $(check_PROGRAMS) $(dist_check_SCRIPTS)

# For ./check: the tests, and those of ./check --quick.
quick_tests = $(filter %D%/unit/% %D%/mpi/%, $(check_PROGRAMS)) \
  %D%/source/test_calls.sh %D%/source/test_faults.sh %D%/source/test_format.sh %D%/source/test_functions.sh \
  %D%/source/test_layers.sh %D%/source/test_lint.sh \
  %D%/source/test_names.sh %D%/source/test_owners.py %D%/physics/test_golden.py %D%/physics/test_bitwise.py %D%/files/test_restart.py
# Those of another MPI (.ci/run): its ranks, files, signals and kills, and the same bits.
mpi_tests = $(filter %D%/mpi/%, $(check_PROGRAMS)) %D%/physics/test_golden.py %D%/physics/test_two_builds.py \
  %D%/files/test_attack_kills.py %D%/files/test_heartbeat.py %D%/files/test_replicas.py %D%/files/test_restart.py \
  %D%/files/test_signals.py %D%/files/test_slow_files.py
list-tests:
	@printf '%s\n' $(TESTS)
list-quick-tests:
	@printf '%s\n' $(quick_tests)
list-mpi-tests:
	@printf '%s\n' $(mpi_tests)
.PHONY: list-tests list-quick-tests list-mpi-tests
# Seconds of each test on two cores, for the order in which they start; and those that run alone.
EXTRA_DIST += %D%/seconds.csv %D%/alone
CLEANFILES += %D%/times.csv %D%/alone.lock

# What makes waiting ranks of tests sleep (build-aux/run_test.sh preloads it).
check_DATA = %D%/yield_sleeps.so
CLEANFILES += %D%/yield_sleeps.so
EXTRA_DIST += %D%/support/yield_sleeps.c
# A process that runs calls of the program in children.
EXTRA_PROGRAMS = %D%/support/many_calls
CLEANFILES += %D%/support/many_calls$(EXEEXT)
check_DATA += %D%/support/many_calls$(EXEEXT)
%D%/yield_sleeps.so: %D%/support/yield_sleeps.c
	$(AM_V_at)$(MKDIR_P) $(@D) && $(CC) -O1 -shared -fPIC -o $@ $< -ldl
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
TEST_EXTENSIONS = .sh .py .cmocka
LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/run_test.sh
SH_LOG_COMPILER = $(LOG_COMPILER)
PY_LOG_COMPILER = $(LOG_COMPILER)
CMOCKA_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
  MPIEXEC='$(MPIEXEC)'; export MPIEXEC; \
  MPICC='$(MPICC)'; export MPICC; MPI='$(lamella_mpi_version)'; export MPI; \
  DEPENDENCY_CFLAGS='$(HDF5_CFLAGS) $(YAML_CFLAGS) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS) $(FFTW_CFLAGS)'; \
  export DEPENDENCY_CFLAGS; \
  PYTHON='$(PYTHON)'; export PYTHON; \
  top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
  top_builddir='$(abs_top_builddir)'; export top_builddir; \
  PYTHONPATH='$(abs_top_srcdir)/tests/support:$(abs_top_srcdir)/tests/physics'; export PYTHONPATH; \
  LAMELLA='$(abs_top_builddir)/lamella'; export LAMELLA; \
  LAMELLA_FORCEFIELDS='$(abs_top_srcdir)/forcefields'; export LAMELLA_FORCEFIELDS; \
  DATA='$(abs_top_srcdir)/../shared/data'; export DATA;
