"""Force fields of the bead models for tests, and values of their pairs. The mixtures are made up
and describe nothing."""
import os

import yaml

CALORIE = 4.184
DEBYE = 0.020819434  # e nm
# sigma (A), epsilon (kcal/mol), mu (D), v0 (kcal/mol), ranges of s and s' (A)
SSD = {
    "SSD": (3.051, 0.152, 2.35, 3.7284, 2.75, 3.35, 2.75, 4.00),
    "SSD1": (3.016, 0.152, 2.35, 3.6613, 2.75, 3.35, 2.75, 4.00),
    "SSD/E": (3.035, 0.152, 2.42, 3.90, 2.40, 3.80, 2.75, 3.35),
    "SSD/RF": (3.019, 0.152, 2.48, 3.90, 2.40, 3.80, 2.75, 3.35),
}
WATER = """
format: 1
name: water
cutoff: %(cutoff)g
types:
  W: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: %(dipole).12g}
pair:
  lj: {truncation: %(lj)s}
  electrostatics: {truncation: %(electrostatics)s}
  switch_from: %(switch_from)g
  permittivity: 80
  table: [[W, W, {epsilon: %(epsilon).12g, sigma: %(sigma).12g}]]
  sticky:
    - [W, W, {v0: %(v0).12g, w0: 0.07715, switch: [%(r0).12g, %(r1).12g],
              switch_prime: [%(r2).12g, %(r3).12g]}]
molecules: {W: {beads: [W]}}
"""
# Charges in a reaction field: beads 1, 2, 4 and 7. 1-2 is a bond; 1-4, 2-7 and 4-7 are excluded by name, beside
# pairs without charges.
FIELD = """
format: 1
name: field
cutoff: 1.1
exclude: [1-2]
types:
  P: {mass: 72, charge: 1}
  N: {mass: 72, charge: -0.8}
  C: {mass: 72}
  W: {mass: 72}
pair:
  lj: {truncation: %s, mixing: lorentz_berthelot}
  electrostatics: {truncation: charge_reaction_field, epsilon_r: %g, epsilon_rf: %g}
  table:
    - [P, P, {epsilon: 3.5, sigma: 0.47}]
    - [N, N, {epsilon: 4, sigma: 0.44}]
    - [C, C, {epsilon: 2, sigma: 0.4}]
    - [W, W, {epsilon: 5, sigma: 0.47}]
    - [N, W, {epsilon: 1, sigma: 0.5}]
bonds:
  one: {form: harmonic, k: 300, r0: 0.45}
angles:
  wide: {form: cosine_squared, k: 20, theta0: 140}
molecules:
  W: {beads: [W]}
  Y:
    beads: [P, N, C, N, C, C, P, C]
    bonds: [[one, 1, 2], [one, 2, 3], [one, 3, 4], [one, 3, 5], [one, 5, 6], [one, 6, 7], [one, 7, 8]]
    angles: [[wide, 1, 2, 3], [wide, 2, 3, 5], [wide, 5, 6, 7]]
    exclusions: [[1, 4], [7, 2, 4], [3, 5, 6], [8, 1]]
"""
# The same, with some beads of each molecule Y held at their places.
HELD = FIELD + """    restraints: [[1, 100, 0, 40], [6, 30, 30, 30], [8, 100, 0, 40], [8, sphere, 0.01, 90], [6, layer_z, -0.2, 200], [1, cylinder_y, 0.02, 70]]
"""
# The same in sets, two of which hold one bead; and what is left of them where HEADS is off and TAILS has one constant.
SETS = FIELD + """    restraints: {HEADS: [[1, 100, 0, 40], [6, 30, 30, 30]], TAILS: [[8, 100, 0, 40], [1, 0, 300, 5], [6, layer_z, -0.2, 200]]}
"""
LEFT = FIELD + """    restraints: [[8, 550, 0, 550], [1, 0, 550, 550], [6, layer_z, -0.2, 550]]
"""
RODS = """
format: 1
name: rods
cutoff: %(cutoff)g
types:
  R: {mass: 1, inertia: [0.5, 0.5, 0], shape: {kappa: %(kappa)g, kappa_prime: %(kappa_prime)g}}
pair:
  gay_berne: {mu: %(mu)d, nu: %(nu)d}
  table: [[R, R, {epsilon: 1, sigma: 1}]]
molecules: {R: {beads: [R]}}
"""


