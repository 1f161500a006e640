/* The keys of GROMACS run parameters (.mdp) of versions 4.6 to 2026, in lower case with '-'.
   Included several times; the first row that fits a key holds.

   MDP_START(key, words, why): becomes part of the force field or the start (gromacs_pairs.c). The
   run file names these keys in this order.
   MDP_RUN(key, words, why): becomes part of the run file (gromacs_run.c, gromacs_thermostat.c,
   gromacs_barostat.c). words: NULL, or the values that can be imported, of which the first is what
   GROMACS has where the file says nothing; why others are refused.
   MDP_ONLY(keys, words, why): only these values, since others would need what is not implemented.
   MDP_NONE(keys, why): have no effect here; why, or "".
   keys: "a|b|c". "family-*" stands for all that begin so, "*-ending" for all that end so. */
#ifdef MDP_RUN
MDP_START("rvdw", NULL, NULL)
MDP_START("rcoulomb", NULL, NULL)
MDP_START("rvdw-switch", NULL, NULL)
MDP_START("rcoulomb-switch", NULL, NULL)
MDP_START("vdwtype", "cut-off|switch|shift|user",
          "cut-off (with any vdw-modifier), switch, shift and user are implemented")
MDP_START("vdw-modifier",
          "potential-shift|potential-shift-verlet|none|force-switch|potential-switch",
          "potential-shift, none, force-switch and potential-switch are implemented")
MDP_START("epsilon-r", NULL, NULL)
MDP_START("epsilon-rf", NULL, NULL)
MDP_START("define", NULL, NULL)
MDP_START("include", NULL, NULL)
MDP_START("gen-vel", "no|yes", "no and yes are possible")
MDP_START("gen-temp", NULL, NULL)
MDP_START("gen-seed", NULL, NULL)
MDP_START("coulombtype", NULL, NULL)
MDP_START("energygrp-table", NULL, NULL)
MDP_START("refcoord-scaling", "no|all|com", "no, com and all are possible")
MDP_START("disre", "no|simple", "no and simple are possible: no averages over copies")
MDP_START("disre-fc", NULL, NULL)
MDP_RUN("integrator", "md|md-vv|md-vv-avek|sd",
        "md, md-vv and sd can be imported; `lamella build` with `state:` and `minimise:` minimises "
        "energies")
MDP_RUN("dt", NULL, NULL)
MDP_RUN("nsteps", NULL, NULL)
MDP_RUN("comm-mode", "linear|none",
        "linear and none are possible: neither rotations nor accelerations are removed")
MDP_RUN("nstcomm", NULL, NULL)
MDP_RUN("comm-grps", NULL, NULL)
MDP_RUN("freezegrps", NULL, NULL)
MDP_RUN("freezedim", NULL, NULL)
MDP_RUN("ld-seed", NULL, NULL)
MDP_RUN("nstxout", NULL, NULL)
MDP_RUN("nstvout", NULL, NULL)
MDP_RUN("nstfout", NULL, NULL)
MDP_RUN("nstenergy", NULL, NULL)
MDP_RUN("nstxout-compressed", NULL, NULL)
MDP_RUN("tcoupl", "no|v-rescale|berendsen|yes", "v-rescale and berendsen are implemented")
MDP_RUN("tc-grps", NULL, NULL)
MDP_RUN("tau-t", NULL, NULL)
MDP_RUN("ref-t", NULL, NULL)
MDP_RUN("nsttcouple", NULL, NULL)
MDP_RUN("pcoupl", "no|berendsen|isotropic|c-rescale|parrinello-rahman",
        "c-rescale, parrinello-rahman (as c-rescale) and berendsen are implemented")
MDP_RUN("pcoupltype", "isotropic|semiisotropic|anisotropic|surface-tension",
        "isotropic, semiisotropic, anisotropic and surface-tension are possible")
MDP_RUN("nstpcouple", NULL, NULL)
MDP_RUN("tau-p", NULL, NULL)
MDP_RUN("compressibility", NULL, NULL)
MDP_RUN("ref-p", NULL, NULL)
MDP_RUN("electric-field-x", NULL, NULL)
MDP_RUN("electric-field-y", NULL, NULL)
MDP_RUN("electric-field-z", NULL, NULL)
MDP_RUN("e-x", NULL, NULL)
MDP_RUN("e-y", NULL, NULL)
MDP_RUN("e-z", NULL, NULL)
MDP_RUN("free-energy", "no|yes|static", "lambda does not change during a run")
MDP_ONLY("*-active", "no|false|0", "forces of other modules are not implemented")
MDP_ONLY("fmm-backend", "inactive", "multipole methods are not implemented")
MDP_ONLY("qmmm", "no", "QM/MM is not implemented")
MDP_ONLY("init-step", "0", "runs begin at step 0")
MDP_ONLY("mass-repartition-factor", "1", "masses are those of the topology")
MDP_ONLY("pbc", "xyz", "boxes are periodic along x, y and z")
MDP_ONLY("periodic-molecules", "no", "molecules across the box are not implemented")
MDP_ONLY("coulomb-modifier", "potential-shift|potential-shift-verlet|none|exact-cutoff",
         "switched charges are those of coulombtype = shift")
