# The CUDA backend: C files that call the runtime, and kernels in .cu files.
cuda_c_sources = %D%/backend_cuda.c %D%/build_cuda.c %D%/cuda_check.c %D%/graph_cuda.c \
  %D%/memory_cuda.c %D%/offender_cuda.c
cuda_sources = %D%/columns_cuda.cu %D%/couple_cuda.cu %D%/halo_cuda.cu %D%/integrate_cuda.cu \
  %D%/list_cuda.cu %D%/migrate_cuda.cu %D%/partners_cuda.cu %D%/sort_cuda.cu %D%/sums_cuda.cu \
  %D%/watch_cuda.cu
cuda_headers = %D%/backend_cuda.h %D%/cuda_check.h %D%/device_cuda.cuh %D%/force_pass_cuda.cuh \
  %D%/list_group_cuda.cuh %D%/model_cuda.cuh
# Compiled once for each precision.
cuda_force = %D%/force_cuda.cu
cuda_objects = $(cuda_sources:.cu=.o) %D%/force_cuda_mixed.o %D%/force_cuda_double.o
EXTRA_DIST += $(cuda_sources) $(cuda_headers) $(cuda_force)

# -fmad=false and -ftz=true: the same bits with and without energies, and over kernels.
CUDA_DEPDIR = %D%/.cudadeps
NVCC_COMPILE = $(NVCC) $(CUDA_GENCODE) -std=c++17 -O3 -lineinfo -fmad=false -ftz=true \
  -Xcompiler -ffp-contract=off,-Wall,-Wextra $(WERROR:-Werror=-Werror all-warnings) $(DEFS) \
  $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(NVCCFLAGS)
NVCC_OBJECT = $(AM_V_NVCC)$(MKDIR_P) $(@D) $(CUDA_DEPDIR) && \
  $(NVCC_COMPILE) -MMD -MP -MF $(CUDA_DEPDIR)/$(@F).d -c
AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;

SUFFIXES = .cu
.cu.o:
	$(NVCC_OBJECT) $< -o $@
%D%/force_cuda_mixed.o: $(cuda_force)
	$(NVCC_OBJECT) $< -o $@ -DPRECISION=mixed
%D%/force_cuda_double.o: $(cuda_force)
	$(NVCC_OBJECT) $< -o $@ -DPRECISION=double -DREAL_DOUBLE

if HAVE_CUDA
liblamella_a_SOURCES += $(cuda_c_sources)
liblamella_a_LIBADD += $(cuda_objects)
CLEANFILES += $(cuda_objects)
-include $(CUDA_DEPDIR)/*.d
endif
clean-local:
	-rm -rf $(CUDA_DEPDIR)