def shipped(name):
    """Text of a force field of ours."""
    with open(os.path.join(os.environ["LAMELLA_FORCEFIELDS"], name + ".yaml")) as file:
        return file.read()


def water(model, cutoff=0.9, switch_from=0.765, lj="switch", electrostatics="switch"):
    sigma, epsilon, mu, v0, *ends = SSD[model]
    numbers = dict(cutoff=cutoff, switch_from=switch_from, lj=lj, electrostatics=electrostatics,
                   sigma=sigma / 10, epsilon=epsilon * CALORIE, dipole=mu * DEBYE,
                   v0=v0 * CALORIE)
    numbers.update(("r%d" % k, end / 10) for k, end in enumerate(ends))
    text = WATER % numbers
    if electrostatics != "reaction_field":
        text = text.replace("  permittivity: 80\n", "")
    return text


def rods(kappa, kappa_prime, mu, nu, cutoff=4):
    return RODS % dict(kappa=kappa, kappa_prime=kappa_prime, mu=mu, nu=nu, cutoff=cutoff)


# Values of pairs in vacuum, computed twice from the formulas alone. Waters: quaternions of both,
# r_j - r_i in A; LJ, dipoles and sticky at the first r, totals at all three, kcal/mol; then force
# on j (kcal/mol/A) and torques (kcal/mol) of SSD at the first; energy (kcal/mol) and distance (A)
# of the dimer at its minimum.
WATER_TURNS = ((.5, .5, -.5, .5), (.8, .2, -.4, .4))
WATER_R = ((2.9, .3, -.4), (1.5, -1.8, 2.1), (-2.0, 2.2, 1.1))
WATER_TERMS = {"SSD": (0.18268608, 1.40492756, -0.34747568),
               "SSD1": (0.11193789, 1.40492756, -0.34122217),
               "SSD/E": (0.14879383, 1.48987193, -0.33102266),
               "SSD/RF": (0.11752217, 1.56466572, -0.33102266)}
WATER_TOTALS = {"SSD": (1.24013796, -0.59164872, 2.17968532),
                "SSD1": (1.17564328, -0.61604640, 2.15633601),
                "SSD/E": (1.30764311, -0.35436417, 2.39455336),
                "SSD/RF": (1.35116523, -0.40175215, 2.49051039)}
WATER_SLOPES = ((2.186899, 0.973836, -0.930692), (1.455441, -0.154086, -1.634225),
                (-1.565768, -1.670163, -0.533830))
DIMER = {"SSD": (-7.6366, 2.7545), "SSD1": (-7.7962, 2.7199), "SSD/E": (-7.9229, 2.6752),
         "SSD/RF": (-8.4175, 2.6505)}

# Rods, sigma0 = eps0 = 1: well depth and place side by side, end to end, crossed and in a T; then
# for two axes the energies at two r_i - r_j, and the force at the second.
ROD_MODELS = {"GB(3,5,2,1)": (3, 5, 2, 1), "GB(4.4,20,1,1)": (4.4, 20, 1, 1)}
ROD_WELLS = {"GB(3,5,2,1)": ((-1.666667, 1.1225), (-0.333333, 3.1225), (-1, 1.1225),
                             (-0.381966, 2.3585)),
             "GB(4.4,20,1,1)": ((-2.313636, 1.1225), (-0.115682, 4.5225), (-1, 1.1225),
                                (-0.095238, 3.3131))}
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
ROD_PLACES = ((Z, Z, X), (Z, Z, Z), (Z, Y, X), (Z, X, Z))  # axes, direction of r
ROD_AXES = ((.6, 0, .8), (0, -.28, .96))
ROD_R = ((-.7, 1.5, 2.0), (2.1, .3, -.5))
ROD_ENERGIES = {"GB(3,5,2,1)": (-0.0177549043, -0.1008260615),
                "GB(4.4,20,1,1)": (-0.0202229783, -0.1426833003)}
