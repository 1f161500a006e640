# Ranks, slabs, exchange. One line a module: append yours.
liblamella_a_SOURCES += %D%/ranks.c %D%/ranks.h %D%/ranks_mpi.h
liblamella_a_SOURCES += %D%/heartbeat.c %D%/heartbeat.h %D%/ring.c %D%/ring.h
liblamella_a_SOURCES += %D%/halo.c %D%/halo.h %D%/slab.c %D%/slab.h
liblamella_a_SOURCES += %D%/transport.c %D%/transport.h %D%/transport_self.c %D%/transport_staged.c
liblamella_a_SOURCES += %D%/device_memory.c %D%/device_memory.h
# Transports of device memory.
EXTRA_DIST += %D%/device_signal.cu
if HAVE_CUDA
liblamella_a_SOURCES += %D%/transport_ipc.c %D%/transport_cuda_aware.c %D%/device_signal.h
liblamella_a_LIBADD += %D%/device_signal.o
CLEANFILES += %D%/device_signal.o
endif
if HAVE_NCCL
liblamella_a_SOURCES += %D%/transport_nccl.c
endif
