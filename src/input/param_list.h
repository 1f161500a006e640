/* All keys of the run file, one entry each. `section` has a trailing underscore, and is empty at
   top level.

     PARAM_REAL(section, key, default, minimum, maximum, auto allowed, unit, effect, help)
     PARAM_RAMP(section, key, default, minimum, maximum, unit, effect, help)    a number, or points
       in time (input/ramp_yaml.h)
     PARAM_EDGES(section, key, default, minimum, maximum, unit, effect, help)   a number, or one of
       each box edge
     PARAM_INT(section, key, default, minimum, maximum, auto allowed, unit, effect, help)
     PARAM_TEXT(section, key, default, effect, help)
     PARAM_CHOICE(section, key, default, list of param_choices.h, effect, help)
     PARAM_TREE(section, key, effect, help)   a list or mapping of YAML
     PARAM_GONE(section, key, value or NULL, message)   a key of earlier versions: refused with the
       message, but for the value that says what all runs do now

   effect: MOTION if the trajectory depends on the key, so that a job that continues a run with
   another value reports it; LATER: the same for a key that came later: at its default it does not
   count, so that runs without it keep their seeds and identities; else NONE. Included several
   times. */
#ifdef PARAM_REAL
PARAM_TEXT(, input, "", NONE, "state file to start from")
PARAM_TEXT(, forcefield, "", NONE,
           "force field instead of the one inside the state file: a name or path")
PARAM_TEXT(
    , restart, "auto", NONE,
    "auto: go on from PREFIX.checkpoint.h5 where there is one; never: begin at step 0 and move "
    "older files of the prefix to a backup; or a state file to go on from")
PARAM_TREE(, groups, LATER,
           "groups of beads by name, {NAME: SELECTION}, for every place where beads are chosen")
PARAM_TREE(, observe, NONE, "list of observables: quantities that are measured during the run")
PARAM_TREE(
    , stages, NONE,
    "list of stages, {name: NAME, steps: N, set: {SECTION: {KEY: VALUE}}}: runs one after the "
    "other, each from the last state of the one before, with files PREFIX.NAME")
PARAM_TREE(, restraints, LATER,
           "by the names of sets of restraints: yes, as the force field says (the default), no, or "
           "the force constant of all of them, kJ/mol/nm2")
PARAM_TREE(, fields, MOTION, "list of external fields: forces of the surroundings on single beads")
PARAM_TREE(, coordinates, LATER,
           "list of coordinates: quantities of groups of beads, such as the distance of their "
           "centres, which are written and may have biases")
PARAM_TREE(, biases, LATER, "list of biases: potentials on coordinates")
PARAM_TEXT(, plumed, "", LATER,
           "input file of PLUMED, whose library the environment variable PLUMED_KERNEL names: its "
           "forces act in the run")
PARAM_TREE(, frozen, LATER, "list of groups of beads that do not move along some axes")

PARAM_INT(run_, steps, 1000, 0, INT64_MAX, 0, "steps", NONE,
          "length of the run, counted from step 0 of its input file")
PARAM_REAL(run_, dt, 0.010, 1e-9, 1, 0, "ps", MOTION, "time step")
PARAM_INT(
    run_, seed, -1, 0, INT64_MAX, 1, "1", NONE,
    "seed of the noise of thermostat and barostat; auto: from the input state and "
    "the keys of the physics, so that the same run gives the same trajectory, and one at another "
    "temperature, pressure or time step has other noise")
PARAM_INT(
    run_, replica, 0, 0, 1000000, 0, "1", NONE,
    "number of this run among replicas, from 1, which gives it noise of its own: auto is another "
    "seed for each, and a given seed is that of replica 1, the next one that of replica 2; 0: no "
    "replica")
PARAM_CHOICE(run_, precision, PRECISION_MIXED, PRECISION_CHOICES, MOTION,
             "mixed: pair and bonded terms in float, everything else in double")
