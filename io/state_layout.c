/* Layout of state files: see state_layout.h. */
#include "io/state_layout.h"

#include <stdio.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct system, member)

const struct state_item state_item[STATE_ITEMS] = {
    {"system/n_beads", "1", "number of beads", 'l', 1, AT(n_total)},
    {"system/box", "nm", "edges of the periodic box", 'd', 3, AT(box)},
    {"system/tilt", "nm", "xy, xz, yz: components of the box vectors off the diagonal", 'd', 3,
     AT(box[3]), .oblique = 1},
    {"system/step", "1", "steps done since the start", 'l', 1, AT(clock.step)},
    {"system/time", "ps", "time since the start", 'd', 1, AT(clock.time)},
    {"system/clock_step", "1",
     "step from which time is counted: time = clock_time + (step - clock_step) dt", 'l', 1,
     AT(clock.origin_step)},
    {"system/clock_time", "ps", "time of that step", 'd', 1, AT(clock.origin_time)},
    {"system/input_hash", "1", "fingerprint of the state that the run began from; 0: no run", 'w',
     1, AT(run.input_hash)},
    {"system/seed", "1", "seed of the noise", 'w', 1, AT(clock.seed)},
    {"system/conserved_work", "kJ/mol",
     "energy that thermostat and barostat have put in; total energy less this is conserved", 'd', 1,
     AT(run.conserved_work)},
    {"counters/builds", "1", "neighbour lists built", 'l', 1, AT(run.builds)},
    {"neighbor_list/step", "1",
     "step of the last build of the neighbour list, which a restart repeats; negative: none", 'l',
     1, AT(lists.step)},
    {"neighbor_list/box", "nm", "edges of the box at that build", 'd', 3, AT(lists.box)},
    {"neighbor_list/tilt", "nm", "tilt of the box at that build", 'd', 3, AT(lists.box[3]),
     .oblique = 1},
    {"neighbor_list/skin", "nm", "radius of the list less cutoff", 'd', 1, AT(lists.skin)},
};

/* Says what the numbers of term_kind mean. */
#define SECTION(name) " " #name
#define SECTIONS_TEXT "section of the force field, from 0:" BONDED_SECTIONS(SECTION)

void state_tables(const struct state_rows *n, struct h5_table table[STATE_TABLES])
{
  const int64_t clusters = n->has_clusters ? n->envs : -1, anchors = n->anchors ? n->anchors : -1;
  const struct h5_table all[STATE_TABLES] = {
      {STATE_TERM_START, "1", "first term of each slot (bonded environment); the last row ends",
       'i', 1, n->envs + 1},
      {STATE_TERM_KIND, "1", SECTIONS_TEXT, 'i', 1, n->terms},
      {STATE_TERM_TYPE, "1", "bonded type of the section, from 0, in the order of the force field",
       'i', 1, n->terms},
      {STATE_TERM_ROLE, "1", "which bead of the term the bead with this slot is, from 0", 'i', 1,
       n->terms},
      {STATE_TERM_PARTNER, "1",
       "the term's other beads, in its order: bead number less this bead's; 0: no more", 'l',
       n->columns, n->terms},
      {STATE_EXCLUDE_START, "1", "first exclusion of each slot; the last row ends", 'i', 1,
       n->envs + 1},
      {STATE_EXCLUDE, "1", "beads without pair forces: bead number less this bead's", 'l', 1,
       n->excluded},
      {STATE_CLUSTER, "1",
       "cluster of constraints and virtual sites, in the order of the force "
       "field; -1 for none",
       'i', 1, clusters},
      {STATE_PLACE, "1", "which bead of the cluster the bead with this slot is, from 0; -1", 'i', 1,
       clusters},
      {STATE_ANCHOR_BEAD, "1", "restrained beads", 'l', 1, anchors},
      {STATE_ANCHOR_PLACE, "box/2^32", "places to which they are restrained, as beads/position",
       'i', 3, anchors},
  };
  memcpy(table, all, sizeof all);
}

void state_field_name(int field, char name[64])
{
  snprintf(name, 64, "beads/%s", field_info[field].name);
}

void state_accumulated_name(const char *group, const char *of, const char *dataset, char name[96])
{
  snprintf(name, 96, "%s/%s%s%s", group, of, of[0] ? "/" : "", dataset);
}
