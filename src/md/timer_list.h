/* The phases of a run. TIMER(name, description). */
#ifdef TIMER
TIMER(move, "kicks, drift, rotation")
TIMER(force, "forces")
TIMER(halo, "halo exchange: packing, waiting")
TIMER(plumed, "PLUMED, and waiting for the positions that it wants")
TIMER(wait, "the host waits for its GPU, or for other replicas")
TIMER(build, "list builds: migration, sorting, lists")
TIMER(couple, "thermostat, barostat, global sums")
TIMER(observe, "observables")
TIMER(output, "reports, frames, checkpoints")
TIMER(other, "everything else")
#endif