PARAM_INT(run_, momentum_every, 0, 0, INT64_MAX, 0, "steps", MOTION,
          "remove the centre-of-mass motion every so many steps; 0: never. Temperatures count its "
          "degrees of freedom as far as noise gives it back until then")
PARAM_TREE(
    run_, momentum_groups, LATER,
    "list of groups of beads whose centre-of-mass motion is removed, each by itself; default: "
    "all beads are one")
PARAM_REAL(run_, max_hours, 0, 0, 1e6, 0, "h", NONE,
           "stop with a checkpoint and status 99 after this wall time; 0: no limit")
PARAM_INT(run_, verify, 0, 0, INT64_MAX, 0, "steps", NONE,
          "recompute the forces on the CPU in double precision every so many steps, report the "
          "worst deviation, and stop with status 3 where it is more than rounding; 0: never")

PARAM_INT(minimise_, steps, 0, 0, INT64_MAX, 0, "steps", LATER,
          "minimise the energy by at most so many steps of steepest descent, in place of a run of "
          "run.steps; 0: no")
PARAM_REAL(minimise_, force, 100, 0, 1e12, 0, "kJ/mol/nm", LATER,
           "the minimisation ends when no bead has a larger force")
PARAM_REAL(
    minimise_, displacement, (double)NAN, 1e-9, 1, 1, "nm", LATER,
    "largest displacement of a bead in a step, at most 0.15 of the skin; auto: 0.15 of the skin")

PARAM_TREE(
    minimise_, soft, LATER,
    "list of lambdas, such as [0.05, 0.01]: minimises at each of them with soft cores first (of "
    "the alpha, power and sigma of soft_core), for beads that begin on top of each other")

PARAM_REAL(velocities_, temperature, (double)NAN, 0, 1e6, 1, "K", LATER,
           "a run draws the velocities that it begins with at this temperature; auto: it has those "
           "of its input")
PARAM_INT(velocities_, seed, 1, 0, INT64_MAX, 0, "1", LATER,
          "seed of these velocities; of replica N, N - 1 more")

PARAM_CHOICE(
    thermostat_, type, THERMOSTAT_NONE, THERMOSTAT_CHOICES, MOTION,
    "thermostat of translation and rotation; bussi may be written v-rescale, as in GROMACS")
PARAM_RAMP(thermostat_, temperature, 303, 0, 1e6, "K", MOTION,
           "temperature of thermostat and barostat; or a ramp, [[ps, K], ...]")
PARAM_REAL(thermostat_, tau, 1.0, 1e-6, 1e9, 0, "ps", MOTION, "relaxation time")
PARAM_INT(thermostat_, every, 10, 1, 1000000, 0, "steps", MOTION, "interval of berendsen and bussi")
PARAM_TREE(thermostat_, groups, MOTION,
           "list of groups of beads, each with a temperature and a relaxation time of its own")

PARAM_INT(exchange_, every, 0, 0, INT64_MAX, 0, "steps", LATER,
          "the replicas of --replicas exchange what follows every so many steps; 0: each keeps its "
          "own")
PARAM_TREE(exchange_, temperature, LATER,
           "list of the temperatures of replicas, K, ascending, or {from: K, to: K}: these and a "
           "constant ratio between; in the place of thermostat.temperature")
PARAM_TREE(exchange_, bias, LATER,
           "name of a bias, or a list of names, whose parameters replicas exchange: those that are "
           "a list of numbers, one of each replica")

PARAM_TREE(membrane_, lipids, NONE,
           "list of the molecule types that are lipids; default: those with a head and a tail that "
           "stand in the layer")
PARAM_TREE(membrane_, heads, NONE,
           "heads of lipids: for molecule types the names of beads; default: phosphates and others")
PARAM_CHOICE(membrane_, flat, FLAT_AUTO, FLAT_CHOICES, NONE,
             "auto: observables of a flat membrane give no numbers where the lipids are none; yes: "
             "they are not asked")

