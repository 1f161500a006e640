"""How objects of this module look when they are printed, and in a notebook."""
import html

MOST = 60  # rows of a table


class Shown:
    """A class says in describe() what an object holds: a title, the heads of a table, and its rows of texts."""

    def describe(self):
        raise NotImplementedError

    def _described(self):
        try:
            title, heads, rows = self.describe()
        except Exception as why:  # printing does not fail, whatever the file is
            return f"{type(self).__name__}: {why}", (), []
        rows = [[printable(str(cell)) for cell in row] for row in rows]
        if len(rows) > MOST:
            rows = rows[:MOST] + [["..."] + [""] * (len(heads) - 1)]
        return printable(title), heads, rows

    def __repr__(self):
        title, heads, rows = self._described()
        lines = [list(heads), *rows] if rows else []
        wide = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join([title, *("  " + "  ".join(cell.ljust(w) for cell, w in zip(line, wide)).rstrip()
                                   for line in lines)])

    def _repr_html_(self):
        title, heads, rows = ((html.escape(part) if isinstance(part, str) else part) for part in self._described())
        table = [row_html("th", heads), *(row_html("td", row) for row in rows)] if rows else []
        return f"<div><b>{title}</b>" + (f"<table>{''.join(table)}</table>" if table else "") + "</div>"


def row_html(tag, cells):
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


def printable(text, keep=""):
    """Text of a file, of which a terminal executes nothing: bytes of other characters, except those in keep, are \\xNN."""
    return "".join(c if c.isprintable() or c in keep else "".join(f"\\x{byte:02x}" for byte in bytes_of(c)) for c in text)


def bytes_of(c):
    """Those of UTF-8; of a byte that was none, itself (os.fsdecode)."""
    return c.encode("utf-8", "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass")