MDP_ONLY("dispcorr", "no", "long-range corrections of dispersion are not implemented")
MDP_ONLY("implicit-solvent", "no", "implicit solvents are not implemented")
MDP_ONLY("energygrp-excl", "", "exclusions between groups are not implemented")
MDP_ONLY("annealing", "no", "annealing is not implemented")
MDP_ONLY("constraints", "none", "write the bonds of the topology as [ constraints ]")
MDP_ONLY("morse", "no", "Morse bonds are not implemented")
MDP_ONLY("nwall", "0", "walls of GROMACS are not implemented")
MDP_ONLY("pull", "no", "pulling of GROMACS is not implemented")
MDP_ONLY("awh", "no", "biases are not implemented")
MDP_ONLY("rotation", "no", "enforced rotation is not implemented")
MDP_ONLY("orire", "no", "restraints of orientations are not implemented")
MDP_ONLY("delta-lambda", "0", "lambda does not change during a run")
MDP_ONLY("expanded", "no", "expanded ensembles are not implemented")
MDP_ONLY("acc-grps", "", "accelerated groups are not implemented")
MDP_ONLY("accelerate", "0", "accelerated groups are not implemented")
MDP_ONLY("cos-acceleration", "0", "shear by acceleration is not implemented")
MDP_ONLY("deform", "0", "deformed boxes are not implemented")
MDP_ONLY("simulated-tempering", "no", "tempering is not implemented")
MDP_ONLY("e-xt|e-yt|e-zt", "0", "fields that change in time are not implemented")
MDP_ONLY("swapcoords", "no", "exchange of positions is not implemented")
MDP_ONLY("adress", "no", "mixed resolution is not implemented")
MDP_ONLY("mts", "no", "multiple time steps are not implemented")
MDP_NONE("nstlist", "lists are exact: no pair is missed, whenever they are rebuilt")
MDP_NONE("rlist|rlistlong", "lists are exact: their radius is the cutoff and neighbor.skin")
MDP_NONE("verlet-buffer-tolerance|verlet-buffer-pressure-tolerance|nstcalclr",
         "lists are exact: no pair is missed")
MDP_NONE("cutoff-scheme|ns-type", "lists are exact")
MDP_NONE("title|cpp|simulation-part|domain-decomposition|nstlog|nstcheckpoint|energygrps|user1-"
         "grps|user2-grps|userint*|userreal*",
         "")
MDP_NONE("tinit", "time begins at 0")
MDP_NONE("nstcalcenergy", "energies are computed on the steps that report them")
MDP_NONE("compressed-x-precision", "frames have full precision")
MDP_NONE("compressed-x-grps", "output.frames_select selects beads")
MDP_NONE("emtol|emstep|niter|fcstep|nstcgsteep|nbfgscorr", "for energy minimisation")
MDP_NONE("rtpi", "for insertion")
MDP_NONE("bd-fric", "for Brownian dynamics")
MDP_NONE("table-extension", "tables end at the cutoff")
MDP_NONE("fourierspacing|fourier-nx|fourier-ny|fourier-nz|pme-order|ewald-rtol|ewald-rtol-lj|lj-"
         "pme-comb-rule|ewald-geometry|epsilon-surface|optimize-fft",
         "no Ewald sums")
MDP_NONE("ensemble-temperature|ensemble-temperature-setting", "the temperature is ref-t")
MDP_NONE("nh-chain-length|print-nose-hoover-chain-variables", "no Nose-Hoover chains")
MDP_NONE("andersen-seed", "no Andersen thermostat")
MDP_NONE("continuation", "constraints are solved from the start")
MDP_NONE("constraint-algorithm|lincs-order|lincs-iter|lincs-warnangle|shake-tol|shake-sor",
         "constraints are solved together, to convergence")
MDP_NONE("mts-*", "no multiple time steps")
MDP_NONE("wall-*", "no walls")
MDP_NONE("dihre|dihre-fc|dihre-tau|nstdihreout",
         "restraints of dihedrals are those of the topology")
MDP_NONE("disre-*|nstdisreout", "no averages of distances")
MDP_NONE("orire-*|nstorireout", "no restraints of orientations")
MDP_NONE("annealing-*", "no annealing")
MDP_NONE("gb-*|sa-algorithm|sa-surface-tension|nstgbradii|rgbradii", "no implicit solvent")
MDP_NONE("pull-*", "no pulling")
MDP_NONE("rot-*", "no enforced rotation")
MDP_NONE("imd-group", "no interactive runs")
MDP_NONE("swap-*|split-group*|massw-split*|solvent-group|iontype*|cyl0-*|cyl1-*|coupl-steps|bulk-"
         "offset*|threshold|nanions|ncations",
         "no exchange of positions")
MDP_NONE("adress-*", "no mixed resolution")
MDP_NONE("deform-init-flow", "boxes are not deformed")
MDP_NONE("couple-*|init-lambda*|fep-lambdas|coul-lambdas|vdw-lambdas|sc-*",
         "with free-energy = yes they are soft_core")
MDP_NONE("bonded-lambdas|restraint-lambdas|mass-lambdas|temperature-lambdas",
         "what they would change is the same in both states")
MDP_NONE("calc-lambda-neighbors|nstdhdl|nstdgdl|dhdl-*|dh-hist-*|separate-dhdl-file",
         "PREFIX.csv has the slopes of the energy by lambda")
MDP_NONE("nstexpanded|lmc-*|weight-*|wl-*|init-wl-*|init-histogram-counts|mc-temperature|"
         "symmetrized-transition-matrix|nst-transition-matrix|mininum-var-min",
         "no expanded ensemble")
MDP_NONE("simulated-tempering-scaling|sim-temp-*", "no tempering")
MDP_NONE("fmm-*", "no multipole methods")
MDP_NONE("density-guided-simulation-*", "no guiding densities")
MDP_NONE("colvars-*", "no collective variables")
MDP_NONE("nnpot-*", "no neural networks")
MDP_NONE("qmmm-*|qmmethod|qmmmscheme|qmbasis|qmcharge|qmmult|sh|casorbitals|caselectrons|saon|"
         "saoff|sasteps|mmchargescalefactor|bopt|bts",
         "no QM/MM")
MDP_NONE("awh*", "no biases")
#endif