PARAM_REAL(soft_core_, lambda, (double)NAN, 0, 1, 1, "1", LATER,
           "the interactions of coupled molecules are between those of at_0 and of at_1, with soft "
           "cores; PREFIX.csv has the slopes of the energy by lambda. auto: no soft cores")
PARAM_REAL(soft_core_, lambda_charges, (double)NAN, 0, 1, 1, "1", LATER,
           "that of charges; auto: lambda")
PARAM_CHOICE(soft_core_, at_0, COUPLED_ALL, COUPLED_CHOICES, LATER,
             "what coupled molecules have at lambda 0: all interactions; Lennard-Jones without "
             "charges; or none")
PARAM_CHOICE(soft_core_, at_1, COUPLED_NONE, COUPLED_CHOICES, LATER, "the same at lambda 1")
PARAM_REAL(soft_core_, alpha, 0.5, 0, 1e6, 0, "1", LATER,
           "how soft: a pair interacts as at (r^6 + alpha sigma^6 l^power)^(1/6), l from 0 at the "
           "end of lambda that has its interaction to 1 at the other")
PARAM_INT(soft_core_, power, 1, 1, 2, 0, "1", LATER, "power of lambda in it")
PARAM_REAL(
    soft_core_, sigma, 0.3, 1e-3, 10, 0, "nm", LATER,
    "sigma in it of pairs without Lennard-Jones, and, where charges are soft, the least of others")
PARAM_CHOICE(soft_core_, charges, SOFT_CHARGES_YES, SOFT_CHARGES_CHOICES, LATER,
             "no: charges depend on lambda, but interact as at r")
PARAM_TREE(soft_core_, molecules, LATER,
           "list of the molecule types that are coupled; default: all. Their bead types are in no "
           "other molecules of the system")

PARAM_CHOICE(barostat_, type, BAROSTAT_NONE, BAROSTAT_CHOICES, MOTION,
             "barostat; crescale may be written c-rescale, as in GROMACS")
PARAM_CHOICE(barostat_, coupling, COUPLING_SEMI_ISOTROPIC, COUPLING_CHOICES, MOTION,
             "which components of the box vectors change together; z is the membrane normal")
PARAM_RAMP(barostat_, pressure, 1.01325, -1e6, 1e6, "bar", MOTION,
           "target pressure; or a ramp, [[ps, bar], ...]")
PARAM_RAMP(barostat_, surface_tension, 0, -1e6, 1e6, "bar nm", MOTION,
           "target tension of the whole box (both monolayers); 10 bar nm = 1 mN/m; or a ramp")
PARAM_EDGES(barostat_, compressibility, 4.6e-5, 0, 1, "bar-1", MOTION,
            "isothermal compressibility assumed in the relaxation; or of each box edge, [x, y, z]: "
            "where it is 0, the edge stays")
PARAM_REAL(barostat_, tau, 5.0, 1e-6, 1e9, 0, "ps", MOTION, "relaxation time")
PARAM_INT(barostat_, every, 10, 1, 1000000, 0, "steps", MOTION,
          "interval; for crescale at most a tenth of tau")

PARAM_REAL(neighbor_, skin, 0.2, 0, 10, 1, "nm", MOTION,
           "list radius less cutoff; auto: chosen during the run from how long lists last")
PARAM_GONE(neighbor_, rebuild, "exact",
           "lists are always exact, which is faster than an interval and misses no pair: remove "
           "the key")
PARAM_GONE(neighbor_, every, NULL, "lists are exact and have no interval: remove the key")
PARAM_GONE(neighbor_, max_missed, NULL, "lists are exact and miss no pair: remove the key")

PARAM_CHOICE(parallel_, backend, BACKEND_AUTO, BACKEND_CHOICES, NONE, "where kernels run")
PARAM_INT(
    parallel_, threads, -1, 1, 256, 1, "1", NONE,
    "threads of a rank, for steps on the CPU; auto: OMP_NUM_THREADS; where that is not set, as "
    "many as it may use processors if no other rank is on its node, else 1")
