/* The keys of GROMACS run parameters (.mdp) of versions 3.3 to 2026, in lower case with '-'.
   Included several times; the first row that fits a key holds. `lamella import --help` prints the
   rows, and the manual has them (docs/reference/mdp.md).

   MDP_START(key, becomes, words, why): becomes part of the force field or the start
   (gromacs_pairs.c). The run file names these keys in this order.
   MDP_RUN(key, becomes, words, why): becomes part of the run file (gromacs_run.c,
   gromacs_stage.c, gromacs_thermostat.c, gromacs_barostat.c). words: NULL, or the values that can
   be imported, of which the first is what GROMACS has where the file says nothing; why others are
   refused.
   MDP_ONLY(keys, words, why): only these values, since others would need what is not implemented.
   MDP_WITH(keys, key, words, becomes): belongs to another key, and has no effect where that has one
   of the words, the first of which is what GROMACS has where the file says nothing.
   MDP_NONE(keys, why): have no effect here; why, or "".
   keys: "a|b|c". "family-*" stands for all that begin so, "*-ending" for all that end so. */
#ifdef MDP_RUN
MDP_START("rvdw", "the cutoff of Lennard-Jones", NULL, NULL)
MDP_START("rcoulomb", "the cutoff of charges", NULL, NULL)
MDP_START("rvdw-switch", "where switched Lennard-Jones begins to end", NULL, NULL)
MDP_START("rcoulomb-switch", "where charges of coulombtype = shift begin to end", NULL, NULL)
MDP_START("vdwtype", "shift: as force-switch; switch: as potential-switch; user: tables of --table",
          "cut-off|switch|shift|user",
          "cut-off (with any vdw-modifier), switch, shift and user are implemented")
MDP_START("vdw-modifier",
          "truncations energy_shift, cut, force_switch and potential_switch of the force field",
          "potential-shift|potential-shift-verlet|none|force-switch|potential-switch",
          "potential-shift, none, force-switch and potential-switch are implemented")
MDP_START("epsilon-r", "relative permittivity within the cutoff; not given: 1, with a warning",
          NULL, NULL)
MDP_START("epsilon-rf", "relative permittivity beyond it; 0 and inf: infinite", NULL, NULL)
MDP_START("define", "macros of the preprocessor", NULL, NULL)
MDP_START("include", "folders of included files", NULL, NULL)
MDP_START("gen-vel", "velocities drawn at import", "no|yes", "no and yes are possible")
MDP_START("gen-temp", "their temperature", NULL, NULL)
MDP_START("gen-seed", "their seed; -1: 1, the same in every import", NULL, NULL)
MDP_START(
    "coulombtype",
    "charges by a reaction field, without one, or by shifted forces; others are refused where "
    "there are charges",
    "cut-off|reaction-field|shift|user", "cut-off, reaction-field, shift and user are implemented")
MDP_START("energygrp-table", "pairs of energygrps with tables of their own", NULL, NULL)
MDP_START(
    "refcoord-scaling",
    "how places of --reference in another box become those of the start; in a run they follow "
    "the box",
    "no|all|com", "no, com and all are possible")
MDP_START("disre", "distance_restraints act", "no|simple",
          "no and simple are possible: no averages over copies")
MDP_START("disre-fc", "their force constant", NULL, NULL)
MDP_RUN("integrator",
        "md, md-vv: velocity Verlet; sd: thermostat langevin; steep, cg, l-bfgs: a stage "
        "`minimise`, by steepest descent",
        "md|md-vv|md-vv-avek|sd|sd1|sd2|steep|cg|l-bfgs",
        "md, md-vv, sd, steep, cg and l-bfgs can be imported")
MDP_RUN("dt", "run.dt", NULL, NULL)
MDP_RUN("nsteps", "run.steps, or steps of a minimiser", NULL, NULL)
MDP_RUN("emtol", "force of a minimiser", NULL, NULL)
MDP_RUN("emstep",
        "displacement of a minimiser, where it is given: the most that a step moves a bead", NULL,
        NULL)
MDP_RUN("comm-mode", "whether run.momentum_every acts", "linear|none",
        "linear and none are possible: neither rotations nor accelerations are removed")
