# Ranks, regions, exchange. One line a module: append yours.
liblamella_a_SOURCES += %D%/comm/gpus_visible.c %D%/comm/gpus_visible.h %D%/comm/mps.c %D%/comm/mps.h
liblamella_a_SOURCES += %D%/comm/implementation.c %D%/comm/implementation.h
liblamella_a_SOURCES += %D%/comm/ranks.c %D%/comm/ranks.h %D%/comm/ranks_mpi.h
liblamella_a_SOURCES += %D%/comm/file_call.c %D%/comm/file_call.h %D%/comm/heartbeat.c %D%/comm/heartbeat.h \
  %D%/comm/ring.c %D%/comm/ring.h
liblamella_a_SOURCES += %D%/comm/thread.h %D%/comm/wait.c %D%/comm/wait.h
liblamella_a_SOURCES += %D%/domain/halo.c %D%/domain/halo.h %D%/domain/migrate.c %D%/domain/migrate.h \
  %D%/domain/regions.c %D%/domain/regions.h
liblamella_a_SOURCES += %D%/transport/transport.c %D%/transport/transport.h %D%/transport/transport_host.c
liblamella_a_SOURCES += %D%/transport/device_memory.c %D%/transport/device_memory.h
liblamella_a_SOURCES += %D%/transport/messenger.c %D%/transport/messenger.h
# Transports of device memory.
EXTRA_DIST += %D%/transport/device_signal.cu
if HAVE_CUDA
liblamella_a_SOURCES += %D%/transport/transport_links.c %D%/transport/transport_links.h \
  %D%/transport/ipc_memory.c %D%/transport/ipc_memory.h
liblamella_a_LIBADD += %D%/transport/device_signal.o
CLEANFILES += %D%/transport/device_signal.o
endif
if HAVE_NCCL
liblamella_a_SOURCES += %D%/transport/transport_nccl.c
endif
