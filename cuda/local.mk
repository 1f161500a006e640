# The CUDA backend: C files that call the runtime, and kernels in .cu files.
cuda_c_sources = %D%/backend.c %D%/build.c %D%/graph.c %D%/lists/topology.c %D%/runtime/beads.c \
  %D%/runtime/clock.c %D%/runtime/cuda_check.c %D%/runtime/graphs.c %D%/runtime/memory.c %D%/runtime/report.c \
  %D%/runtime/streams.c %D%/step/forces.c
cuda_sources = %D%/lists/cub.cu %D%/maps/map.cu %D%/lists/cluster_table.cu %D%/step/clusters.cu \
  %D%/lists/arrays.cu %D%/step/applied.cu %D%/step/external.cu %D%/step/biases.cu %D%/step/constraints.cu %D%/comm/halo.cu %D%/comm/halo_build.cu \
  %D%/step/integrate.cu %D%/lists/list.cu %D%/comm/migrate.cu %D%/lists/partners.cu %D%/lists/work_order.cu \
  %D%/lists/sort.cu %D%/step/sums.cu %D%/lists/search.cu %D%/lists/build_check.cu %D%/step/profile.cu \
  %D%/step/minimise.cu
if HAVE_CUFFT
cuda_sources += %D%/maps/full.cu
endif
cuda_headers = %D%/maps/map_kernel.cuh %D%/operations.h %D%/runtime/gpu.h %D%/runtime/beads.h \
  %D%/runtime/chain.cuh %D%/runtime/classes.h %D%/runtime/clock.h %D%/runtime/cuda_check.h %D%/runtime/device.cuh \
  %D%/runtime/graphs.h %D%/runtime/lanes.h %D%/runtime/memory.h %D%/runtime/report.h %D%/runtime/streams.h \
  %D%/runtime/tuning.h %D%/lists/bonded.h %D%/lists/clusters.h %D%/lists/ids.cuh %D%/lists/list.h \
  %D%/lists/list_group.cuh %D%/lists/search.cuh %D%/lists/sort.h %D%/step/force_pass.cuh %D%/step/force_rows.cuh \
  %D%/step/force_set.cuh %D%/step/force_sums.cuh %D%/step/model_upload.cuh \
  %D%/step/minimise.h %D%/step/partner_rows.cuh %D%/step/biases.cuh %D%/step/motion.cuh %D%/step/step.h %D%/step/stress_rows.cuh %D%/comm/comm.h %D%/comm/halo.cuh
# Compiled once for each precision, and force_set.cu for each set of pair terms too.
cuda_force = %D%/step/force.cu %D%/step/force_set.cu
# What takes long comes first, so that make -j does not end with it.
cuda_objects = $(cuda_sets) $(cuda_sources:.cu=.o) %D%/step/force_mixed.o %D%/step/force_double.o
EXTRA_DIST += $(cuda_sources) $(cuda_headers) $(cuda_force) %D%/maps/full.cu \
  build-aux/kernels.sh build-aux/nvcc_unit.sh build-aux/pair_sets.sh

# -fmad=false and -ftz=true: the same bits with and without energies, and over kernels.
CUDA_DEPDIR = %D%/.cudadeps
NVCC_COMPILE = $(NVCC_CCACHE) $(NVCC) $(CUDA_GENCODE) -std=c++17 -O3 -fmad=false -ftz=true \
  -Xptxas -v -Xcompiler -ffp-contract=off,-Wall,-Wextra $(WERROR:-Werror=-Werror all-warnings) $(DEFS) \
  $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(NVCCFLAGS)
NVCC_OBJECT = $(AM_V_NVCC)$(MKDIR_P) $(@D) $(CUDA_DEPDIR) && \
  $(SHELL) $(top_srcdir)/build-aux/nvcc_unit.sh $@ $(NVCC_COMPILE) -MMD -MP -MF $(CUDA_DEPDIR)/$(subst /,_,$@).d -c
AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;
mixed = -DPRECISION=mixed
double = -DPRECISION=double -DREAL_DOUBLE
# Of a unit whose name says its terms, such as lj_cut-qq: its name, its terms and their headers, that is of first words.
pair_terms = $(subst -, ,$*)
pair_set = -DFORCE_SET=$(subst -,_,$*) '-DPAIR_ONLY=(0$(patsubst %,|PAIR_BIT(%),$(pair_terms)))' \
  $(foreach term,$(pair_terms),-include pair/pair_$(firstword $(subst _, ,$(term))).h)

SUFFIXES = .cu
.cu.o:
	$(NVCC_OBJECT) $< -o $@
%D%/step/force_mixed.o: %D%/step/force.cu
	$(NVCC_OBJECT) $< -o $@ $(mixed)
%D%/step/force_double.o: %D%/step/force.cu
	$(NVCC_OBJECT) $< -o $@ $(double)
%D%/step/force_%_mixed.o: %D%/step/force_set.cu
	$(NVCC_OBJECT) $< -o $@ $(mixed) $(pair_set)
%D%/step/force_%_double.o: %D%/step/force_set.cu
	$(NVCC_OBJECT) $< -o $@ $(double) $(pair_set)

if HAVE_CUDA
pair_sets = $(shell $(top_srcdir)/build-aux/pair_sets.sh $(top_srcdir)/src/pair/pair_sets.h)
cuda_sets = $(foreach set,$(pair_sets),%D%/step/force_$(set)_mixed.o %D%/step/force_$(set)_double.o)
liblamella_a_SOURCES += $(cuda_c_sources)
liblamella_a_LIBADD += $(cuda_objects)
CLEANFILES += $(cuda_objects) $(cuda_objects:=.kernels)
-include $(CUDA_DEPDIR)/*.d
# The force kernels that there are.
kernels: $(cuda_sets)
	@$(SHELL) $(top_srcdir)/build-aux/kernels.sh $(cuda_sets:=.kernels)
else
kernels:
	@echo "built without CUDA: there are no kernels of GPUs"
endif
.PHONY: kernels
clean-local:
	-rm -rf $(CUDA_DEPDIR)