MDP_RUN("nstcomm", "run.momentum_every", NULL, NULL)
MDP_RUN("comm-grps", "run.momentum_groups, unless they are all beads", NULL, NULL)
MDP_RUN("freezegrps", "frozen", NULL, NULL)
MDP_RUN("freezedim", "`along` of each of them", NULL, NULL)
MDP_RUN("ld-seed", "run.seed", NULL, NULL)
MDP_RUN("nstxout", "output.frames_every", NULL, NULL)
MDP_RUN("nstvout", "output.velocities, as often as frames", NULL, NULL)
MDP_RUN("nstfout", "output.forces, as often as frames", NULL, NULL)
MDP_RUN("nstenergy", "output.energies_every", NULL, NULL)
MDP_RUN("nstxout-compressed", "output.frames_every", NULL, NULL)
MDP_RUN("tcoupl", "thermostat.type bussi or berendsen; none with sd", "no|v-rescale|berendsen|yes",
        "v-rescale and berendsen are implemented; --substitute=WORD:v-rescale takes one for WORD")
MDP_RUN("tc-grps", "thermostat.groups, where there are several", NULL, NULL)
MDP_RUN("tau-t", "thermostat.tau; 0 with v-rescale: the least", NULL, NULL)
MDP_RUN("ref-t", "thermostat.temperature", NULL, NULL)
MDP_RUN("annealing", "thermostat.temperature that changes in time, of each of tc-grps",
        "no|single|periodic", "no, single and periodic are possible")
MDP_RUN("nsttcouple", "thermostat.every", NULL, NULL)
MDP_RUN("pcoupl", "barostat.type crescale or berendsen; parrinello-rahman: crescale",
        "no|berendsen|isotropic|c-rescale|parrinello-rahman",
        "c-rescale, parrinello-rahman (as c-rescale) and berendsen are implemented; "
        "--substitute=WORD:c-rescale takes one for WORD")
MDP_RUN("pcoupltype", "barostat.coupling", "isotropic|semiisotropic|anisotropic|surface-tension",
        "isotropic, semiisotropic, anisotropic and surface-tension are possible")
MDP_RUN("nstpcouple", "barostat.every", NULL, NULL)
MDP_RUN("tau-p", "barostat.tau", NULL, NULL)
MDP_RUN("compressibility", "barostat.compressibility, of each box edge; 0: it stays", NULL, NULL)
MDP_RUN("ref-p", "barostat.pressure and surface_tension", NULL, NULL)
MDP_RUN("dispcorr",
        "no; where the box is coupled, corrections of the pressure are refused, and energies are "
        "without them",
        "no|ener|allener|enerpres|allenerpres",
        "no, Ener, AllEner, EnerPres and AllEnerPres are words of GROMACS")
MDP_RUN("constraints",
        "none; h-bonds where no atom has the name of a hydrogen; others: write the bonds of the "
        "topology as [ constraints ]",
        "none|h-bonds", "write the bonds of the topology as [ constraints ]")
MDP_RUN(
    "nwall",
    "2: fields, of forms wall_9_3, wall_10_4 and wall_12_6; the box becomes twice as high, since "
    "it is periodic",
    "0|2",
    "0 and 2 are possible: above a single wall the system is open, and boxes here are periodic")
MDP_RUN("pbc", "xyz; xy with two walls", "xyz|xy", "boxes are periodic along x, y and z")
MDP_RUN("electric-field-x", "fields, of form electric: E0 omega t0 sigma", NULL, NULL)
MDP_RUN("electric-field-y", "the same", NULL, NULL)
MDP_RUN("electric-field-z", "the same", NULL, NULL)
MDP_RUN("e-x", "the same, of versions before 2018", NULL, NULL)
MDP_RUN("e-y", "the same", NULL, NULL)
MDP_RUN("e-z", "the same", NULL, NULL)
MDP_RUN(
    "pull",
    "groups, coordinates and biases; umbrella and constant-force: of versions before 5.1, for all "
    "coordinates",
    "no|yes|umbrella|constant-force|constraint",
    "no and yes are possible, and umbrella, constraint and constant-force of old versions")
MDP_RUN("free-energy", "soft_core: interactions that depend on lambda", "no|yes|static",
        "lambda does not change during a run")
MDP_ONLY("*-active", "no|false|0", "forces of other modules are not implemented")
MDP_ONLY("fmm-backend", "inactive", "multipole methods are not implemented")
MDP_ONLY("qmmm", "no", "QM/MM is not implemented")
MDP_ONLY("mass-repartition-factor", "1", "masses are those of the topology")
MDP_ONLY("periodic-molecules", "no", "molecules across the box are not implemented")
MDP_ONLY("coulomb-modifier", "potential-shift|potential-shift-verlet|none|exact-cutoff",
         "switched charges are those of coulombtype = shift")
