"""How tools end: with messages on standard error, and the exit statuses of lamella (docs/reference/exit-status.md)."""
import os
import sys

import numpy as np

from . import files, shown


def say(text, file):
    """Prints a line that may hold texts of files."""
    print(shown.printable(text, "\n"), file=file)


def end(text, status):
    say(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(status)


def run(main):
    """Runs the main function of a tool. files.Error says with which status a tool ends."""
    try:
        main()
        sys.stdout.flush()
    except files.Error as why:
        end(why, why.status)
    except ImportError as why:
        end(why, files.Error.status)
    except MemoryError:
        end("there is not enough memory", files.Error.status)
    except (np.linalg.LinAlgError, ArithmeticError) as why:
        end(f"numbers cannot be computed with: {why}", files.Numeric.status)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes at its end
        end("standard output was closed before its end", files.Unusable.status)
    except OSError as why:
        end(files.unusable(why), files.Unusable.status)
