"""Small good files of every kind that the program reads, and calls that read them as far as they go: what was parsed is
put together to systems, clusters and run files, and moved by a step or two. test_attack_inputs.py damages them."""

from run_lamella import ELBA_DATA

HEAD = """format: 1
name: {name}
cutoff: {cutoff}
"""
# All that a pair can be: classes, a sticky water, ellipsoids, tables; sites of bodies, restraints, residues.
BODIES = HEAD.format(name="bodies", cutoff=1.1) + """version: "2"
source: "made up"
exclude: [1-2, 1-3]
types:
  W: {mass: 18, inertia: [0.01, 0.006, 0.016], dipole: 0.05, electrons: 10}
  C: {mass: 40, inertia: [1, 1, 0], charge: 0.5, dipole: 0.02}
  P: {mass: 40, charge: -0.5, electrons: 47}
  E: {mass: 70, inertia: [2, 2, 0], shape: {kappa: 2, kappa_prime: 3}}
  T: {mass: 42}
tables:
  TAIL: {file: t.table, section: TAIL, length: 1, energy: 2}
pair:
  mixing: lorentz_berthelot
  lj: {truncation: stoddard_ford}
  electrostatics: {truncation: shifted_force}
  gay_berne: {mu: 1, nu: 2}
  permittivity: 80
  switch_from: 0.8
  table:
    - [W, W, {epsilon: 0.6, sigma: 0.3}]
    - [C, C, {epsilon: 2, sigma: 0.45}]
    - [P, P, {epsilon: 2, sigma: 0.45}]
    - [E, E, {epsilon: 2, sigma: 0.4}]
    - [T, T, {tabulated: TAIL}]
    - [W, T, {epsilon: 0.5, sigma: 0.3}]
    - [C, T, {epsilon: 0.5, sigma: 0.4}]
    - [P, T, {epsilon: 0.5, sigma: 0.4}]
    - [E, T, {epsilon: 0.5, sigma: 0.4}]
  sticky:
    - [W, W, {v0: 15, w0: 0.07, switch: [0.27, 0.33], switch_prime: [0.27, 0.4]}]
  classes:
    - {types: [W], cutoff: 0.9, lj: {truncation: switch}, electrostatics: {truncation: reaction_field}}
    - {types: [P], with: [C], lj: {truncation: force_shift}}
bonds:
  b: {form: harmonic, k: 600, r0: 0.4}
  e: {form: elastic, k: 60, r0: 0.6}
  f: {form: fene, k: 30, rmax: 1.5}
  q: {form: quartic, k: 300, r0: 0.4}
  m: {form: morse, well: 60, beta: 4, r0: 0.4}
  u: {form: cubic, k: 300, c: -1, r0: 0.4}
  l: {form: lennard_jones, c6: 0.02, c12: 0.0004}
  z: {form: coulomb, qq: -0.5, epsilon_r: 2.5}
  o: {form: flat_bottomed, k: 60, low: 0.3, up1: 0.6, up2: 0.7}
  t: {form: table_apart, k: 0.5, tabulated: TAIL}
  s: {form: site_harmonic, k: 600, r0: 0.2, d0: 0.1, d1: -0.1}
angles:
  a: {form: cosine_squared, k: 5, theta0: 120}
  d: {form: dipole, k: 6, gamma0: 0}
  h: {form: harmonic, k: 6, theta0: 150}
  bb: {form: cross_bond_bond, k: 9, r12: 0.3, r23: 0.6}
  ba: {form: cross_bond_angle, k: 5, r12: 0.3, r23: 0.6, r13: 0.7}
  ub: {form: urey_bradley, k: 2, theta0: 110, k13: 7, r13: 0.7}
  l: {form: linear, k: 9, a: 0.3}
  v: {form: vectors, k: 2, n: 2, theta0: 40}
  r: {form: restricted, k: 6, theta0: 150}
  x: {form: site_axis, k: 4, gamma0: 0, d0: 0.1}
  c: {form: site_cosine_squared, k: 15, theta0: 180, d1: 0.1}
dihedrals:
  p: {form: periodic, k: 2, n: 1, phi0: 180}
  i: {form: harmonic, k: 50, phi0: 0}
  rb: {form: ryckaert_bellemans, c0: 1, c1: 2, c2: 3, c3: 0, c4: 0, c5: 0}
  t: {form: restricted, k: 2, phi0: 60}
  w: {form: flat_bottomed, k: 3, phi0: 100, width: 20}
  bt: {form: bending_torsion, a0: 1, a1: 2, a2: 0, a3: 1}
molecules:
  L:
    beads: [C, P, E, E, T, T]
    bonds: [[b, 1, 2], [f, 2, 3], [s, 3, 4], [q, 4, 5], [b, 5, 6], [e, 1, 6], [l, 1, 4], [z, 1, 5], [o, 2, 6], [t, 1, 2]]
    angles: [[d, 1, 2], [a, 1, 2, 3], [x, 3, 2], [c, 2, 3, 4], [h, 3, 4, 5], [r, 4, 5, 6],
      [bb, 2, 3, 4], [ba, 2, 3, 4], [ub, 3, 4, 5], [l, 3, 4, 5], [v, 1, 2, 4, 5]]
    dihedrals: [[p, 1, 2, 3, 4], [i, 2, 3, 4, 5], [rb, 3, 4, 5, 6], [t, 1, 2, 4, 5], [bt, 1, 3, 4, 6], [w, 1, 2, 3, 4]]
    exclusions: [[1, 6, 5], [2, 6]]
    names: [NC3, PO4, G1, G2, T1, T2]
    residues: [[HEAD, 1, 1], [TAIL, 2, 3]]
    restraints: [[2, 100, 0, 50], [2, layer_z, -0.5, 40]]
  W: {beads: [W]}
reference:
  - {observable: o, table: t, column: c, row: "", value: 1, error: 0.1, unit: nm2, system: s, source: x}
"""
# Constraints and virtual sites of every form.
CLUSTERS = HEAD.format(name="clusters", cutoff=0.8) + """types:
  H: {mass: 90, charge: 0.4}
  F: {mass: 54}
  S: {mass: 0}
  Q: {mass: 0, charge: -0.4}
  W: {mass: 72}
pair:
  lj: {truncation: force_switch, switch_from: 0.6, cutoff: 0.75, mixing: lorentz_berthelot}
  electrostatics: {truncation: charge_force_switch, epsilon_r: 15, switch_from: 0, cutoff: 0.8}
  table:
    - [H, H, {epsilon: 2.4, sigma: 0.43}]
    - [F, F, {epsilon: 2.1, sigma: 0.41}]
    - [S, S, {epsilon: 1.8, sigma: 0.4}]
    - [Q, Q, {epsilon: 1.9, sigma: 0.4}]
    - [W, W, {epsilon: 4.6, sigma: 0.47}]
bonds:
  tail: {form: harmonic, k: 1250, r0: 0.43}
angles:
  tail: {form: cosine_squared, k: 12, theta0: 150}
molecules:
  STEROL:
    beads: [H, F, F, F, S, S, S, F]
    bonds: [[tail, 4, 8]]
    angles: [[tail, 1, 4, 8]]
    constraints: [[1, 2, 0.45], [1, 3, 0.5], [2, 3, 0.32], [1, 4, 0.55], [2, 4, 0.4], [3, 4, 0.36]]
    restraints: {POSRES: [[1, 100, 0, 50], [8, 10, 10, 10]], WALL: [[1, layer_z, -0.5, 40]], UP: [[8, cylinder_x, 0.3, 30]]}
    exclusions: [[1, 5, 6, 7], [2, 5, 6, 7], [3, 5, 6, 7], [4, 5, 6, 7], [5, 6, 7, 8], [6, 7, 8], [7, 8]]
    sites:
      - {bead: 7, form: centre, from: [1, 3, 4, 5], weights: [1, 2, 1, 2]}
      - {bead: 5, form: plane, from: [1, 2, 3], a: 0.4, b: 0.7}
      - {bead: 6, form: out_of_plane, from: [2, 3, 4], a: 0.3, b: 0.2, c: 1.5}
  ROD:
    beads: [H, S, F, Q]
    constraints: [[1, 3, 0.37, no_exclusions]]
    exclusions: [[1, 2, 3, 4], [2, 3, 4], [3, 4]]
    sites:
      - {bead: 2, form: linear, from: [1, 3], a: 0.45}
      - {bead: 4, form: distance, from: [3, 1], d: -0.25}
  BENT:
    beads: [F, F, F, S, S]
    constraints: [[1, 2, 0.35], [2, 3, 0.35]]
    exclusions: [[1, 3], [4, 1, 2, 3], [5, 1, 2, 3, 4]]
    sites:
      - {bead: 5, form: in_plane, from: [1, 2, 3], a: 0.1, b: 0.3}
      - {bead: 4, form: plane_distance, from: [1, 2, 3], a: 0.5, d: 0.4}
  W: {beads: [W]}
"""
TABLE = """# r U F
TAIL
N 6 R 0.4 1.0

1 0.4 3.6 12.0
2 0.52 2.304 9.6
3 0.64 1.296 7.2
4 0.76 0.576 4.8
5 0.88 0.144 2.4
6 1.0 0.0 0.0
"""
BARE_TABLE = "".join("%s %s %s\n" % tuple(row.split()[1:]) for row in TABLE.splitlines()[4:])
SEVEN_COLUMNS = "@ r and three of U F\n0.16 0 0 0 0 0 0\n0.28 0 0 0 0 0 0\n" + "".join(
    row.split(" ", 1)[0] + 3 * (" " + row.split(" ", 1)[1]) + "\n" for row in BARE_TABLE.splitlines())
