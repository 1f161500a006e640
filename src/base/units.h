/* Units everywhere, files too: nm, ps, amu, kJ/mol, K, bar, e. 1 amu nm2/ps2 = 1 kJ/mol. */
#ifndef UNITS_H
#define UNITS_H

#define UNITS_PI 3.14159265358979323846
#define UNITS_COULOMB 138.93545764          /* kJ nm/(mol e2), CODATA 2018, as in GROMACS */
#define UNITS_BOLTZMANN 0.00831446261815324 /* kJ/(mol K), SI 2019 */
#define UNITS_BAR 16.605390672              /* bar in 1 kJ/(mol nm3) */
#define UNITS_VOLT 96.48533212              /* kJ/(mol e) in 1 V */
#define UNITS_KCAL 4.184                    /* kJ */
#define UNITS_ATM 1.01325                   /* bar */

/* amu, of H2O, and molecules of it in 1 nm3 at 1 kg/m3. */
#define UNITS_WATER_MASS 18.0153
#define UNITS_WATERS_PER_DENSITY (0.602214076 / UNITS_WATER_MASS)

#endif
