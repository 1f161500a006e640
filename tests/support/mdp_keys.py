"""The keys of .mdp files in the user guide of GROMACS 2026."""
KEYS = """DispCorr QMMM-grps acc-grps accelerate adress annealing annealing-npoints annealing-temp annealing-time awh awh-nbias
awh-nsamples-update awh-nstout awh-nstsample awh-potential awh-seed awh-share-multisim awh1-dim1-coord-index
awh1-dim1-coord-provider awh1-dim1-cover-diameter awh1-dim1-diffusion awh1-dim1-end awh1-dim1-force-constant
awh1-dim1-start awh1-equilibrate-histogram awh1-error-init awh1-growth awh1-growth-factor awh1-histogram-tolerance
awh1-ndim awh1-share-group awh1-target awh1-target-beta-scaling awh1-target-cutoff awh1-target-metric-scaling
awh1-target-metric-scaling-limit awh1-user-data bd-fric bonded-lambdas bulk-offsetA bulk-offsetB calc-lambda-neighbors
colvars-active colvars-configfile colvars-seed comm-grps comm-mode compressed-x-grps compressed-x-precision
compressibility constraint-algorithm constraints continuation cos-acceleration coul-lambdas coulomb-modifier
coulombtype coupl-steps couple-intramol couple-lambda0 couple-lambda1 couple-moltype cutoff-scheme cyl0-down cyl0-r
cyl0-up cyl1-down cyl1-r cyl1-up define deform deform-init-flow delta-lambda density-guided-simulation-active
density-guided-simulation-adaptive-force-scaling density-guided-simulation-adaptive-force-scaling-time-constant
density-guided-simulation-atom-spreading-weight density-guided-simulation-force-constant
density-guided-simulation-gaussian-transform-spreading-range-in-multiples-of-width
density-guided-simulation-gaussian-transform-spreading-width density-guided-simulation-group
density-guided-simulation-normalize-densities density-guided-simulation-nst
density-guided-simulation-reference-density-filename density-guided-simulation-shift-vector
density-guided-simulation-similarity-measure density-guided-simulation-transformation-matrix dh-hist-size
dh-hist-spacing dhdl-derivatives dhdl-print-energy disre disre-fc disre-mixed disre-tau disre-weighting dt
electric-field-x electric-field-y electric-field-z emstep emtol energygrp-excl energygrp-table energygrps
ensemble-temperature ensemble-temperature-setting epsilon-r epsilon-rf epsilon-surface ewald-geometry ewald-rtol
ewald-rtol-lj fcstep fep-lambdas fmm-backend fmm-exafmm-direct-provider fmm-exafmm-direct-range
fmm-exafmm-max-particles-per-cell fmm-exafmm-order fmm-exafmm-tree-depth fmm-exafmm-tree-type
fmm-fmsolvr-dipole-compensation fmm-fmsolvr-direct-provider fmm-fmsolvr-direct-range fmm-fmsolvr-order
fmm-fmsolvr-sparse fmm-fmsolvr-tree-depth fourier-nx fourier-ny fourier-nz fourierspacing free-energy freezedim
freezegrps gen-seed gen-temp gen-vel implicit-solvent include init-lambda init-lambda-counts init-lambda-state
init-lambda-weights init-step init-wl-delta init-wl-histogram-counts integrator iontype0-in-A iontype0-in-B
iontype0-name iontypes ld-seed lincs-iter lincs-order lincs-warnangle lj-pme-comb-rule lmc-forced-nstart
lmc-gibbsdelta lmc-mc-move lmc-repeats lmc-seed lmc-stats lmc-weights-equil mass-lambdas mass-repartition-factor
massw-split0 massw-split1 mc-temperature mininum-var-min morse mts mts-level2-factor mts-level2-forces mts-levels
nbfgscorr nh-chain-length niter nnpot-active nnpot-embedding nnpot-input-group nnpot-link-distance nnpot-link-type
nnpot-model-input1 nnpot-modelfile nst-transition-matrix nstcalcenergy nstcgsteep nstcomm nstdhdl nstdisreout
nstenergy nsteps nstexpanded nstfout nstlist nstlog nstorireout nstpcouple nsttcouple nstvout nstxout
nstxout-compressed nwall orire orire-fc orire-fitgrp orire-tau pair-cutoff pbc pcoupl pcoupltype periodic-molecules
pme-order print-nose-hoover-chain-variables pull pull-constr-tol pull-coord1-dim pull-coord1-dx pull-coord1-expression
pull-coord1-geometry pull-coord1-groups pull-coord1-init pull-coord1-k pull-coord1-kB pull-coord1-origin
pull-coord1-potential-provider pull-coord1-rate pull-coord1-start pull-coord1-type pull-coord1-vec pull-cylinder-r
pull-fout-average pull-group1-name pull-group1-pbcatom pull-group1-weights pull-ncoords pull-ngroups pull-nstfout
pull-nstxout pull-pbc-ref-prev-step-com pull-print-com pull-print-components pull-print-ref-value pull-xout-average
qmmm-cp2k-active qmmm-cp2k-dftb-electrostatic-coupling qmmm-cp2k-qmcharge qmmm-cp2k-qmfilenames qmmm-cp2k-qmgroup
qmmm-cp2k-qmmethod qmmm-cp2k-qmmultiplicity rcoulomb rcoulomb-switch ref-p ref-t refcoord-scaling restraint-lambdas
rlist rot-eps0 rot-fit-method0 rot-group0 rot-k0 rot-massw0 rot-min-gauss0 rot-ngroups rot-nstrout rot-nstsout
rot-pivot0 rot-potfit-nsteps0 rot-potfit-step0 rot-rate0 rot-slab-dist0 rot-type0 rot-vec0 rotation rtpi rvdw
rvdw-switch sc-alpha sc-coul sc-function sc-gapsys-scale-linpoint-lj sc-gapsys-scale-linpoint-q sc-gapsys-sigma-lj
sc-power sc-r-power sc-sigma separate-dhdl-file shake-tol sim-temp-high sim-temp-low simulated-tempering
simulated-tempering-scaling simulation-part solvent-group split-group0 split-group1 swap-frequency swapcoords
symmetrized-transition-matrix table-extension tau-p tau-t tc-grps tcoupl temperature-lambdas threshold tinit
user1-grps user2-grps userint1 userint2 userint3 userint4 userreal1 userreal2 userreal3 userreal4 vdw-lambdas
vdw-modifier vdwtype verlet-buffer-pressure-tolerance verlet-buffer-tolerance wall-atomtype wall-density
wall-ewald-zfac wall-r-linpot wall-type wl-oneovert wl-ratio wl-scale""".split()