SPEC_BODIES = """forcefield: ./ff.yaml
seed: 3
temperature: 300
bilayer: {upper: {L: 4}, lower: {L: 4}, water_per_lipid: 3, water: W, area_per_lipid: 1.6, water_density: 998, height: 6}
minimise: {max_steps: 2, force: 2000}
"""
SPEC_CLUSTERS = """forcefield: ./ff.yaml
seed: 3
bilayer: {upper: {STEROL: 3, ROD: 1}, lower: {BENT: 4}, water_per_lipid: 6, area_per_lipid: 1.6}
minimise: {max_steps: 2, force: 2000}
replicate: [1, 2, 1]
"""
SPECS = [SPEC_BODIES, SPEC_CLUSTERS,
         "forcefield: lj\nseed: 5\ntemperature: 240\nreplicate: [1, 2, 1]\n"
         "lattice: {type: fcc, cells: [3, 3, 3], density: 0.8442, molecule: A}\n",
         "forcefield: gb\nlattice: {type: sc, cells: [3, 3, 3], density: 0.3, orientation: aligned, axis: z}\n",
         "forcefield: elba\nseed: 3\nwater: {count: 60, density: 998, molecule: W}\nminimise: no\n",
         "state: small.h5\nreplicate: [1, 1, 2]\ntemperature: 250\nminimise: {max_steps: 1, force: 9, soft: [0.02]}\n"]
