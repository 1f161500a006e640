/* Whether the neighbour lists still hold every pair within the cutoff after the beads have moved.
   There are two policies, enum list_expiry, of which listcheck_choose sets s->list_expiry:
   - search: after the halo exchange displaced beads are searched for unlisted pairs inside the
     cutoff. Lists expire when one is found, or when beads have moved so far that the halo may lack
     a partner. On backends without async_ops the host reduces the two largest displacements over
     ranks while the interior forces are computed; ranks search, and reduce the result, only in
     steps in which two beads with these displacements may have become an unlisted pair inside the
     cutoff. On backends with async_ops devices do this, and the host runs ahead (s->runs_ahead):
     the result stays on the devices, which reduce it over ranks beside the forces of the boundary
     beads; listcheck_end then returns 0, and the pipeline finds out when it drains (run.c).
   - displacement: as search, but lists expire at the step at which a search would begin. For
     backends that cannot search.
   All ranks get the same result. */
#ifndef LISTCHECK_H
#define LISTCHECK_H

#include "md/sim.h"

/* Sets s->list_expiry and s->runs_ahead from the backend. Called when the backend has
   been created, and by tests that replace operations of it. Local; the same on all ranks. */
void listcheck_choose(struct sim *s);

/* The radius of the lists, nm: cutoff and skin. Local. */
double listcheck_radius(const struct sim *s);
/* Width of the halo for a skin, nm: the list radius. With the search policy half a skin more: the
   halo then has every bead that may have come within the cutoff of a displaced bead. Local. */
double listcheck_halo_of(const struct sim *s, double skin);
/* The same for the present skin. Local. */
double listcheck_halo_width(const struct sim *s);
/* Call after the first half of a step, before the halo exchange. Returns 1 if the lists are known
   to have expired. Otherwise starts the reduction over ranks if there is one, and returns 0.
   Collective. */
int listcheck_begin(struct sim *s);
/* Call after the halo exchange of the same step, if listcheck_begin returned 0. Returns 1 if the
   lists have expired; always 0 if the host runs ahead. Waits for the reduction. Collective. */
int listcheck_end(struct sim *s);

/* Call after the forces of a step whose lists listcheck_end did not find expired. If the host runs
   ahead, the devices have the result of all ranks before they begin the next step. Does not wait.
   Collective. */
void listcheck_agree(struct sim *s);

/* If the host runs ahead: waits, and returns 1 if the lists have expired at the present step, which
   the backend has then gone back to. Else 0. Collective. */
int listcheck_drain(struct sim *s);

#endif
