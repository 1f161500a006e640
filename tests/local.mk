# Test programs: tests/test_x.c becomes a program by its line here alone. test_mpi_* run on 1 to 4
# ranks, test_long_* only in ./check --long (build-aux/run_test.sh).
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
cmocka_tests =

# Tests in shell and Python.
dist_check_SCRIPTS += %D%/test_format.sh %D%/test_names.sh %D%/test_functions.sh %D%/test_headers.sh \
  %D%/test_layers.sh %D%/test_lint.sh %D%/test_install.sh %D%/test_tools_found.sh

TESTS += $(check_PROGRAMS) $(dist_check_SCRIPTS)
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
TEST_EXTENSIONS = .sh .py .cmocka
LOG_COMPILER = $(SHELL) $(top_srcdir)/build-aux/run_test.sh
SH_LOG_COMPILER = $(LOG_COMPILER)
PY_LOG_COMPILER = $(LOG_COMPILER)
CMOCKA_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
  MPIEXEC='$(MPIEXEC)'; export MPIEXEC; \
  MPICC='$(MPICC)'; export MPICC; \
  DEPENDENCY_CFLAGS='$(HDF5_CFLAGS) $(YAML_CFLAGS) $(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS) $(FFTW_CFLAGS)'; \
  export DEPENDENCY_CFLAGS; \
  PYTHON='$(PYTHON)'; export PYTHON; \
  top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
  top_builddir='$(abs_top_builddir)'; export top_builddir; \
  LAMELLA='$(abs_top_builddir)/lamella'; export LAMELLA; \
  LAMELLA_FORCEFIELDS='$(abs_top_srcdir)/forcefields'; export LAMELLA_FORCEFIELDS; \
  DATA='$(abs_top_srcdir)/../shared/data'; export DATA;

cmocka_tests += %D%/test_pair %D%/test_pair_float %D%/test_pair_models %D%/test_lanes
%C%_test_pair_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_test_pair_models_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
%C%_test_pair_float_SOURCES = %D%/test_pair.c
EXTRA_DIST += %D%/built.h %D%/death.h %D%/membrane_cuda.h %D%/without_cuda.h
cmocka_tests += %D%/test_build %D%/test_build_beads %D%/test_lammps %D%/test_molecule %D%/test_mpi_replicate %D%/test_topology
dist_check_SCRIPTS += %D%/test_area.py %D%/test_import.py %D%/test_ions.py %D%/test_long_ions.py %D%/test_lammps_energy.py
cmocka_tests += %D%/test_profile %D%/test_profile_cuda %D%/test_mpi_profile
%C%_test_profile_CPPFLAGS = $(AM_CPPFLAGS) -DREAL_DOUBLE
EXTRA_DIST += %D%/profiles.h
EXTRA_DIST += %D%/agree.h %D%/ahead.h %D%/sample.h
cmocka_tests += %D%/test_observe_bilayer
cmocka_tests += %D%/test_mpi_heartbeat
dist_check_SCRIPTS += %D%/test_heartbeat.py %D%/test_lock.py %D%/test_signals.py \
  %D%/test_slow_files.py
cmocka_tests += %D%/test_system %D%/test_mpi_ranks %D%/test_mpi_state %D%/test_mpi_trajectory %D%/test_mpi_frames
dist_check_SCRIPTS += %D%/test_frames.py %D%/test_mdanalysis.py %D%/test_state_faults.py
cmocka_tests += %D%/test_cells %D%/test_couple %D%/test_domain %D%/test_id_map %D%/test_integrate %D%/test_near %D%/test_rng \
  %D%/test_sums %D%/test_mpi_ahead %D%/test_mpi_halo %D%/test_mpi_migrate %D%/test_mpi_transport
dist_check_SCRIPTS += %D%/test_large.py
dist_check_SCRIPTS += %D%/test_bitwise.py %D%/test_bitwise_beads.py %D%/test_dynamics_beads.py \
  %D%/test_long_bitwise.py %D%/test_long_nve_beads.py
EXTRA_DIST += %D%/scatter.h %D%/trial.py
dist_check_SCRIPTS += %D%/test_hostile_input.py
dist_check_SCRIPTS += %D%/test_slurm.py %D%/test_long_slurm.py
EXTRA_DIST += %D%/slurm_local.py %D%/slurm_project.py
dist_check_SCRIPTS += %D%/test_cli.py %D%/test_manual.sh %D%/test_picture.py %D%/test_quickstart.py
dist_check_SCRIPTS += %D%/test_writer.py
EXTRA_DIST += %D%/run_lamella.py
cmocka_tests += %D%/test_backend_cuda %D%/test_beads_cuda %D%/test_couple_cuda %D%/test_cuda_check
dist_check_SCRIPTS += %D%/test_cuda.py %D%/test_cuda_faults.py %D%/test_long_cuda.py
EXTRA_DIST += %D%/fuzz.h
cmocka_tests += %D%/test_forcefield %D%/test_forcefield_pairs %D%/test_param %D%/test_parse %D%/test_yaml
dist_check_SCRIPTS += %D%/test_audit.py %D%/test_derivatives.py %D%/test_ensemble.py \
  %D%/test_run_beads.py %D%/test_golden.py %D%/test_golden_beads.py %D%/test_lj.py \
  %D%/test_restart.py %D%/test_nve.py %D%/test_oracle.py
dist_check_SCRIPTS += %D%/test_long_ensemble.py %D%/test_long_nve.py
EXTRA_DIST += %D%/oracle.py
dist_check_SCRIPTS += %D%/test_oracle_beads.py %D%/test_oracle_golden.py
dist_check_SCRIPTS += %D%/test_analyze.py %D%/test_frames_observables.py %D%/test_observe.py %D%/test_observe_cuda.py %D%/test_oracle_observe.py
dist_check_SCRIPTS += %D%/test_map.py %D%/test_map_gpu.py %D%/test_map_inputs.py
EXTRA_DIST += %D%/oracle_map.py
EXTRA_DIST += %D%/oracle_frames.py %D%/oracle_motion.py %D%/oracle_observe.py %D%/oracle_stress.py
EXTRA_DIST += %D%/bead_models.py %D%/bead_states.py %D%/oracle_beads.py
dist_check_SCRIPTS += %D%/test_attack_calls.py %D%/test_attack_cuts.py %D%/test_attack_flips.py \
  %D%/test_attack_full.py %D%/test_attack_inputs.py %D%/test_attack_kills.py \
  %D%/test_attack_restart.py %D%/test_long_attack.py
EXTRA_DIST += %D%/attack.py %D%/attack_shim.c %D%/attack_states.py
dist_check_SCRIPTS += %D%/test_paths.py %D%/test_trajectory_flips.py %D%/test_long_trajectory_flips.py
cmocka_tests += %D%/test_map_cpu %D%/test_map_cuda
cmocka_tests += %D%/test_observe_time %D%/test_blocks
dist_check_SCRIPTS += %D%/test_map_class.py %D%/test_python.py %D%/test_report.py
EXTRA_DIST += %D%/made_observables.py
cmocka_tests += %D%/test_mpi_map_files %D%/test_mpi_map_full