DX = """# a map
object 1 class gridpositions counts 2 3 2
origin 1.5 2 -3
delta 2.5 0 0
delta 0 2.25 0
delta 0 0 2
object 2 class gridconnections counts 2 3 2
object 3 class array type double rank 0 items 12 data follows
0.1 -2 3e-1
1 2 3
4 5 6
0 0 -1
attribute "dep" string "positions"
object "regular positions regular connections" class field
"""
# Of the small state, which SPEC_CLUSTERS makes.
RUN = """input: small.h5
run: {steps: 2, dt: 0.004, seed: 11, precision: mixed, momentum_every: 2, verify: 1,
  momentum_groups: [{group: {molecules: [STEROL, ROD]}}, {group: {types: [W]}}]}
thermostat:
  type: bussi
  temperature: 180
  tau: 0.5
  every: 2
  groups:
    - {name: lipids, group: {molecules: [STEROL, ROD, BENT]}, tau: 0.4}
    - {name: water, group: {types: [W]}, temperature: 300}
barostat: {type: crescale, coupling: semi_isotropic, pressure: 80, tau: 5.0, every: 2, compressibility: [1e-5, 1e-5, 2e-5]}
neighbor: {rebuild: exact, skin: 0.1}
parallel: {backend: cpu, transport: auto, grid: auto, axis: x, balance_every: 3, timeout: 50}
groups:
  heads: {types: [H], molecules: STEROL, leaflet: upper}
  slab: {region: {x: [0, 1.2], z: [-1, 1]}, not: {any: [heads, {ids: [[1, 20], 25]}, {names: [F], residues: [ROD]}]}}
fields:
  - {form: electric, z: 0.05, group: slab}
  - {form: restraint, kz: 5, z: 0.5, group: {types: [H], molecules: [STEROL]}}
  - {form: force, x: 1, group: {ids: [1, 14]}}
  - {form: wall_9_3, axis: x, low: 0, high: 1, planes: both, type: W, linear: 0.4, density: [[0, 1], [0.01, 2]], group: {types: [W]}}
  - {form: voltage, z: {points: [[0, 0.1], [0.005, 0.2]], periodic: yes}, omega: 3, phase: 10, t0: 1, sigma: 2}
  - {form: cylinder, axis: y, radius: 0.5, k_outside: 2, x: 0.1}
coordinates:
  - {name: d, kind: distance, of: {ids: [1, 3]}, from: {ids: [5, 7]}, along: z, weights: geometry}
  - {name: e, kind: distance, of: {ids: [1, 3]}, from: {ids: [8, 9]}, along: [1, 0.5, -1], periodic: no}
  - {name: g, kind: distance, of: {ids: [1, 8]}, from: {ids: [9, 16]}, along: z}
  - {name: c, kind: contacts, of: {ids: [1, 9]}, from: {types: [W]}, r0: 0.4, d0: 0.1, d_max: 0.9, n: 4, m: 10}
biases:
  - {name: pull, coordinate: d, kind: umbrella, k: 100, at: 0.5, rate: 0.1}
  - {name: push, coordinate: e, kind: constant_force, force: [[0, 1], [0.004, 2]]}
  - {name: wall, coordinate: d, kind: flat_bottom, k: [[0, 10], [1, 20]], low: 0, high: 2}
  - {name: meta, coordinates: [d, e], kind: metadynamics, height: 0.1, bias_factor: 5, temperature: 300, width: [0.2, 0.2],
     every: 1, grid: [[-4, 4], [-9, 9, 200]]}
  - {name: hold, coordinate: g, kind: constraint, at: start, rate: 0.01}
membrane: {lipids: [STEROL, ROD], heads: {STEROL: [H], ROD: [H]}, flat: yes}
observe:
  - membrane: {every: 1, frames: yes}
  - density: {every: 1, bins: 20, groups: [slab, {names: [F], ids: [[1, 50]]}]}
  - potential: {every: 1}
  - order: {every: 1}
  - rdf: {every: 1, pairs: [[W, W], [H, F], [heads, {not: heads}]], range: 0.8, bins: 20}
  - msd: {every: 1, from: 1, groups: [slab, {names: [F]}]}
  - temperature: {every: 1, name: heat}
  - leaflets: {every: 1, groups: [{molecules: [STEROL]}]}
output: {prefix: out, frames_every: 1, velocities: 1, forces: 1, frames_precision: 0.001, frames_positions: whole,
  energies_every: 1, checkpoint_every: 1, frames_select: "STEROL,W,slab"}
"""
STAGES = RUN + """stages:
  - {name: em, minimise: {steps: 3, force: 1, displacement: 0.01, soft: [0.02, 0.01]}}
  - name: eq
    steps: 2
    set:
      run: {dt: 0.002}
      barostat: {type: berendsen}
      thermostat: {type: langevin, groups: [{name: all}]}
      fields: [{form: electric, z: 0.1, group: {types: [W]}}]
  - {name: md, set: {observe: [density: {every: 1}], output: {frames_every: 0}}}
"""
# Ramps, sets of restraints, frozen beads and soft cores, and stages that change them.
MOVES = """input: small.h5
run: {steps: 2, dt: 0.004, seed: 11, momentum_every: 2, verify: 1}
thermostat:
  type: bussi
  temperature: {points: [[0, 180], [0.004, 300], [0.008, 180]], periodic: yes}
  tau: 0.5
  every: 2
  groups:
    - {name: lipids, group: {molecules: [STEROL, ROD, BENT]}, temperature: [[0, 10], [0.004, 200]]}
    - {name: water, group: {types: [W]}}
barostat: {type: crescale, coupling: surface_tension, pressure: [[0, 1], [0.008, 80]], surface_tension: [[0, 10], [0.01, -10]], every: 2}
restraints: {POSRES: 200, WALL: no, UP: yes}
frozen: [{group: {types: [W], ids: [70, 90]}, along: xz}, {group: {ids: [80, 100], types: [W]}}]
soft_core: {lambda: 0.4, lambda_charges: 0.6, at_0: lj, at_1: none, alpha: 0.6, power: 2, sigma: 0.3, charges: yes,
  molecules: [STEROL, ROD, BENT]}
parallel: {backend: cpu, timeout: 50}
output: {prefix: out, frames_every: 1, energies_every: 1, checkpoint_every: 1}
stages:
  - name: em
    minimise: {steps: 3, force: 1, displacement: 0.01, soft: [0.02, 0.01]}
    restraints: {POSRES: 1000, UP: no}
  - name: eq
    steps: 2
    restraints: {POSRES: no}
    set:
      run: {precision: double, momentum_groups: [{group: {molecules: [STEROL, ROD]}}]}
      barostat: {type: none}
      soft_core: {lambda: auto, lambda_charges: auto}
      frozen: [{group: {molecules: [ROD]}}]
      neighbor: {skin: auto}
  - {name: md, set: {frozen: [], thermostat: {type: langevin, groups: []}}}
"""
PARTS = """[ atomtypes ]
; name mass charge ptype c6 c12
P 72 0 A 0 0
C 45 0 A 0 0
V 0 0 V 0 0
[ nonbond_params ]
P P 1 0.2 0.002
P C 1 0.1 0.001
C C 1 0.15 0.0016
P V 1 0 0
[ bondtypes ]
P C 1 0.47 1250
[ angletypes ]
P C P 2 120 25
[ dihedraltypes ]
X C P X 1 180 2 1
[ constrainttypes ]
C P 1 0.3
[ pairtypes ]
P C 1 0.05 0.001
"""
TOP = """#include "parts.itp"
#define KB 1250
#define BOND(a) a
#ifdef GIVEN
[ moleculetype ]
M 1
[ atoms ]
1 P 1 RES A 1 1 72
2 C 1 RES B 2 -1
3 P 2 SER A 3
4 V 2 SER D 4 0 0
5 C 2 SER B 5
[ bonds ]
1 2 1 0.47 KB
1 2 1 0.4 100
2 5 6 0.5 500*1.000
3 5 1
[ angles ]
1 2 3 2 120 25
1 2 5 2 100 20
2 1 5 10 100 20
[ dihedrals ]
1 2 3 5 1 180 2 1
2 1 5 3 2 0 50
5 2 1 3 3 1 2 3 0 0 0
[ constraints ]
2 3 1 0.3
1 3 2 0.5
[ virtual_sites2 ]
4 1 2 1 0.3
[ exclusions ]
1 3 2
[ pairs ]
1 2 1
3 5 2 0.5 1 -1 0.1 0.002
[ pairs_nb ]
1 5 1 1 -1 0.1 0.002
[ angle_restraints ]
1 2 3 5 1 40 2 2
[ dihedral_restraints ]
1 2 3 5 1 170 25 6
[ settles ]
1 1 0.5 0.3
[ angle_restraints_z ]
1 5 1 40 2 2
[ position_restraints ]
1 1 10 20 30
1 2 5 -0.5 30
#endif
[ moleculetype ]
W 1
[ atoms ]
1 P 1 W W 1 \\
 0.0
[ moleculetype ]
R 2
[ atoms ]
1 P 1 R A 1
2 P 1 R B 2
3 V 1 R V 3
4 V 1 R U 4
5 C 1 R C 5
[ constraints ]
1 2 1 0.4
2 5 1 0.4
[ virtual_sites3 ]
3 1 2 5 1 0.2 0.3
[ virtual_sitesn ]
4 2 1 2 5
[ system ]
made up
[ molecules ]
M 2
R 1
W 3
"""
DEFAULTS = "[ defaults ]\n1 1 no 1.0 1.0\n"


