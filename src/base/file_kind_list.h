/* Every kind of file that is recognised by its content, once: KIND(kind, name, way).

   way: how to come from it to a file that the program reads; '@' stands for its path, '~' for the
   path without its suffix. How it is recognised: file_kind.c. Included several times. */
#ifdef KIND
KIND(HDF5, "an HDF5 file", "lamella info @ says what it holds")
KIND(GRO, "a .gro file",
     "lamella import TOPOL.top @ -o START.h5 makes a state of it, as does lamella convert @ "
     "--state=STATE.h5 -o NEW.h5")
KIND(TRR, "a .trr trajectory of GROMACS",
     "lamella convert @ --state=STATE.h5 -o NEW.h5 makes a state of a frame, and gmx trjconv -f @ "
     "-s "
     "TOPOL.tpr -dump TIME -o ~.gro a .gro file, for lamella import")
KIND(
    XTC, "an .xtc trajectory of GROMACS",
    "gmx trjconv -f @ -o ~.trr makes a .trr file of it, for lamella convert, and with -s TOPOL.tpr "
    "-dump TIME -o ~.gro a .gro file, for lamella import; lamella analyze reads .h5md files")
KIND(
    CPT, "a .cpt checkpoint of GROMACS",
    "gmx trjconv -f @ -o ~.trr makes a .trr file of it, and lamella convert ~.trr --state=START.h5 "
    "-o NEW.h5 a state that a run goes on from; gmx trjconv -f @ -s RUN.tpr -o ~.gro makes a .gro "
    "file, for lamella import")
KIND(TPR, "a .tpr run input of GROMACS",
     "lamella import TOPOL.top CONF.gro --mdp=RUN.mdp --run=RUN.yaml -o START.h5 reads the files "
     "that "
     "it was made of; gmx editconf -f @ -o ~.gro writes its configuration")
KIND(EDR, "an .edr file of GROMACS, of energies", "gmx energy -f @ prints them")
KIND(PDB, "a PDB file",
     "lamella import TOPOL.top @ -o START.h5 makes a state of it, and gmx editconf -f @ -o ~.gro a "
     ".gro file")
KIND(CIF, "an mmCIF file",
     "gemmi convert @ ~.pdb makes a PDB file of it, which lamella import reads; COBY writes one, "
     "and a .gro file, beside it")
KIND(DCD, "a DCD trajectory",
     "mdconvert (MDTraj) and MDAnalysis write .trr files of it, which lamella convert reads")
KIND(GZIP, "a compressed file", "gunzip @")
KIND(TOP, "a topology of GROMACS", "lamella import @ CONF.gro -o START.h5 makes a state of it")
KIND(MDP, "an .mdp file of GROMACS",
     "lamella import TOPOL.top CONF.gro --mdp=@ --run=RUN.yaml -o START.h5 makes a run file of it")
#undef KIND
#endif