MDP_ONLY("implicit-solvent", "no", "implicit solvents are not implemented")
MDP_ONLY("energygrp-excl", "", "exclusions between groups are not implemented")
MDP_ONLY("morse", "no", "Morse bonds are those of the topology: bonds of function 3")
MDP_ONLY("awh", "no", "biases are not implemented")
MDP_ONLY("rotation", "no", "enforced rotation is not implemented")
MDP_ONLY("orire", "no", "restraints of orientations are not implemented")
MDP_ONLY("delta-lambda", "0", "lambda does not change during a run")
MDP_ONLY("expanded", "no", "expanded ensembles are not implemented")
MDP_ONLY("accelerate", "0",
         "a group that is accelerated has no ensemble; a constant force on a group is a field: "
         "electric-field-x and charges, or `fields` of the run file")
MDP_ONLY("cos-acceleration", "0", "shear by acceleration is not implemented")
MDP_ONLY("deform", "0", "deformed boxes are not implemented")
MDP_ONLY("simulated-tempering", "no", "tempering is not implemented")
MDP_ONLY("e-xt|e-yt|e-zt", "0",
         "write E0 omega t0 sigma as electric-field-x, y or z of version 2018")
MDP_ONLY("swapcoords", "no", "exchange of positions is not implemented")
MDP_ONLY("adress", "no", "mixed resolution is not implemented")
MDP_ONLY("mts", "no", "multiple time steps are not implemented")
MDP_NONE("nstlist", "lists are exact: no pair is missed, whenever they are rebuilt")
MDP_NONE("rlist|rlistlong", "lists are exact: their radius is the cutoff and neighbor.skin")
MDP_NONE("verlet-buffer-tolerance|verlet-buffer-pressure-tolerance|nstcalclr",
         "lists are exact: no pair is missed")
MDP_NONE("cutoff-scheme|ns-type", "lists are exact")
MDP_NONE("title|cpp|warnings|simulation-part|domain-decomposition|nstlog|nstcheckpoint|energygrps|"
         "user1-grps|user2-grps|userint*|userreal*",
         "")
MDP_NONE("tinit|init-step", "time and steps begin at 0")
MDP_NONE("acc-grps", "no group is accelerated")
MDP_NONE("nstcalcenergy", "energies are computed on the steps that report them")
MDP_NONE("compressed-x-precision", "frames have full precision")
MDP_NONE("compressed-x-grps", "output.frames_select selects beads")
MDP_NONE("niter|fcstep|nstcgsteep|nbfgscorr", "minimisers are by steepest descent")
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
MDP_WITH("wall-type|wall-atomtype|wall-density|wall-r-linpot", "nwall", "0",
         "the form of walls, 9-3, 10-4 or 12-6; their type, also of no atom; density and linear")
MDP_NONE("wall-ewald-zfac", "no Ewald sums")
MDP_NONE("dihre|dihre-fc|dihre-tau|nstdihreout",
         "restraints of dihedrals are those of the topology")
MDP_NONE("disre-*|nstdisreout", "no averages of distances")
MDP_NONE("orire-*|nstorireout", "no restraints of orientations")
MDP_WITH("annealing-npoints|annealing-time|annealing-temp", "annealing", "no",
         "points of these temperatures; times begin at 0, and tinit and init-step are 0")
MDP_NONE("gb-*|sa-algorithm|sa-surface-tension|nstgbradii|rgbradii", "no implicit solvent")
MDP_WITH("pull-ngroups|pull-ncoords", "pull", "no", "how many of the keys with a number count")
MDP_WITH("pull-group#-name|pull-group#", "pull", "no", "groups")
MDP_WITH("pull-group#-weights|pull-weights#", "pull", "no",
         "all equal: the same as none; others are refused")
MDP_WITH(
    "pull-group#-pbcatom|pull-pbcatom#", "pull", "no",
    "no effect: the reference is the centre of the step before; -1, cosine weights, is refused")
MDP_WITH(
    "pull-coord#-type", "pull", "no",
    "kind of the bias: umbrella, constant_force, flat_bottom (flat-bottom, flat-bottom-high) or "
    "constraint; external-potential is refused")
MDP_WITH("pull-coord#-geometry|pull-geometry", "pull", "no",
         "kind of the coordinate: distance, direction, direction-periodic, direction-relative, "
         "cylinder, angle, angle-axis and dihedral; transformation and position are refused")