PARAM_TEXT(parallel_, transport, "auto", NONE,
           "auto, self, staged, ipc, ipc+nccl, ipc+staged or nccl")
PARAM_TEXT(
    parallel_, grid, "auto", NONE,
    "ranks along x and along y, such as 4x2; auto: the grid with the least halo and few messages")
PARAM_CHOICE(parallel_, axis, AXIS_X, AXIS_CHOICES, NONE, "in-plane axis that slabs cut")
PARAM_INT(parallel_, balance_every, 20, 0, 1000000, 0, "builds", NONE,
          "move the bounds of regions to equal bead counts at every so many list builds; 0: never")
PARAM_REAL(parallel_, timeout, 50, 0, 1e6, 0, "s", NONE,
           "end all ranks with status 5 when one has ended, stopped or hung for so long; 0: never")
PARAM_CHOICE(
    parallel_, mps, MPS_AUTO, MPS_CHOICES, NONE,
    "auto: ranks that share a GPU do so through MPS of NVIDIA, which the program starts and "
    "stops; no: it starts none")
PARAM_CHOICE(parallel_, graph, GRAPH_YES, GRAPH_CHOICES, NONE,
             "one GPU: launch a few steps at once, as a CUDA graph, where nothing else is due")

PARAM_TEXT(
    output_, prefix, "", NONE,
    "start of the name of every output file; empty: the name of the run file without its ending")
PARAM_INT(output_, frames_every, 0, 0, INT64_MAX, 0, "steps", NONE,
          "trajectory frame interval; 0: none")
PARAM_TEXT(
    output_, frames_select, "", NONE,
    "beads in frames: names of molecule types, bead types and groups, separated by commas, or "
    "a selection in braces; empty: all beads")
PARAM_CHOICE(output_, frames_positions, POSITIONS_WRAPPED, POSITIONS_CHOICES, NONE,
             "wrapped: every bead inside the box; unwrapped: along a continuous path; whole: "
             "molecules connected along their bonds, their first bead inside the box")
PARAM_REAL(output_, frames_precision, 0, 0, 1, 0, "nm", NONE,
           "positions in frames are rounded to steps of at most this, and frames compressed; 0: "
           "floats, not compressed")
PARAM_INT(output_, velocities, 0, 0, 1, 0, "0 or 1", NONE, "write velocities into frames")
PARAM_INT(output_, forces, 0, 0, 1, 0, "0 or 1", NONE, "write forces into frames")
PARAM_INT(output_, energies_every, 100, 0, INT64_MAX, 0, "steps", NONE,
          "interval of lines in PREFIX.csv; 0: none")
PARAM_INT(output_, coordinates_every, 100, 0, INT64_MAX, 0, "steps", NONE,
          "interval of lines in PREFIX.coordinates.csv, of runs with coordinates; 0: none")
PARAM_INT(output_, checkpoint_every, 10000, 0, INT64_MAX, 0, "steps", NONE,
          "checkpoint interval; 0: at the end only")
PARAM_INT(output_, bilayers, 1, 1, 1000000, 0, "1", NONE,
          "bilayers stacked along z: the area per lipid counts their leaflets")
PARAM_REAL(output_, checkpoint_minutes, 0, 0, 1e6, 0, "min", NONE,
           "checkpoint also after this wall time; 0: no")
PARAM_CHOICE(output_, writer, WRITER_AUTO, WRITER_CHOICES, NONE,
             "thread: frames and checkpoints are written while the next steps are done; none: "
             "before them; auto: thread where GPUs do the steps")
#undef PARAM_REAL
#undef PARAM_RAMP
#undef PARAM_EDGES
#undef PARAM_INT
#undef PARAM_TEXT
#undef PARAM_CHOICE
#undef PARAM_TREE
#undef PARAM_GONE
#endif
