"""python_site.py PREFIX: the folder of packages in which a file lamella.pth tells this Python where the module lamella is: one below
PREFIX, printed as ${prefix}/..., else the first that this user can write to. Prints it, and how the folder of the module,
PREFIX/share/lamella/python, is written there; nothing if there is none."""
import os
import site
import sys
import sysconfig

prefix = os.path.abspath(sys.argv[1])
user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
for folder in site.getsitepackages() + user:
    below = os.path.relpath(folder, prefix)
    if below.startswith("lib"):
        print("${prefix}/" + below, os.path.relpath("share/lamella/python", below))
        sys.exit()
for folder in [sysconfig.get_path("purelib")] + user:
    there = folder
    while not os.path.exists(there):
        there = os.path.dirname(there)
    if os.access(there, os.W_OK):
        print(folder, "${pkgdatadir}/python")
        sys.exit()
