#!/usr/bin/env python3
"""Makes a wheel of python/gbv with the library inside, and every library that it needs and a bare machine may lack.

    tools/make_wheel.py LIBGBV FOLDER        writes FOLDER/gbv-VERSION-py3-none-manylinux_X_Y_ARCHITECTURE.whl

Only glibc's own libraries are left out: the tag says which version of it is needed, from the symbols that are used. The
others get a name with a hash of their content, as auditwheel does it, so that a process in which another package has
brought its own OpenBLAS or OpenMP keeps both apart; they find each other by $ORIGIN. Their licences go along.
"""
import glob
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GLIBC = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec))\.so(\.\d+)?$")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def needed_libraries(library):
    """Every library that this one needs, directly or not: the name it is needed by -> its file."""
    found = {}
    for line in run("ldd", library).splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        name = os.path.basename(name.split()[0])
        if GLIBC.match(name):
            continue
        if not arrow or rest.startswith("not found"):
            sys.exit(f"make_wheel: {library} needs {name}, which is not on this machine: install it")
        found[name] = os.path.realpath(rest.split()[0])
    return found


def copy_libraries(library, folder):
    """libgbv.so and what it needs, in one folder; the file each was copied from."""
    os.makedirs(folder)
    sources, names = {"libgbv.so": library}, {}
    for name, path in needed_libraries(library).items():
        with open(path, "rb") as file:
            mark = hashlib.sha256(file.read()).hexdigest()[:8]
        stem, dot, version = name.partition(".so")
        names[name] = f"{stem}-{mark}{dot}{version}"
        sources[names[name]] = path
    for name, path in sources.items():
        copied = os.path.join(folder, name)
        shutil.copyfile(path, copied)
        os.chmod(copied, 0o755)
        run("strip", "--strip-unneeded", copied)
        # One change a call: patchelf 0.14 mixes up the arguments of several.
        for old in run("patchelf", "--print-needed", copied).split():
            if old in names:
                run("patchelf", "--replace-needed", old, names[old], copied)
        run("patchelf", "--set-soname", name, copied)
        run("patchelf", "--set-rpath", "$ORIGIN", copied)
    return sources


def copy_licences(sources, folder):
    """The copyright file of each Debian package that a library came from; elsewhere there is none to be found."""
    os.makedirs(folder)
    shutil.copyfile(os.path.join(ROOT, "LICENSE"), os.path.join(folder, "gbv.txt"))
    for name, path in sources.items():
        if name == "libgbv.so":
            continue
        # Where /lib is a link to /usr/lib, dpkg knows some files by the one name and some by the other.
        known = [path, path[len("/usr"):]] if path.startswith("/usr/") else [path]
        owners = subprocess.run(["dpkg-query", "-S", *known], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True, check=False).stdout.splitlines()
        if not owners:
            sys.exit(f"make_wheel: no Debian package owns {path}, so that its licence is not known")
        package = owners[0].split(":")[0]
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", os.path.join(folder, f"{package}.txt"))


def needed_glibc(folder):
    versions = [tuple(map(int, found)) for path in glob.glob(os.path.join(folder, "*"))
                for found in re.findall(r"\bGLIBC_(\d+)\.(\d+)", run("readelf", "--version-info", "--wide", path))]
    return max(versions)


def main():
    library, target = (os.path.realpath(path) for path in sys.argv[1:3])
    stage = os.path.join(target, "stage")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "python"), stage,
                    ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "lib", "licenses"))
    libraries = os.path.join(stage, "gbv", "lib")
    sources = copy_libraries(library, libraries)
    copy_licences(sources, os.path.join(stage, "gbv", "licenses"))
    tag = "manylinux_{}_{}_{}".format(*needed_glibc(libraries), platform.machine())
    debian = "/usr/bin/python3"  # has the setuptools that tools/setup.sh installs
    run(debian if os.path.exists(debian) else sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation",
        "--no-deps", "--no-index", "--disable-pip-version-check", "--wheel-dir", target, stage,
        env={**os.environ, "GBV_WHEEL_PLATFORM": tag, "SOURCE_DATE_EPOCH": "315532800"})
    shutil.rmtree(stage)
    [wheel] = glob.glob(os.path.join(target, "*.whl"))
    print(f"{os.path.relpath(wheel)}: {os.path.getsize(wheel) / 1e6:.1f} MB with {len(sources)} libraries")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools/make_wheel.py LIBGBV FOLDER")
    main()
