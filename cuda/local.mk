# The CUDA backend: every .cu file in cuda_sources, its headers in cuda_headers.
cuda_sources =
cuda_headers =
EXTRA_DIST += $(cuda_sources) $(cuda_headers)

# -fmad=false and -ftz=true: the same bits with and without energies, and over kernels.
CUDA_DEPDIR = %D%/.cudadeps
NVCC_COMPILE = $(NVCC) $(CUDA_GENCODE) -std=c++17 -O3 -lineinfo -fmad=false -ftz=true \
  -Xcompiler -ffp-contract=off $(WERROR:-Werror=-Werror all-warnings) $(DEFS) \
  $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(NVCCFLAGS)
AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;

SUFFIXES = .cu
.cu.o:
	$(AM_V_NVCC)$(MKDIR_P) $(@D) $(CUDA_DEPDIR) && \
	  $(NVCC_COMPILE) -MMD -MP -MF $(CUDA_DEPDIR)/$(@F).d -c $< -o $@

if HAVE_CUDA
liblamella_a_LIBADD += $(cuda_sources:.cu=.o)
CLEANFILES += $(cuda_sources:.cu=.o)
-include $(CUDA_DEPDIR)/*.d
endif
clean-local:
	-rm -rf $(CUDA_DEPDIR)
