"""Which file writes which member of a struct, read from the sources of the program.

A struct is owned if a comment in its header says who writes it:

    /* ... Written by model/clock.c. */        in front of `struct clock {`: of all its members
    /* Written by md/neighbor.c: ... */        among the members: of those that follow

Files are named without src/ or cuda/, or with all folders. A header with functions belongs to the file of its noun. Members that are structs with owners of
their own belong to those. A write is = and its kin, ++ and --, an initialiser with names of members, and handing the address of
a member, or an array, to a pointer or reference that is not const. What a pointer leads to is no part of the struct.

Types come from declarations of structs, variables and functions, in C and CUDA alike, without a compiler: no test needs CUDA.
Not seen: writes by macros, through void pointers, and to what a conditional expression yields.

    python3 tests/support/owners.py            prints the table of docs/develop/owners.md
"""
import os
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*|[A-Za-z_]\w*|'
                   r'->|\+\+|--|<<=|>>=|[-+*/%&|^]=|[=!<>]=|&&|\|\||<<|>>|::|\.\.\.|\d[\w.]*(?:(?<=[eEpP])[-+]\w+)?|\S', re.S | re.M)
ASSIGN = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}
WORDS = {'return', 'sizeof', 'if', 'while', 'for', 'switch', 'case', 'else', 'do'}
# Functions of libraries that only read what the arguments from this one on point to; all others may write it.
READERS = {'memcmp': 0, 'strlen': 0, 'strcmp': 0, 'strncmp': 0, 'strchr': 0, 'fprintf': 1, 'printf': 0, 'fwrite': 0, 'fputs': 0,
           'snprintf': 2, 'memcpy': 1, 'memmove': 1, 'cudaMemcpy': 1, 'cudaMemcpyAsync': 1, 'strcpy': 1, 'open': 0,
           'fopen': 0, 'assert': 0, 'isnan': 0, 'isfinite': 0}
PARTS_OF_TYPES = ('unsigned', 'signed', 'long', 'short', 'char', 'int', 'double')
WRITTEN_BY = re.compile(r'Written by ((?:[\w/]+\.(?:cuh?|[ch])(?:,? and |, )?)+)')


class Type:
    """A type as far as it matters: the struct, if it is one, how many pointers, whether it is an array, whether what the last
    pointer leads to is const, and the parameters if it is a function."""

    def __init__(self, struct=None, pointers=0, array=False, const=False, params=None, reference=False):
        self.struct, self.pointers, self.array, self.const = struct, pointers, array, const
        self.params, self.reference = params, reference


class Member:
    def __init__(self, name, kind, owners, line):
        self.name, self.type, self.owners, self.line = name, kind, owners, line


class Struct:
    def __init__(self, name, file, owners):
        self.name, self.file, self.owners, self.member = name, file, owners, {}

    def owners_of(self, member):
        return self.member[member].owners if member in self.member else self.owners

    def is_owned(self):
        return bool(self.owners) or any(m.owners for m in self.member.values())


class Token(str):
    __slots__ = ('at', 'line')


def tokens_of(text):
    """Tokens without comments and preprocessor lines, and the comments by the index of the token that follows."""
    found, comment, line, last = [], {}, 1, 0
    for m in TOKEN.finditer(text):
        word = m.group()
        line += text.count('\n', last, m.start())
        last = m.start()
        if word.startswith('/*') or word.startswith('//'):
            comment.setdefault(len(found), []).append(word)
            continue
        if word.lstrip().startswith('#'):
            continue
        t = Token(word)
        t.at, t.line = m.start(), line
        found.append(t)
    return found, comment


def close(t, i):
    """The index after the bracket that closes the one at i."""
    depth = 0
    while i < len(t):
        if t[i] in '([{':
            depth += 1
        elif t[i] in ')]}':
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return i


def split(t, i, end, mark=','):
    """Parts of t[i:end] between marks outside of brackets, as pairs of indices."""
    depth, start = 0, i
    for k in range(i, end):
        if t[k] in '([{':
            depth += 1
        elif t[k] in ')]}':
            depth -= 1
        elif t[k] == mark and depth == 0:
            yield start, k
            start = k + 1
    if start < end:
        yield start, end


