#!/usr/bin/env python3
"""Files of packaging/ agree with the program: their version, the packages they ask for, the options they give to configure; they
can be read; no URL but the placeholder's; and packaging/release.sh writes a release into all of them."""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("needs PyYAML")
    sys.exit(77)

TOP = os.environ.get("top_srcdir", ".")
PACKAGING = os.path.join(TOP, "packaging")
failed = []


def complain(text):
    failed.append(text)
    print(text)


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def versions(folder):
    """Of every file that has one: name, version."""
    easy = glob.glob(os.path.join(folder, "easybuild/*.eb"))
    for name in easy:
        assigned = {t.id: n.value for n in ast.parse(read(name)).body if isinstance(n, ast.Assign) for t in n.targets}
        yield name, ast.literal_eval(assigned["version"])
        yield name, re.match(r"lamella-([0-9.]+)-", os.path.basename(name)).group(1)
    recipe = yaml.safe_load(read(folder, "conda/recipe.yaml"))
    yield "conda/recipe.yaml", recipe["context"]["version"]
    spack = read(folder, "spack/spack_repo/lamella/packages/lamella/package.py")
    yield "spack url", re.search(r'url = ".*/lamella-([0-9.]+)\.tar', spack).group(1)
    yield "debian/changelog", re.match(r"lamella \(([0-9.]+)-\d+\)", read(folder, "debian/changelog")).group(1)


def shell_words(name):
    """Of build-aux/prepare.sh: the words of a variable."""
    return output("bash", "-c", f"MPICC=false; source build-aux/prepare.sh; echo ${name}", cwd=TOP).split()


version = output("sh", os.path.join(TOP, "build-aux/version.sh")).partition("-")[0]
for name, found in versions(PACKAGING):
    if found != version:
        complain(f"packaging: {name} is for version {found}, and the program is {version}: run packaging/release.sh")

# What Python, bash and YAML can tell of each file.
for name in glob.glob(os.path.join(PACKAGING, "**/*.py"), recursive=True) + glob.glob(os.path.join(PACKAGING, "easybuild/*.eb")):
    try:
        compile(read(name), name, "exec")
    except SyntaxError as error:
        complain(f"{name}: {error}")
scripts = glob.glob(os.path.join(PACKAGING, "**/*.sh"), recursive=True) + [os.path.join(PACKAGING, "debian/tests/system")]
for name in scripts:
    if subprocess.run(["bash", "-n", name]).returncode:
        complain(f"{name}: bash does not read it")
for name in glob.glob(os.path.join(PACKAGING, "**/*.yaml"), recursive=True):
    yaml.safe_load(read(name))

# Options of configure are those that it has.
def options(text):
    """Names of options, with-x also for --without-x."""
    found = re.findall(r"(?<![a-z-])--((?:with|without|enable|disable)-[a-z0-9-]+)", text)
    return {word.replace("without-", "with-", 1).replace("disable-", "enable-", 1) for word in found}


known = options(output("sh", os.path.join(TOP, "configure"), "--help=short"))
for name in glob.glob(os.path.join(PACKAGING, "**/*"), recursive=True):
    if not os.path.isfile(name) or name.endswith(".pyc"):
        continue
    text = read(name)
    for option in options(text) - known:
        complain(f"{name}: configure has no --{option}")
    for url in re.findall(r"(?:https?|git)://([^/\s\"']+)", text):
        if url not in ("example.org", "www.debian.org", "raw.githubusercontent.com"):
            complain(f"{name}: names the host {url}")
    if re.search(r"(?<![\w.])/(?:work|tmp/w|home|root)/", text):
        complain(f"{name}: names a folder of one machine")

# Containers take their packages from prepare.sh itself; Debian's list is the same but for what every build there has.
stage = read(PACKAGING, "container/stage.sh")
if "source build-aux/prepare.sh" not in stage or "$packages_build" not in stage:
    complain("container/stage.sh does not take packages_build of build-aux/prepare.sh")
for name in ("container/Dockerfile", "container/lamella.def"):
    if "stage.sh build" not in read(PACKAGING, name) or "stage.sh run" not in read(PACKAGING, name):
        complain(f"{name} does not build by stage.sh")
control = read(PACKAGING, "debian/control")
asked = set(re.findall(r"[a-z][a-z0-9.+-]+", re.search(r"^Build-Depends:(.*?)^[A-Z]", control, re.M | re.S).group(1)))
essential = {"autoconf", "automake", "gcc", "git", "libc6-dev", "make"}  # git: for clones
for package in set(shell_words("packages_build")) - essential - asked:
    complain(f"debian/control: Build-Depends lacks {package}")
tools = control.split("Package: python3-lamella")[1]
for package in set(shell_words("packages_picture")) - {"python3"}:
    if f" {package}," not in tools:
        complain(f"debian/control: python3-lamella lacks {package}")

# Every file of make install is in a package: pages of commands, and tools.
pages = set(re.findall(r"usr/share/man/man1/(\S+)", read(PACKAGING, "debian/lamella.install")))
commands = re.search(r"^command_pages = (.*?)\n(?!  )", read(TOP, "Makefile.am"), re.M | re.S).group(1).replace("\\", "").split()
if pages != {"lamella.1", *commands}:
    complain(f"debian/lamella.install: pages {sorted(pages ^ {'lamella.1', *commands})}")
tools = re.search(r"^bin_SCRIPTS = (.*)", read(TOP, "Makefile.am"), re.M).group(1).split()
for name in ("debian/rules", "debian/python3-lamella.install"):
    for tool in tools:
        if tool not in read(PACKAGING, name):
            complain(f"{name}: lacks {tool}")

# A release is written into a copy.
with tempfile.TemporaryDirectory() as work:
    copy = os.path.join(work, "packaging")
    shutil.copytree(PACKAGING, copy)
    subprocess.run(["chmod", "-R", "u+w", copy], check=True)
    tarball = os.path.join(work, "lamella-9.8.7.tar.gz")
    with open(tarball, "w") as file:
        file.write("a release\n")
    checksum = output("sha256sum", tarball).split()[0]
    output("sh", os.path.join(copy, "release.sh"), tarball, "https://example.org/releases/lamella-9.8.7.tar.gz")
    for name, found in versions(copy):
        if found != "9.8.7":
            complain(f"release.sh leaves {name} at {found}")
    for name in ["conda/recipe.yaml", "spack/spack_repo/lamella/packages/lamella/package.py"] + [
            os.path.relpath(name, copy) for name in glob.glob(os.path.join(copy, "easybuild/*"))]:
        if checksum not in read(copy, name) or "example.org/releases" not in read(copy, name):
            complain(f"release.sh does not write checksum and place into {name}")
    ast.parse(read(copy, "spack/spack_repo/lamella/packages/lamella/package.py"))
    first = {name: read(copy, name) for name in ("debian/changelog", "conda/recipe.yaml")}
    output("sh", os.path.join(copy, "release.sh"), tarball, "https://example.org/releases/lamella-9.8.7.tar.gz")
    if any(read(copy, name) != text for name, text in first.items()):
        complain("release.sh twice is not release.sh once")

sys.exit(bool(failed))