def gro_of(names, box):
    rows = []
    for k, (number, residue, name) in enumerate(names):
        x = (0.4 + 0.7 * (k % 4), 0.5 + 0.8 * (k // 4 % 3), 0.6 + 0.8 * (k // 12))
        rows.append("%5d%-5s%5s%5d" % (number, residue, name, k + 1) + "%8.3f%8.3f%8.3f" % x +
                    "%8.4f%8.4f%8.4f" % (0.1, -0.2, 0.03 * k))
    return "made up t= 1.0\n%d\n%s\n%s\n" % (len(names), "\n".join(rows), " ".join("%.5f" % b for b in box))


def pdb_of(names, cell):
    rows = ["ATOM  %5d %-4s %-4s %4d    %8.3f%8.3f%8.3f  1.00  0.00" %
            (k + 1, name, residue, number, 4 + 7 * (k % 4), 5 + 8 * (k // 4 % 3), 6 + 8 * (k // 12))
            for k, (number, residue, name) in enumerate(names)]
    return "TITLE made up\nCRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n" % cell + "\n".join(rows) + "\nTER\nEND\n"


ATOMS = [(r, n, a) for m in range(2) for r, n, a in ((1, "RES", "A"), (1, "RES", "B"), (2, "SER", "A"),
                                                     (2, "SER", "D"), (2, "SER", "B"))]
ATOMS += [(1, "R", a) for a in "ABVUC"] + [(1, "W", "W")] * 3
GRO = gro_of(ATOMS, (3.2, 3.1, 3.3))
PDB = pdb_of(ATOMS, (38, 38, 33, 90, 90, 60))
MDP = """define = -DGIVEN -DPOSRES
integrator = md ; comment
dt = 0.02
nsteps = 500
comm-mode = linear
nstcomm = 100
nstxout = 10
nstlist = 20
cutoff-scheme = Verlet
coulombtype = reaction-field
rcoulomb = 1.1
rvdw = 1.1
vdw_modifier = Potential-shift-verlet
epsilon_r = 15
epsilon_rf = 0
tcoupl = v-rescale
tc-grps = Lipids solvent
tau_t = 1 1
ref_t = 300 310
pcoupl = berendsen
pcoupltype = semiisotropic
tau_p = 4
compressibility = 3e-4 3e-4
ref_p = 1 1
refcoord-scaling = com
gen_vel = yes
gen-temp = 300
gen-seed = 4
electric-field-z = 0.02 0 0 0
pull = yes
pull-ngroups = 2
pull-ncoords = 2
pull-group1-name = Lipids
pull-group2-name = solvent
pull-group2-pbcatom = 16
pull-coord1-type = flat-bottom
pull-coord1-geometry = direction
pull-coord1-groups = 1 2
pull-coord1-vec = 0 0 1
pull-coord1-start = yes
pull-coord1-init = 0.2
pull-coord1-rate = 0.01
pull-coord1-k = 500
pull-coord2-groups = 0 2
pull-coord2-origin = 1 1 1
pull-coord2-dim = Y Y N
pull-nstxout = 100
"""
NDX = "[ System ]\n 1 2 3 4 5 6 7 8 9\n10 11 12 13 14 15 16 17 18\n[ Lipids ]\n1 2 3 4 5 6 7 8 9 10\n11 12 13 14 15\n" \
      "[ solvent ]\n16 17 18\n"
LAMMPS = """three beads of a lipid and a water

4 atoms
2 bonds
2 angles
6 atom types
5 bond types
5 angle types
-20 40 xlo xhi
-10 40 ylo yhi
0 60 zlo zhi

Bond Coeffs

1 1.506 4.77
2 1.506 4.41
3 1.506 4.14
4 1.506 4.095
5 1.506 4.05

Atoms

4 1 -21 5 6 0 0 0 0.54132 0 5 0.6 0 1 -2
1 2 0 0 10 1 0.7 0 0 0 5.4 1.1 0 0 0
2 3 0 0 5 1 -0.7 0 0 0 5.2 1.2 0 0 0
3 4 0 0 1 1 0 0 0.199872 0.266496 4.6 1.2 0 0 0

Velocities

1 0.001 0 0 0 0 0
2 0 -0.002 0 0 0 0
3 0 0 0.0005 0.001 0.002 0.003
4 0 0 0 0 0.001 0

Bonds

1 1 1 2
2 2 2 3

Angles

1 1 1 2 3
2 5 3 2 2
"""
# The same as other programs write it.
FANCY = """# 99 atoms
  4.0e0\tatoms # four
2 bonds
2 angles
0 dihedrals
6 atom types
5 bond types
5 angle types
2 extra bond per atom
-2.0e1 4.0E+01 xlo xhi
-1e1 40. ylo yhi
0 6e1 zlo zhi
0 0 0 xy xz yz

Masses # by type

1 40
2 90
3 90
4 62
5 62
6 42

Angles

7 5 3 2 1 # any dummy
1 1 3 2 1

Bonds

2 2 3 2
1 1 1 2

Angle Coeffs # hybrid

1 cosine/squared 3.585 115
2 cosine/squared 3.585 90
3 cosine/squared 3.585 180
4 cosine/squared 3.585 120
5 dipole 1.195 0

Pair Coeffs # lj/sf/dipole/sf

1 0.55 3.05
2 1.434 5.4
3 1.434 5.2 12.0
4 lj/sf/dipole/sf/omp 0.956 4.6
5 0.956 4.6
6 0.837 4.5

Velocities

4 0 0 0 0 1.0e-3 0
1 1e-3 0 0 0 0 0
2 0 -2e-3 0 0 0 0
3 0 0 5e-4 1e-3 2e-3 3e-3

Atoms # hybrid

1 2 0 0 10 7 0.69999 0 0 0 5.4 1.1
2 3 0 0 5 7 -0.70001 0 0 0 5.2 1.2 0 0 0
3 4 0 0 1 7 0 0 1.99872e-1 2.66496e-1 4.6 1.2
4 1 3.9e1 5.5e1 -114 0 0 0 0.54132 0 5 0.6 -1 0 0
"""
PQR = """REMARK  a box
CRYST1   30.000   31.000   32.000  90.00  90.00  90.00 P 1           1
ATOM      1  N   ALA A   1       1.000   2.000   3.000  0.5000 1.8240
ATOM      2  CA  ALA A   1       4.000   2.500  -3.000 -0.5000 1.9080
HETATM    3  O   HOH     2      14.000  12.500   3.000 -0.8340 1.7683
ATOM      4  H1  HOH     2      15.000  12.500   3.000  0.8340 0.0000
TER
END
"""
GROMACS = ["import", "topol.top", "conf.gro", "-o", "out.h5", "--mdp=md.mdp", "--ndx=index.ndx", "--run=out.yaml",
           "--forcefield=out.ff.yaml"]
IN_PDB = [*GROMACS[:2], "conf.pdb", *GROMACS[3:]]
IMPORTED = {"conf.pdb": PDB, "topol.top": DEFAULTS + TOP, "parts.itp": PARTS, "conf.gro": GRO, "md.mdp": MDP, "index.ndx": NDX}
FIELD_CALLS = [["forcefield", "./ff.yaml"], ["build", "spec.yaml", "-o", "out.h5"]]
# Kind: folders of good files, the name of the one that is damaged, and calls, of which one is taken.
TEXTS = {
    "force field": ([{"ff.yaml": BODIES, "t.table": TABLE, "spec.yaml": SPEC_BODIES},
                     {"ff.yaml": CLUSTERS, "spec.yaml": SPEC_CLUSTERS}], "ff.yaml", FIELD_CALLS),
    "table": ([{"ff.yaml": BODIES, "t.table": TABLE, "spec.yaml": SPEC_BODIES},
               {"ff.yaml": BODIES.replace("section: TAIL, ", ""), "t.table": BARE_TABLE, "spec.yaml": SPEC_BODIES},
               {"ff.yaml": BODIES.replace("section: TAIL, ", "interpolation: hermite, factors: [0.5, -1, 1], cutoff: 1, "),
                "t.table": SEVEN_COLUMNS, "spec.yaml": SPEC_BODIES}],
              "t.table", FIELD_CALLS),
    "specification": ([{"spec.yaml": spec, "ff.yaml": CLUSTERS if "STEROL" in spec else BODIES, "t.table": TABLE}
                       for spec in SPECS], "spec.yaml", FIELD_CALLS[1:]),
    "run file": ([{"run.yaml": RUN}, {"run.yaml": STAGES}, {"run.yaml": MOVES}, {"run.yaml": MOVES[:MOVES.index("stages:")]}], "run.yaml",
                 [["run", "run.yaml", "-s", "output.prefix=out", "-s", "run.steps=2"],
                  ["run", "run.yaml", "--dry-run"]]),
    "topology": ([IMPORTED], "topol.top", [GROMACS, [*GROMACS[:5], "-D", "GIVEN", "--names=topology"]]),
    "included topology": ([IMPORTED], "parts.itp", [GROMACS]),
    "gro": ([IMPORTED], "conf.gro", [GROMACS, [*GROMACS, "--reference=conf.gro"]]),
    "pdb": ([IMPORTED], "conf.pdb", [IN_PDB, [*IN_PDB, "--reference=conf.pdb"]]),
    "mdp": ([IMPORTED], "md.mdp", [GROMACS]),
    "index": ([IMPORTED], "index.ndx", [GROMACS]),
    "lammps": ([{"m.data": LAMMPS}, {"m.data": FANCY}], "m.data",
               [["import", "m.data", *ELBA_DATA, "-o", "out.h5"]]),
    "opendx": ([{"m.dx": DX}], "m.dx", [["energy", "small.h5", "-s", "fields=[{form: map, file: m.dx, fills: no, of: beads}]"]]),
    "pqr": ([{"m.pqr": PQR}], "m.pqr", [["map", "m.pqr", "-o", "out.dx", "--spacing=0.5"],
                                        ["map", "m.pqr", "-o", "out.h5", "--spacing=0.5", "--method=cutoff"]]),
}
# Binary files, made by calls before the damage: the calls that make them, then kinds as above, whose file of the first
# name is damaged by bytes, or as HDF5 files by their contents.
MADE = [["build", "spec.yaml", "-o", "small.h5"],
        ["run", "run.yaml", "-s", "run.steps=3", "-s", "output.frames_select=", "-s", "output.checkpoint_every=2"],
        ["convert", "out.h5md", "-o", "frames.trr"], ["convert", "small.h5", "-o", "frame.gro"],
        ["map", "small.h5", "-o", "map.h5", "--spacing=0.5", "--cutoff=0.8"]]
MAKERS = {"spec.yaml": SPEC_CLUSTERS, "ff.yaml": CLUSTERS, "run.yaml": RUN}
STATE = "small.h5"
AGAIN = [["run", "run.yaml", "-s", "run.steps=5", "-s", "output.frames_select="]]
FEWER = [["run", "fewer.yaml", "-s", "run.steps=4", "-s", "output.frames_select="]]
JOB = ["out.h5md", "out.checkpoint.h5", "out.observables.h5", "out.csv", "run.yaml", STATE]
OBSERVED = "input: small.h5\nmembrane: {lipids: [STEROL, ROD], heads: {STEROL: [H], ROD: [H]}}\nobserve: [density, msd, order, leaflets, undulation, rdf: {pairs: [[W, W]], range: 0.8}]\n"
BINARIES = {
    "state": ([STATE, "spec.yaml", "run.yaml"],
              [["info", STATE], ["energy", STATE, "--forces=f"], ["forcefield", STATE],
               ["export", STATE, "--gro=out.gro", "--top=out.top"], ["convert", STATE, "-o", "out.pdb"],
               ["build", "again.yaml", "-o", "out.h5"], ["map", STATE, "-o", "out.dx", "--spacing=0.5", "--cutoff=0.8"],
               ["run", "run.yaml", "-s", "output.prefix=new", "-s", "run.steps=1"]]),
    "checkpoint": (["out.checkpoint.h5", *(name for name in JOB if "checkpoint" not in name)],
                   [["info", "out.checkpoint.h5"], *AGAIN]),
    "trajectory": (JOB, [["info", "out.h5md"], ["convert", "out.h5md", "-o", "new.xtc"], *AGAIN,
                         ["convert", "out.h5md", "-o", "new.gro", "--positions=unwrapped"],
                         ["analyze", "out.h5md", "analyze.yaml", "-o", "new"],
                         ["map", "out.h5md", "-o", "new.dx", "--spacing=0.5", "--method=full"]]),
    "observables": (["out.observables.h5", *(name for name in JOB if "observables" not in name)],
                    FEWER),
    "trr": (["frames.trr", STATE], [["convert", "frames.trr", "--state=" + STATE, "-o", "new.h5"]]),
    "frame": (["frame.gro", STATE], [["convert", "frame.gro", "--state=" + STATE, "-o", "new.h5"]]),
    "map": (["map.h5", STATE], [["info", "map.h5"], ["energy", STATE, "-s", "fields=[{form: map, file: map.h5}]"]]),
}
BESIDE = {"again.yaml": "state: small.h5\nreplicate: [1, 1, 1]\n", "analyze.yaml": OBSERVED,
          "fewer.yaml": RUN.replace("  - msd: {every: 1, from: 1, groups: [slab, {names: [F]}]}\n", "").replace("  - leaflets: {every: 1, groups: [{molecules: [STEROL]}]}\n", "")}
# One mistake each in a force field, which is named with its line, and after which nothing is followed that it left
# unset: the force field, what stands there, what stands in its place, and what is said.
MISTAKES = [
    (BODIES, "beads: [C,", "beads: [X,", "beads[1]: there is no type 'X'"),
    (BODIES, "beads: [C, P, E,", "beads: [C, P, X,", "beads[3]: there is no type 'X'"),
    (BODIES, "[d, 1, 2]", "[d, y, 2]", "angles[1][2]: 'y' is not a whole number"),
    (BODIES, "[s, 3, 4]", "[s, 3, 99]", "bonds[3][3]: 99 is more than 6"),
    (BODIES, "[s, 3, 4]", "[s, 3, 3]", "bonds[3]: a bead stands here twice"),
    (BODIES, "[d, 1, 2]", "[d, 2, 1]", "bead 1 of this angle has no axis"),
    (BODIES, "[x, 3, 2]", "[x, 3, 2, 1]", "this angle takes 2 beads"),
    (BODIES, "[p, 1, 2, 3, 4]", "[p, 0, 2, 3, 4]", "dihedrals[1][2]: 0 is less than 1"),
    (BODIES, "[1, 6, 5]", "[1, -6, 5]", "exclusions[1][2]: -6 is less than 1"),
    (BODIES, "[2, 100, 0, 50]", "[7, 100, 0, 50]", "restraints[1][1]: 7 is more than 6"),
    (CLUSTERS, "[tail, 4, 8]", "[tail, x, 8]", "bonds[1][2]: 'x' is not a whole number"),
    (CLUSTERS, "[tail, 4, 8]", "[tail, 4, -1]", "bonds[1][3]: -1 is less than 1"),
    (CLUSTERS, "[tail, 4, 8]", "[tall, 4, 8]", "there is no bond type 'tall'"),
    (CLUSTERS, "[tail, 1, 4, 8]", "[tail, 1, 4]", "this angle takes 3 beads"),
    (CLUSTERS, "[1, 2, 0.45]", "[1, z, 0.45]", "constraints[1][2]: 'z' is not a whole number"),
    (CLUSTERS, "from: [1, 2, 3], a: 0.4", "from: [1, 2, 33], a: 0.4", "from[3]: 33 is more than 8"),
    (CLUSTERS, "{bead: 7, form", "{bead: 9, form", "bead: 9 is more than 8"),
    (CLUSTERS, "[2, 5, 6, 7]", "[2, five, 6, 7]", "exclusions[2][2]: 'five' is not a whole number"),
]