def is_name(w):
    return w[0].isalpha() or w[0] == '_'


class Sources:
    """files: {path: text}. structs, functions and writes of all of them."""

    def __init__(self, files):
        self.structs, self.local_structs = {}, {}  # of headers; of other files, by file
        self.functions, self.local_functions, self.tokens = {}, {}, {}
        for path, text in files.items():
            self.tokens[path] = tokens_of(text)
        for path in files:
            self.path = path
            self.find_structs(path)
        for path in files:
            self.path = path
            self.find_functions(path)

    def owners_in(self, comments):
        """The files that comments name as writers, with their folders; None: there are none."""
        m = WRITTEN_BY.search(re.sub(r'\s*\n\s*\*?\s*', ' ', ' '.join(comments)))
        names = re.findall(r'[\w/]+\.(?:cuh?|[ch])', m.group(1)) if m else []
        places = [[folder + n for folder in ('src/', 'cuda/', '') if folder + n in self.tokens] + [n] for n in names]
        return tuple(p[0] for p in places) or None

    def struct(self, name, path):
        return self.local_structs[path].get(name) or self.structs.get(name)

    def base(self, t, i, end):
        """The struct of a declaration that begins at i, whether it is const, and where its declarators begin; None: it is none."""
        const, struct, seen = False, None, False
        while i < end:
            w = t[i]
            if w in ('const', 'constexpr'):
                const = True
            elif w in ('static', 'extern', 'inline', 'volatile', 'register', '__device__', '__shared__', '__constant__', 'RESTRICT',
                       '__restrict__', 'HD', '__host__', '__global__', '__forceinline__', *PARTS_OF_TYPES):
                seen = seen or w in PARTS_OF_TYPES
            elif w in ('struct', 'union', 'enum', 'class') and i + 1 < end:
                if w == 'struct':
                    struct = str(t[i + 1])
                seen = True
                i += 1
            elif not seen and is_name(w):
                seen = True
                if w in self.structs or w in self.local_structs[self.path]:
                    struct = str(w)
                if i + 1 < end and t[i + 1] == '<':
                    depth = 0
                    while i < end:
                        depth += (t[i] == '<') - (t[i] == '>') - 2 * (t[i] == '>>')
                        if depth <= 0 and t[i] != '<':
                            break
                        i += 1
            elif seen and w == '::' and i + 1 < end:
                i += 1
            else:
                return (struct, const, i) if seen else None
            i += 1
        return (struct, const, i) if seen else None

    def declarator(self, t, i, end, struct, const):
        """Name and type of the declarator t[i:end], without its initialiser."""
        pointers, reference, name, array, params = 0, False, None, False, None
        before = const  # of what the next * leads to
        while i < end:
            w = t[i]
            if w == '*':
                pointers += 1
                const, before = before, False
            elif w in ('&', '&&'):
                reference = True
            elif w == 'const':
                before = True
            elif w in ('RESTRICT', '__restrict__', 'volatile'):
                pass
            elif w == '(' and name is None and i + 1 < end and t[i + 1] == '*':  # a function pointer
                last = close(t, i)
                names = [k for k in range(i, last) if is_name(t[k]) and t[k] not in ('const', 'RESTRICT')]
                if not names:
                    return None
                name = t[names[0]]
                if last < end and t[last] == '(':
                    params = self.parameters(t, last)
                    return name, Type(struct, pointers, False, const, [p for _, p in params])
                return name, Type(struct, pointers + 1, False, const)
            elif w == '[' and name is not None:
                array = True
                i = close(t, i) - 1
            elif w in ('=', ':', '{', '('):
                break
            elif is_name(w) and name is None:
                name = w
            elif w == '::':
                name = None
            else:
                return None
            i += 1
        return (name, Type(struct, pointers, array, const, params, reference)) if name else None

    def parameters(self, t, i):
        """Of the list that opens at i: pairs of name and type."""
        found = []
        for a, b in split(t, i + 1, close(t, i) - 1):
            base = self.base(t, a, b)
            d = base and self.declarator(t, base[2], b, base[0], base[1])
            if d:
                name, kind = d
                if kind.array:
                    kind.array, kind.pointers = False, kind.pointers + 1
            else:
                name = None
                kind = Type(base and base[0], sum(w == '*' for w in t[a:b]), False, 'const' in t[a:b], None, '&' in t[a:b])
            found.append((name, kind))
        return found

    def find_structs(self, path):
        t, comment = self.tokens[path]
        i, self.local_structs[path] = 0, {}
        while i + 2 < len(t):
            if t[i] == 'struct' and t[i + 2] == '{' and is_name(t[i + 1]):
                start = i
                while start > 0 and t[start - 1] in ('typedef', 'static', 'const'):
                    start -= 1
                self.struct_parse(path, t, comment, i, self.owners_in(comment.get(start, [])) or ())
                i += 3
            else:
                i += 1

    def struct_parse(self, path, t, comment, i, owners):
        s = Struct(str(t[i + 1]), path, owners)
        end, now = close(t, i + 2) - 1, owners
        for a, b in split(t, i + 3, end, ';'):
            now = self.owners_in(comment.get(a, [])) or now
            if t[a] == 'enum' and '{' in t[a:b]:
                continue
            if t[a] in ('struct', 'union') and '{' in t[a:a + 3]:
                brace = a + (1 if t[a + 1] == '{' else 2)
                after = close(t, brace)
                name = next((str(w) for w in t[after:b] if is_name(w)), None)
                if name:
                    kind = Type(str(t[a + 1]) if brace == a + 2 else None, t[after:b].count('*'), '[' in t[after:b])
                    s.member[name] = Member(name, kind, now, t[a].line)
                else:
                    for c, e in split(t, brace + 1, after - 1, ';'):
                        self.member_parse(s, t, c, e, now)
                continue
            self.member_parse(s, t, a, b, now)
        known = self.structs if path.endswith(('.h', '.cuh')) else self.local_structs[path]
        if s.name not in known or s.is_owned():
            known[s.name] = s

    def member_parse(self, s, t, a, b, owners):
        base = self.base(t, a, b)
        if not base:
            return
        for c, e in split(t, base[2], b):
            d = self.declarator(t, c, e, base[0], base[1])
            if d:
                s.member[str(d[0])] = Member(str(d[0]), d[1], owners, t[a].line)

    def find_functions(self, path):
        """Prototypes and bodies: (name, parameters, begin, end) of each body of the file."""
        t, _ = self.tokens[path]
        i, start, self.local_functions[path] = 0, 0, {}
        bodies = []
        while i < len(t):
            w = t[i]
            if w in (';', '}'):
                start = i + 1
            elif w == 'extern' and i + 2 < len(t) and t[i + 1].startswith('"') and t[i + 2] == '{':
                i += 2
                start = i + 1
            elif w == 'namespace':
                while t[i] != '{':
                    i += 1
                start = i + 1
            elif w == 'template' and t[i + 1] == '<':
                depth = 0
                while True:
                    i += 1
                    depth += (t[i] == '<') - (t[i] == '>')
                    if depth == 0:
                        break
                start = i + 1
            elif w in ('__attribute__', '__launch_bounds__', 'alignas', '__align__') and t[i + 1] == '(':
                i = close(t, i + 1) - 1
                if t[i + 1] not in (';', '{') and w != '__launch_bounds__':
                    start = i + 1
            elif w == '(' and i > start and is_name(t[i - 1]) and t[i - 1] not in WORDS:
                after = close(t, i)
                if '=' in t[start:i]:
                    i = after
                    continue
                name, params = str(t[i - 1]), self.parameters(t, i)
                while after < len(t) and t[after] in ('const', 'noexcept', '__attribute__'):
                    after = close(t, after + 1) if t[after] == '__attribute__' else after + 1
                base = self.base(t, start, i - 1)
                kind = Type(base[0] if base else None, sum(x == '*' for x in t[start:i - 1]), False, bool(base and base[1]),
                            [p for _, p in params])
                self.functions.setdefault(name, kind)
                self.local_functions[path][name] = kind
                if after < len(t) and t[after] == '{':
                    end = close(t, after)
                    bodies.append((name, params, after, end))
                    i = end - 1
                    start = end
                else:
                    i = after - 1
            elif w == '{':  # an initialiser or a struct
                i = close(t, i) - 1
            i += 1
        self.tokens[path] = self.tokens[path] + (bodies,)

    def function(self, path, name):
        return self.local_functions[path].get(name) or self.functions.get(name)

    def accesses(self, path):
        """Of every member of a struct that the file names: (struct, member, token, write), where write is None or how it is written.
        Member * stands for all."""
        t, _, bodies = self.tokens[path]
        outer, self.path = {}, path
        for name, params, begin, end in bodies:
            yield from Body(self, path, t, name, params, begin, end, outer).walk()

    def replace(self, path, text):
        """Takes another text for a file, of which no struct of a header changes."""
        self.tokens[path] = tokens_of(text)
        self.path = path
        self.find_structs(path)
        self.find_functions(path)

    def owned(self):
        """The structs with owners, by name."""
        every = list(self.structs.values()) + [s for of in self.local_structs.values() for s in of.values()]
        return {s.name: s for s in sorted(every, key=lambda s: s.name) if s.is_owned()}

    def is_part(self, member):
        """Whether a member is a struct with owners of its own."""
        kind = member.type
        of = self.structs.get(kind.struct) if kind.struct and not kind.pointers else None
        return bool(of and of.is_owned())

    def trespasses(self, path):
        """Writes of a file to what is not its own: a line of text each."""
        for name, member, token, how in self.accesses(path):
            s = self.struct(name, path)
            if not how or not s or not s.is_owned():
                continue
            members = [m for m in s.member.values() if not self.is_part(m)] if member == '*' else [s.member.get(member)]
            for m in members or [None]:
                owners = m.owners if m else s.owners
                if m and self.is_part(m) and how in ASSIGN:
                    owners = owners + self.structs[m.type.struct].owners
                if owners and noun(path) not in map(noun, owners):
                    what = name + ('.' + m.name if m else '')
                    yield f"{path}:{token.line}: writes {what} ({how}), which {' and '.join(owners)} may"
                    break