MDP_WITH("pull-coord#-groups", "pull", "no", "from and of; group 0: the place of origin")
MDP_WITH("pull-coord#-dim|pull-dim", "pull", "no", "along, of geometry distance")
MDP_WITH("pull-coord#-origin", "pull", "no", "the place of group 0")
MDP_WITH("pull-coord#-vec|pull-vec#", "pull", "no", "along, or axis of angle-axis")
MDP_WITH("pull-coord#-start|pull-start", "pull", "no", "at: start")
MDP_WITH("pull-coord#-init|pull-init#", "pull", "no", "at, or high and low of a flat bottom")
MDP_WITH("pull-coord#-rate|pull-rate#", "pull", "no", "rate")
MDP_WITH("pull-coord#-k|pull-k#", "pull", "no", "k; of constant-force: its force is -k")
MDP_WITH("pull-coord#-kB|pull-kB#", "pull", "no", "with free-energy it must be k")
MDP_WITH("pull-coord#-potential-provider|pull-coord#-expression|pull-coord#-dx", "pull", "no",
         "of what is refused")
MDP_WITH("pull-cylinder-r", "pull", "no", "radius of a cylinder")
MDP_NONE("pull-r0|pull-r1", "of cylinders of GROMACS 4, which are refused")
MDP_WITH("pull-nstxout|pull-nstfout", "pull", "no",
         "output.coordinates_every: the largest interval that divides both")
MDP_NONE("pull-constr-tol", "constraints are solved to convergence")
MDP_NONE("pull-pbc-ref-prev-step-com",
         "the reference of a group is always its centre of the step before")
MDP_NONE("pull-print-com|pull-print-com2|pull-print-ref-value|pull-print-components",
         "PREFIX.coordinates.csv has values, places and forces")
MDP_NONE("pull-xout-average|pull-fout-average", "values and forces are those of a step")
MDP_NONE("rot-*", "no enforced rotation")
MDP_NONE("imd-group", "no interactive runs")
MDP_NONE("swap-*|split-group*|massw-split*|solvent-group|iontype*|cyl0-*|cyl1-*|coupl-steps|bulk-"
         "offset*|threshold|nanions|ncations",
         "no exchange of positions")
MDP_NONE("adress-*", "no mixed resolution")
MDP_NONE("deform-init-flow", "boxes are not deformed")
MDP_WITH("init-lambda|init-lambda-state|fep-lambdas|vdw-lambdas|coul-lambdas", "free-energy", "no",
         "soft_core.lambda and lambda_charges")
MDP_WITH("couple-moltype", "free-energy", "no", "soft_core.molecules; bead types of their own")
MDP_WITH("couple-lambda0|couple-lambda1", "free-energy", "no",
         "soft_core.at_0 and at_1: vdw-q, vdw and none are taken")
MDP_WITH("couple-intramol", "free-energy", "no",
         "no: the molecules keep their interactions within themselves, as pairs of any distance")
MDP_WITH("sc-alpha|sc-power|sc-sigma|sc-coul|sc-r-power|sc-function|sc-gapsys-*", "free-energy",
         "no", "soft_core.alpha, power, sigma and charges; sc-r-power is 6, sc-function beutler")
MDP_NONE("init-lambda-*|bonded-lambdas|restraint-lambdas|mass-lambdas|temperature-lambdas",
         "what they would change is the same in both states")
MDP_NONE(
    "calc-lambda-neighbors|nstdhdl|nstdgdl|dhdl-*|dh-hist-*|separate-dhdl-file",
    "PREFIX.csv has the slopes of the energy by lambda, as often as energies; energies at other "
    "lambdas are not computed")
MDP_NONE("nstexpanded|lmc-*|weight-*|wl-*|init-wl-*|init-histogram-counts|mc-temperature|"
         "symmetrized-transition-matrix|nst-transition-matrix|mininum-var-min",
         "no expanded ensemble")
MDP_NONE("simulated-tempering-scaling|sim-temp-*", "no tempering")
MDP_NONE("fmm-*", "no multipole methods")
MDP_NONE("density-guided-simulation-*", "no guiding densities")
MDP_NONE("colvars-*", "no collective variables")
MDP_NONE("nnpot-*|pair-cutoff", "no neural networks")
MDP_NONE("qmmm-*|qmmethod|qmmmscheme|qmbasis|qmcharge|qmmult|sh|casorbitals|caselectrons|saon|"
         "saoff|sasteps|mmchargescalefactor|bopt|bts",
         "no QM/MM")
MDP_NONE("awh*", "no biases")
#endif
