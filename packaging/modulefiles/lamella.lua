-- Lmod. The tree may lie anywhere: PREFIX/share/lamella/modulefiles/lamella/VERSION.lua finds PREFIX by its own place.
--   module use PREFIX/share/lamella/modulefiles && module load lamella
-- Modules of MPI, HDF5 and CUDA that the program was built with: depends_on("openmpi") and so on, in a copy.
help([[Lamella, molecular dynamics of coarse-grained lipid bilayers. Documents: share/doc/lamella; man lamella; lamella --help]])
whatis("Name: lamella")
whatis("Version: " .. myModuleVersion())
whatis("Description: molecular dynamics of large coarse-grained lipid bilayers on GPUs and CPUs")
conflict("lamella")
local prefix = myFileName():match("^(.*)/share/lamella/modulefiles/")
setenv("LAMELLA_ROOT", prefix)
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PYTHONPATH", pathJoin(prefix, "share/lamella/python"))