def noun(path):
    return re.sub(r'\.\w+$', '', path)


class Body:
    """The body of a function, walked once from its begin to its end."""

    def __init__(self, sources, path, t, name, params, begin, end, outer):
        self.s, self.path, self.t, self.begin, self.end = sources, path, t, begin, end
        self.name = name
        self.scope = dict(outer)
        for n, kind in params:
            if n:
                self.scope[str(n)] = kind
        self.frames = []
        self.called = {}  # of a parenthesis: the type of the function pointer before it

    def walk(self):
        t, i = self.t, self.begin
        fresh = True  # at the begin of a statement
        while i < self.end:
            w = t[i]
            if fresh and (is_name(w)):
                i = self.declare(i)
                w = t[i]
            fresh = w in (';', '{', '}') or (w == '(' and t[i - 1] == 'for') or (w == ')' and self.frames and self.frames[-1][2] in ('if', 'for', 'while'))
            if w == '(' or w == '[' or w == '{':
                found = self.chain_at_paren(i) if w == '(' else None
                if found:
                    yield from self.report(found)
                self.frames.append(self.frame(i))
            elif w in ')]}':
                if self.frames:
                    self.frames.pop()
            elif w == ',' and self.frames:
                self.frames[-1][1] += 1
            elif is_name(w) and (w in self.scope or i + 1 < self.end and t[i + 1] == '(') and t[i - 1] not in ('.', '->', 'struct'):
                found = self.chain(i)
                if found:
                    yield from self.report(found)
            elif w == '.' and t[i - 1] in ('{', ',') and is_name(t[i + 1]):
                yield from self.initialised(i)
            i += 1

    def frame(self, i):
        """[types of the parameters or None if it is no call, index of the argument, name of what is called]."""
        t = self.t
        before = t[i - 1] if i else ''
        if t[i] != '(' or not is_name(before) and before not in (')', ']', '>'):
            return [None, 0, '']
        if before in WORDS or before in ('defined',):
            return [None, 0, str(before)]
        member = self.called.get(i)
        kind = member or (self.s.function(self.path, str(before)) if is_name(before) else None)
        if not is_name(before) and not member:
            return [None, 0, '']
        return [kind.params if kind and kind.params is not None else 'unknown', 0, str(before)]

    def declare(self, i):
        """If a declaration of structs begins at i, puts its variables into the scope. Returns i, or where to go on."""
        t = self.t
        if t[i] in WORDS or t[i] in ('goto', 'break', 'continue', 'default'):
            return i
        if t[i] not in ('const', 'static', 'struct', 'auto', '__shared__', 'volatile', 'register') and not (
                is_name(t[i + 1]) or t[i + 1] in ('*', '&', '::', '<')):
            return i
        limit = i
        while limit < self.end and t[limit] not in (';', '=', '{', ')', '}'):
            limit += 1
        stop, depth = limit, 0
        while stop < self.end and (depth or t[stop] not in (';', ')')):
            depth += (t[stop] in '([{') - (t[stop] in ')]}')
            stop += 1
        auto = 'auto' in t[i:limit]
        base = self.s.base(t, i, stop)
        if not base or base[2] >= stop or t[base[2]] in ASSIGN or t[base[2]] in ('(', '.', '->', '[', ',', '++', '--', '+', '-', '/', '%'):
            return i
        if t[base[2]] == ':' and t[base[2] + 1] != ':':
            return i
        if t[i] not in ('const', 'static', 'struct', 'auto') and t[base[2]] == '*' and str(t[i]) in self.scope:
            return i  # a product
        for a, b in split(t, base[2], stop):
            d = self.s.declarator(t, a, b, base[0], base[1])
            if not d:
                continue
            name, kind = str(d[0]), d[1]
            if auto:
                first = next((k for k in range(a, b) if t[k] == '='), None)
                found = first and self.value(first + 1)
                if found:
                    kind = Type(found.struct, found.pointers, found.array, found.const or base[1])
            if kind.struct or name in self.scope:
                self.scope[name] = kind
        return i

    def value(self, i):
        """The type of the expression that begins at i, as far as it is a chain of members."""
        t, deref = self.t, 0
        while t[i] in ('*', '&'):
            deref += 1 if t[i] == '*' else -1
            i += 1
        found = self.chain(i) if is_name(t[i]) and (t[i] in self.scope or t[i + 1] == '(') else self.chain_at_paren(i) if t[i] == '(' else None
        if not found:
            return None
        k = found[1]
        return Type(k.struct, k.pointers - deref, k.array, k.const)

    def chain(self, i):
        """The chain of members that begins with a variable or a call at i: (begin, type, steps, end)."""
        t = self.t
        if t[i + 1] == '(':
            if t[i].isupper() and t[i + 3] == ',' and self.s.struct(t[i + 2], self.path):  # a macro that casts: OWN(type, value)
                return self.steps(i, Type(str(t[i + 2]), 1), close(t, i + 1))
            f = self.s.function(self.path, str(t[i]))
            if t[i] in self.scope or not f or not f.struct or not f.pointers:
                return None
            return self.steps(i, Type(f.struct, f.pointers, False, f.const), close(t, i + 1))
        k = self.scope[t[i]]
        return self.steps(i, k, i + 1) if k.struct else None

    def chain_at_paren(self, i):
        """(*x), (&x), ((struct x *)y) and what follows."""
        t = self.t
        end = close(t, i)
        if end >= self.end or t[end] not in ('.', '->', '['):
            return None
        k = i + 1
        if t[k] == '(' and close(t, k) < end - 1:  # a cast within
            base = self.s.base(t, k + 1, close(t, k) - 1)
            if base and base[0] and base[2] < close(t, k) - 1 and all(w in ('*', 'const') for w in t[base[2]:close(t, k) - 1]):
                return self.steps(i, Type(base[0], t[base[2]:close(t, k)].count('*'), False, base[1]), end)
        kind = self.value(k)
        return self.steps(i, kind, end) if kind and kind.struct else None

    def steps(self, begin, kind, i):
        """Walks .m, ->m and [k]. A step: (struct, member, token); None in its place: a pointer was followed."""
        t, steps = self.t, []
        while i < self.end:
            w = t[i]
            if w in ('.', '->') and kind and kind.struct and is_name(t[i + 1]):
                if w == '->':
                    steps.append(None)
                elif kind.pointers > 0 and steps:
                    break
                s = self.s.struct(kind.struct, self.path)
                m = s.member.get(str(t[i + 1])) if s else None
                steps.append((kind.struct, str(t[i + 1]), t[i + 1]))
                i += 2
                if m is None:  # a member that a list of macros declares: if it has an index, a pointer
                    kind = Type(None, 1 if i < self.end and t[i] == '[' else 0)
                    continue
                if m.type.params is not None:
                    if i < self.end and t[i] == '(':
                        self.called[i] = m.type
                    break
                const = m.type.const if m.type.pointers else kind.const
                kind = Type(m.type.struct, m.type.pointers, m.type.array, const)
            elif w == '[' and kind:
                if kind.array:
                    kind = Type(kind.struct, kind.pointers, False, kind.const)
                elif kind.pointers:
                    kind = Type(kind.struct, kind.pointers - 1, False, kind.const)
                    steps.append(None)
                i = close(t, i)
                if steps and i < self.end and t[i] == '[' and not kind.pointers and not kind.array:  # of more dimensions
                    while i < self.end and t[i] == '[':
                        i = close(t, i)
            else:
                break
        return begin, kind, steps, i

    def report(self, found):
        begin, kind, steps, end = found
        write = self.written(begin, kind, steps, end)
        for k, step in enumerate(steps):
            # What is written is the members since the last pointer that was followed, within the last struct with owners.
            if step:
                yield step + (write if None not in steps[k:] and not self.holds(steps[k:]) else None,)
        if write and kind and kind.struct and not kind.pointers:
            yield kind.struct, '*', self.t[begin], write

    def holds(self, steps):
        """Whether the first of some steps is a struct with owners of its own, and more follow."""
        s = self.s.struct(steps[0][0], self.path)
        m = s.member.get(steps[0][1]) if s else None
        return bool(len(steps) > 1 and m and self.s.is_part(m))

    def written(self, begin, kind, steps, end):
        """What is done to the lvalue that the chain is, if it changes it."""
        t = self.t
        after, before = t[end] if end < len(t) else '', t[begin - 1]
        twice = t[begin - 2] if begin > 1 else ''
        unary = before in ('*', '&') and not (is_name(twice) and twice not in WORDS or twice in (')', ']') or twice[0].isdigit())
        if before == '*' and unary:
            if kind and kind.array and after in ASSIGN:
                return str(after)
            if kind and kind.pointers == 1 and kind.struct and after in ASSIGN:
                steps.append(None)
                kind.pointers = 0
                return str(after)
            return None
        if kind and kind.pointers and not steps:
            return None
        if after in ASSIGN or after in ('++', '--'):
            if not steps and (is_name(before) or before == ','):
                return None  # the initialiser of a declaration
            return str(after)
        if before in ('++', '--'):
            return str(before)
        address = before == '&' and unary
        is_array = bool(kind and kind.array) and after not in ('[',)
        if not (address or is_array) or kind is None and not address:
            frame = self.frames[-1] if self.frames else None
            if frame and isinstance(frame[0], list) and t[begin - 1] in ('(', ',') and after in (',', ')'):
                p = frame[0][frame[1]] if frame[1] < len(frame[0]) else None
                if p and p.reference and not p.const and not p.pointers and not (kind and kind.const):
                    return 'reference to ' + frame[2]
            return None
        if kind and kind.const:
            return None
        if not steps:
            return None
        if address and kind and kind.struct and not kind.pointers and self.owned(kind.struct):
            return None  # its own members have owners
        if before == 'sizeof' or twice == 'sizeof':
            return None
        return self.handed(begin - 1 if address else begin, address)

    def owned(self, struct):
        s = self.s.struct(struct, self.path)
        return s and s.is_owned()

    def handed(self, first, address):
        """Whether an address that begins at a token goes where it may be written through."""
        t = self.t
        frame = self.frames[-1] if self.frames else None
        k = first - 1
        while t[k] == ')' :  # a cast, perhaps
            depth = 0
            while True:
                depth += (t[k] == ')') - (t[k] == '(')
                if depth == 0:
                    break
                k -= 1
            if 'const' in t[k:first]:
                return None
            k -= 1
        if frame and frame[0] is not None and t[k] in ('(', ',', '?', ':', '+', '-', '*'):
            name, at = frame[2], frame[1]
            if frame[0] == 'unknown' and not address and name.isupper():
                return None
            if frame[0] == 'unknown':
                return None if READERS.get(name, 99) <= at else 'handed to ' + name
            p = frame[0][at] if at < len(frame[0]) else None
            if name in READERS and READERS[name] <= at:
                return None
            return None if p is None and not address or p and (p.const or not p.pointers and not p.reference) else 'handed to ' + name
        if t[k] in ('=', 'return', '?', ':'):
            start = k
            while start > self.begin and t[start] not in (';', '{', '}'):
                start -= 1
            of = self.s.function(self.path, self.name)
            if 'const' in t[start:k] or 'return' in t[start:k + 1] and not (of and of.pointers and not of.const):
                return None
            return 'kept as a pointer'
        return None

    def initialised(self, i):
        """{.member = ...}: a write if it names a member of an owned struct that the declaration names."""
        t, k, depth = self.t, i - 1, 0
        while k > self.begin:
            depth += (t[k] in ')]}') - (t[k] in '([{')
            if depth < 0:
                break
            k -= 1
        if t[k] != '{' or depth >= 0:
            return
        j = k - 1
        if t[j] == '=':
            j -= 1
            while t[j] == ']':
                while t[j] != '[':
                    j -= 1
                j -= 1
            kind = self.scope.get(str(t[j]))
            struct = kind.struct if kind else None
        elif t[j] == ')' and t[j - 2] == 'struct':
            struct = str(t[j - 1])
        else:
            return
        s = self.s.struct(struct, self.path)
        if s and str(t[i + 1]) in s.member:
            yield struct, str(t[i + 1]), t[i + 1], 'initialised'


def read(top, folders=('src', 'mpi', 'io', 'cuda')):
    files = {}
    for folder in folders:
        for at, _, names in os.walk(os.path.join(top, folder)):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.cu', '.cuh')):
                    path = os.path.join(at, name)
                    with open(path, encoding='utf-8') as f:
                        files[os.path.relpath(path, top)] = f.read()
    # headers first, so that structs are known
    return dict(sorted(files.items(), key=lambda f: (not f[0].endswith(('.h', '.cuh')), f[0])))


def table(sources):
    """The owners of all members, a row for each file and struct."""
    rows = ['| struct | written by | members |', '|---|---|---|']
    for s in sources.owned().values():
        groups = {}
        for m in s.member.values():
            if not sources.is_part(m):
                groups.setdefault(m.owners, []).append(m.name)
        for owners, members in groups.items():
            if not owners:
                continue  # `struct backend`: each backend writes these of its own
            where = ', '.join(f'`{o}`' for o in owners)
            what = ', '.join(f'`{m}`' for m in members) if len(groups) > 1 else 'all'
            rows.append(f'| `{s.name}`, `{s.file}` | {where} | {what} |')
    return '\n'.join(rows) + '\n'


if __name__ == '__main__':
    print(table(Sources(read(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')))), end='')
