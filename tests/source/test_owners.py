#!/usr/bin/env python3
"""Every member of the structs that many files share is written by one file, which the comments of their headers name
(tests/support/owners.py), and docs/develop/owners.md has the list. Then the check itself is checked against planted writes."""
import os
import sys

import owners

top = os.environ['top_srcdir']
PAGE = 'docs/develop/owners.md'
# The structs that must have owners, all members of them; and those of which a member may have several.
SHARED = ['system', 'clock', 'list_build', 'run_record', 'topology', 'sim', 'params', 'transport', 'regions', 'timers']
SEVERAL = {'transport'}
# Of members that only macros name, no write can be seen.
UNSEEN = {'params'}

# What must be noticed: a file of the program, what is added at its end, and the member that is written.
PLANTS = [
    ('src/md/run.c', 'static void plant(struct sim *s) { s->system->clock.step = 1; }', 'clock.step'),
    ('src/md/run.c', 'static void plant(struct system *y) { y->lists.skin += 0.01; }', 'list_build.skin'),
    ('src/md/run.c', 'static void plant(struct system *y) { ++y->run.builds; }', 'run_record.builds'),
    ('src/md/step.c', 'static void plant(struct sim *s) { s->builds++; }', 'sim.builds'),
    ('io/state.c', 'static void plant(struct system *y, const double *x) { memcpy(y->box, x, sizeof y->box); }', 'system.box'),
    ('io/state.c', 'static void plant(struct system *y) { y->lists.box[2] *= 2; }', 'list_build.box'),
    ('io/state.c', 'static void plant(struct system *y) { snprintf(y->run.id, sizeof y->run.id, "x"); }', 'run_record.id'),
    ('src/setup/lattice.c', 'static void plant(struct system *y) { y->beads.position = NULL; }', 'system.beads'),
    ('src/md/partition.c', 'static void plant(struct sim *s) { double *x = &s->cutoff; *x = 1; }', 'sim.cutoff'),
    ('src/md/partition.c', 'static void plant(struct sim *s) { ranks_max_double(s->ranks, &s->extent, 1); }', 'sim.extent'),
    ('src/md/partition.c', 'static void plant(struct sim *s) { struct clock *c = &s->system->clock; c->seed = 1; }', 'clock.seed'),
    ('src/md/partition.c', 'static void plant(struct sim *s) { struct system *y = s->system; y->clock.time = 1; }', 'clock.time'),
    ('src/md/output.c', 'static void plant(struct output *o) { *o->written = *o->sim->system; }', 'system.n_total'),
    ('src/md/output.c', 'static void plant(struct output *o) { o->written->clock = o->sim->system->clock; }', 'system.clock'),
    ('src/md/output.c', 'static void plant(struct output *o) { memset(&o->sim->thermo, 0, sizeof o->sim->thermo); }', 'sim.thermo'),
    ('src/md/output.c', 'static void plant(struct output *o) { o->sim->timers.total[TIMER_move] -= 1; }', 'timers.total'),
    ('src/md/observers.c', 'static void plant(struct ranks *r) { struct sim s = {.ranks = r}; (void)s; }', 'sim.ranks'),
    ('src/md/run.c', 'static void plant(const struct sim *s) { struct system y = *s->system; y.lists.step = -1; }', 'list_build.step'),
    ('src/md/neighbor.c', 'static void plant(struct sim *s) { (*s).drained = (&s->regions)->cut[0].n = 2; }', 'regions.cut'),
    ('src/md/coupling.h', 'static inline void plant(struct sim *s) { s->thermo_step = 0; }', 'sim.thermo_step'),
    ('src/cli/cmd_run.c', 'static void plant(struct params *p) { p->run_seed = 1; }', 'params'),
    ('mpi/domain/halo.c', 'static void plant(struct transport *t) { t->send_room[0] = 0; }', 'transport.send_room'),
    ('src/md/enforce.c', 'static struct system *of(void); static void plant(void) { of()->clock.step = 3; }', 'clock.step'),
    ('src/md/enforce.c', 'static double *plant(struct sim *s) { return &s->list_margin; }', 'sim.list_margin'),
    ('src/md/enforce.c', 'static void plant(void *p) { ((struct system *)p)->n = 3; }', 'system.n'),
    ('cuda/step/plant.cu', 'void plant(const clock *c) { OWN(clock, c)->origin_step = 1; }', 'clock.origin_step'),
    ('cuda/step/plant.cu', 'namespace { __global__ void plant(clock *c) { auto &d = *c; d.step = 1; } }', 'clock.step'),
    ('cuda/step/plant.cu', 'void put(double &x); void plant(struct system *y) { put(y->lists.skin); }', 'list_build.skin'),
    ('src/md/run.c', 'static void plant(struct sim *s) { s->lipid_env = 0; }', 'sim.lipid_env'),
    ('src/md/sim.h', 'static inline void plant(struct sim *s) { s->in_flight = 0; }', 'sim.in_flight'),
]
# What must not: reading, and what pointers lead to.
RIGHT = [
    ('src/md/run.c', 'static void right(struct sim *s) { double x = s->system->box[0]; (void)(x == s->mass || s->builds > 2); }'),
    ('src/md/run.c', 'static void right(struct system *y, double *x) { memcpy(x, y->box, sizeof y->box); x = y->beads.momentum; x[0] = 1; }'),
    ('src/md/run.c', 'static void right(struct system *y) { const double *b = y->lists.box; y->beads.type[0] = b[0] > 1; }'),
    ('src/md/run.c', 'static void right(struct sim *s) { struct clock now = s->system->clock; clock_restore(&s->system->clock, &now); }'),
    ('src/md/run.c', 'static void right(struct sim *s) { s->bath[0].dof = 1; *s->lipids->name = 0; regions_widen(&s->regions); }'),
    ('src/md/run.c', 'static const double *right(struct sim *s) { return s->system->box; }'),
    ('src/md/neighbor.c', 'static void right(struct sim *s) { s->builds++; s->extent = 1; }'),
    ('src/model/clock.c', 'static void right(struct system *y) { y->clock.step++; }'),
]