ROD_FORCES = {"GB(3,5,2,1)": (-0.311626, -0.007385, 0.085613),
              "GB(4.4,20,1,1)": (-0.500826, 0.046380, 0.155224)}

# Two unlike ellipsoids, one flat, with spheres; one pair of sphere and ellipsoid is not mixed.
UNLIKE = """
format: 1
name: unlike
cutoff: 4
types:
  A: {mass: 1, inertia: [0.5, 0.5, 0], shape: {kappa: 3, kappa_prime: 5}}
  B: {mass: 2, inertia: [0.4, 0.4, 0], shape: {kappa: %g, kappa_prime: %g}}
  S: {mass: 1}
pair:
  lj: {truncation: force_shift, mixing: %s}
  gay_berne: {mu: %d, nu: %d}
  table:
    - [A, A, {epsilon: 1, sigma: 1}]
    - [B, B, {epsilon: 1.7, sigma: 1.2}]
    - [S, S, {epsilon: 0.8, sigma: 0.9}]
    - [A, S, {epsilon: 1.3, sigma: 1.1}]
molecules: {A: {beads: [A]}, B: {beads: [B]}, S: {beads: [S]}}
"""
# Charge, dipole, point, water, ellipsoids: single, with charge and dipole, and in a molecule.
SEVEN = """
format: 1
name: seven
cutoff: 1.2
exclude: [1-2, 1-3]
types:
  Q: {mass: 50, charge: -0.4}
  D: {mass: 40, dipole: 0.04, inertia: [1, 1, 0]}
  P: {mass: 42}
  W: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: 0.0489}
  R: {mass: 60, inertia: [2, 2, 0], shape: {kappa: 1.7, kappa_prime: 3}}
  E: {mass: 60, inertia: [2, 2, 0], charge: 0.3, dipole: 0.03,
      shape: {kappa: 1.5, kappa_prime: 0.6}}
  M: {mass: 60, inertia: [2, 2, 0], shape: {kappa: 2, kappa_prime: 4}}
pair:
  lj: {truncation: stoddard_ford, mixing: lorentz_berthelot}
  electrostatics: {truncation: shifted_force}
  permittivity: 80
  gay_berne: {mu: 1, nu: 2}
  table:
    - [Q, Q, {epsilon: 3, sigma: 0.5}]
    - [D, D, {epsilon: 3, sigma: 0.4}]
    - [P, P, {epsilon: 3.5, sigma: 0.45}]
    - [W, W, {epsilon: 0.636, sigma: 0.3051}]
    - [R, R, {epsilon: 2, sigma: 0.35}]
    - [E, E, {epsilon: 2.5, sigma: 0.32}]
    - [M, M, {epsilon: 1.5, sigma: 0.3}]
    - [W, Q, {epsilon: 4, sigma: 0.41}]
    - [R, P, {epsilon: 2.2, sigma: 0.42}]
    - [M, E, {epsilon: 1.1, sigma: 0.33}]
  sticky:
    - [W, W, {v0: 15.5996, w0: 0.07715, switch: [0.275, 0.335], switch_prime: [0.275, 0.400],
              v0_prime: 12.5}]
  classes:
    - {types: [W], cutoff: 0.9, switch_from: 0.765, lj: {truncation: switch},
       electrostatics: {truncation: reaction_field}}
    - {types: [P], cutoff: 1.0, lj: {truncation: force_shift}}
    - {types: [R, M], with: [P, D], cutoff: 1.1}
bonds:
  one: {form: harmonic, k: 300, r0: 0.45}
  two: {form: site_harmonic, k: 500, r0: 0.35, d0: 0.06, d1: -0.2}
  end: {form: site_harmonic, k: 500, r0: 0.4, d1: 0.15}
angles:
  wide: {form: cosine_squared, k: 20, theta0: 110}
  turned: {form: dipole, k: 7, gamma0: 60}
  corner: {form: site_cosine_squared, k: 20, theta0: 130, d0: 0.1, d1: -0.15, d2: 0.2}
  aimed: {form: site_axis, k: 9, gamma0: 50, d0: 0.2, d1: -0.1}
molecules:
  W: {beads: [W]}
  Q: {beads: [Q]}
  D: {beads: [D]}
  P: {beads: [P]}
  R: {beads: [R]}
  E: {beads: [E]}
  L:
    beads: [Q, D, M, P, M]
    bonds: [[one, 1, 2], [two, 2, 3], [one, 3, 4], [end, 4, 5]]
    angles: [[wide, 1, 2, 3], [wide, 2, 3, 4], [turned, 2, 1], [corner, 2, 5, 3], [aimed, 5, 2]]
"""
# The same with more classes: eight neighbour lists.
EIGHT_LISTS = SEVEN.replace("bonds:\n", """\
    - {types: [Q], cutoff: 1.15, electrostatics: {truncation: none}}
    - {types: [E], cutoff: 1.05, electrostatics: {truncation: none}}
bonds:
""", 1)
# Unlike waters with sticky terms between them, a dipole, a body without one; a class for each.
WATERS = """
format: 1
name: waters
cutoff: 1.2
types:
  A: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: 0.0489}
  B: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: 0.0516}
  C: {mass: 18.0153, inertia: [0.017696, 0.006145, 0.011550], dipole: 0.02}
  D: {mass: 40, inertia: [1, 1, 0], dipole: 0.04}
  N: {mass: 40, inertia: [1, 2, 1.5]}
pair:
  lj: {truncation: force_shift, mixing: geometric}
  electrostatics: {truncation: shifted_force}
  permittivity: 80
  table:
    - [A, A, {epsilon: 0.636, sigma: 0.3051}]
    - [B, B, {epsilon: 0.6, sigma: 0.3019}]
    - [C, C, {epsilon: 0.8, sigma: 0.31}]
    - [D, D, {epsilon: 1.5, sigma: 0.32}]
    - [N, N, {epsilon: 1.2, sigma: 0.33}]
    - [A, N, {epsilon: 0.7, sigma: 0.34}]
  sticky:
    - [A, A, {v0: 15.6, w0: 0.07715, switch: [0.275, 0.335], switch_prime: [0.275, 0.400]}]
    - [B, A, {v0: 16, v0_prime: 12, w0: 0.07, switch: [0.26, 0.36], switch_prime: [0.275, 0.38]}]
    - [B, C, {v0: 9, v0_prime: 14, w0: 0.08, switch: [0.24, 0.38], switch_prime: [0.275, 0.335]}]
  classes:
    - {types: [A], cutoff: 0.9, switch_from: 0.765, lj: {truncation: switch},
       electrostatics: {truncation: switch}}
    - {types: [B], cutoff: 1.0, switch_from: 0.9, lj: {truncation: switch},
       electrostatics: {truncation: reaction_field}}
    - {types: [A, B], with: [D], cutoff: 1.1, switch_from: 0.9, lj: {truncation: switch},
       electrostatics: {truncation: none}}
    - {types: [C, N], cutoff: 0.8, lj: {truncation: cut}, electrostatics: {truncation: none}}
molecules: {A: {beads: [A]}, B: {beads: [B]}, C: {beads: [C]}, D: {beads: [D]}, N: {beads: [N]}}
"""
WATER_IN_LIPIDS = {"mass": 18.0153, "inertia": [0.017696, 0.006145, 0.011550], "dipole": 0.0489}
CLASSES_IN_LIPIDS = """
sticky:
  - [W, W, {v0: 15.5996, w0: 0.07715, switch: [0.275, 0.335], switch_prime: [0.275, 0.400]}]
classes:
  - {types: [W], cutoff: 0.9, switch_from: 0.765, lj: {truncation: switch},
     electrostatics: {truncation: switch}}
  - {types: [T], cutoff: 1.0, electrostatics: {truncation: none}}
  - {types: [W], with: [T], cutoff: 1.1}
"""


def lipids(elba):
    """SSD water with the lipids of a force field like ELBA, given as text."""
    ff = yaml.safe_load(elba)
    ff["types"]["W"] = WATER_IN_LIPIDS
    for a, b, pair in ff["pair"]["table"]:
        if a == b == "W":
            pair.update(epsilon=0.636, sigma=0.3051)
    ff["pair"].update(yaml.safe_load(CLASSES_IN_LIPIDS))
    return yaml.safe_dump(ff, sort_keys=False)
