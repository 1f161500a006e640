#%Module1.0
# Environment Modules. The tree may lie anywhere: PREFIX/share/lamella/modulefiles/lamella/VERSION finds PREFIX by its
# own place.   module use PREFIX/share/lamella/modulefiles && module load lamella
# Modules of MPI, HDF5 and CUDA that the program was built with: prereq openmpi and so on, in a copy.
proc ModulesHelp { } {
  puts stderr "Lamella, molecular dynamics of coarse-grained lipid bilayers. Documents: share/doc/lamella; man lamella; lamella --help"
}
module-whatis "Lamella: molecular dynamics of large coarse-grained lipid bilayers on GPUs and CPUs"
conflict lamella
regexp {^(.*)/share/lamella/modulefiles/} $ModulesCurrentModulefile whole prefix
setenv LAMELLA_ROOT $prefix
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path PYTHONPATH $prefix/share/lamella/python