failed = []


def say(text):
    print(text)
    failed.append(text)


def check_list(sources):
    """Every member of a shared struct has an owner, which is there and writes it."""
    written = {}
    for path in sources.tokens:
        for name, member, token, how in sources.accesses(path):
            if how:
                written.setdefault((name, member), set()).add(owners.noun(path))
    for name in SHARED:
        s = sources.structs.get(name)
        if s is None or not s.is_owned():
            say(f'struct {name} has no comment that says by whom it is written')
            continue
        for m in s.member.values():
            if sources.is_part(m):
                continue
            if len(m.owners) != 1 and name not in SEVERAL:
                say(f"{s.file}:{m.line}: {name}.{m.name} is written by {' and '.join(m.owners) or 'nobody that a comment names'}")
            for file in m.owners:
                if file not in files:
                    say(f'{s.file}:{m.line}: there is no file {file}')
            seen = written.get((name, m.name), set()) | written.get((name, '*'), set())
            if name not in UNSEEN and not seen & set(map(owners.noun, m.owners)):
                say(f"{s.file}:{m.line}: {' and '.join(m.owners)} does not write {name}.{m.name}")


def check_page(sources):
    with open(os.path.join(top, PAGE), encoding='utf-8') as f:
        text = f.read()
    if owners.table(sources) not in text:
        say(f'the table of {PAGE} is not that of the headers: put into it what python3 tests/support/owners.py prints')


def noticed(sources, path, code):
    """The trespasses that some code at the end of a file adds."""
    with_file = path in files
    sources.replace(path, (files[path] if with_file else '') + '\n' + code + '\n')
    found = set(sources.trespasses(path))
    if with_file:
        sources.replace(path, files[path])
    return found


files = owners.read(top)
sources = owners.Sources(files)
if len(sources.structs) < 100 or len(sources.functions) < 1000:
    say(f'only {len(sources.structs)} structs and {len(sources.functions)} functions were found')
for path in list(sources.tokens):
    for line in sources.trespasses(path):
        say(line + ': call a function of that file')
check_list(sources)
check_page(sources)
for path, code, member in PLANTS:
    if not any(f'writes {member} ' in line or f'writes {member}.' in line for line in noticed(sources, path, code)):
        say(f'not noticed: in {path}: {code}')
for path, code in RIGHT:
    for line in noticed(sources, path, code):
        say(f'taken for a write: {line}: {code}')
bare = dict(files)
bare['src/md/sim.h'] = files['src/md/sim.h'].replace('Written by md/observers.c', 'Written')
if 'observers.c' in owners.table(owners.Sources(bare)):
    say('not noticed: a comment of sim.h that is gone')
sys.exit(bool(failed))
