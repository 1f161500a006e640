# Files. One line a module: append yours.
liblamella_a_SOURCES += %D%/backup.c %D%/backup.h
liblamella_a_SOURCES += %D%/bonds.c %D%/bonds.h
liblamella_a_SOURCES += %D%/checksum.c %D%/checksum.h
liblamella_a_SOURCES += %D%/disk.c %D%/disk.h
liblamella_a_SOURCES += %D%/h5.c %D%/h5.h %D%/h5_index.c %D%/h5_read.c %D%/h5_read.h
liblamella_a_SOURCES += %D%/info.c %D%/info.h %D%/info_state.c %D%/info_state.h
liblamella_a_SOURCES += %D%/lock.c %D%/lock.h
liblamella_a_SOURCES += %D%/path.c %D%/path.h
liblamella_a_SOURCES += %D%/psf.c
liblamella_a_SOURCES += %D%/state.c %D%/state.h %D%/state_read.c %D%/state_topology.c %D%/state_topology.h %D%/state_values.c %D%/state_values.h
liblamella_a_SOURCES += %D%/state_check.c %D%/state_check.h
liblamella_a_SOURCES += %D%/state_layout.c %D%/state_layout.h
liblamella_a_SOURCES += %D%/trajectory.c %D%/trajectory.h %D%/trajectory_read.c %D%/trajectory_read.h
liblamella_a_SOURCES += %D%/trajectory_reader.c %D%/trajectory_reader.h
liblamella_a_SOURCES += %D%/trajectory_check.c %D%/trajectory_check.h %D%/trajectory_fixed.c
liblamella_a_SOURCES += %D%/trajectory_layout.c %D%/trajectory_layout.h
liblamella_a_SOURCES += %D%/xmf.c %D%/xmf.h
