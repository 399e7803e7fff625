#!/usr/bin/env python3
"""changes.py FOLDER ROOT [--full]: the files of a node that differ from its first start, one line each.

A added, C changed, D deleted. The node's own layer (overlayfs) lists them; a file that was only touched and has its old
content and mode is none. A folder that is new as a whole is one line with its number of files, unless --full is given.
"""

import os
import stat
import sys
from fnmatch import fnmatch
from pathlib import Path

# Written by any start of any machine, whether something was installed or not.
NOISE = [
    "/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog", "/var/lib/systemd/random-seed", "/var/lib/systemd/timers*", "/etc/.pwd.lock", "/var/log/journal/*",
    "/run*", "/tmp/systemd-private-*", "/var/tmp/systemd-private-*",
]


def main():
    folder, root = Path(sys.argv[1]), Path(sys.argv[2])
    full = "--full" in sys.argv[3:]
    lowers = [folder / "seed", root]
    found = dict(layer_changes(folder / "upper", lowers))
    found.update(plain_changes(folder / "plain", folder / "plain-seed"))
    found = {path: kind for path, kind in found.items() if not is_noise(path)}
    for line in sorted(found if full else folded(found)):
        print(f"{found[line]} {line}" if full else line)


def layer_changes(upper, lowers):
    """(path, kind) of everything that the upper layer adds, changes or hides."""
    for base, folders, files in os.walk(upper):
        inside = "/" + os.path.relpath(base, upper) if base != str(upper) else ""
        for name in sorted(folders + files):
            path, full = f"{inside}/{name}", os.path.join(base, name)
            state = os.lstat(full)
            below = first_below(path, lowers)
            if stat.S_ISCHR(state.st_mode) and state.st_rdev == 0:
                if below is not None:
                    yield path, "D"
            elif below is None:
                yield path, "A"
            elif differs(full, state, below):
                yield path, "C"
            if stat.S_ISDIR(state.st_mode) and below is not None and is_opaque(full):
                yield from hidden(path, full, lowers)


def first_below(path, lowers):
    for lower in lowers:
        if os.path.lexists(f"{lower}{path}"):
            return f"{lower}{path}"
    return None


def differs(path, state, below):
    other = os.lstat(below)
    if stat.S_IFMT(state.st_mode) != stat.S_IFMT(other.st_mode) or state.st_mode != other.st_mode:
        return True
    if (state.st_uid, state.st_gid) != (other.st_uid, other.st_gid):
        return True
    if stat.S_ISLNK(state.st_mode):
        return os.readlink(path) != os.readlink(below)
    if stat.S_ISREG(state.st_mode):
        return state.st_size != other.st_size or Path(path).read_bytes() != Path(below).read_bytes()
    return False


def is_opaque(path):
    try:
        return os.getxattr(path, "trusted.overlay.opaque") == b"y"
    except OSError:
        return False


def hidden(path, full, lowers):
    """What a folder that was deleted and made again hides of the one below."""
    for lower in lowers:
        if os.path.isdir(f"{lower}{path}"):
            for name in os.listdir(f"{lower}{path}"):
                if not os.path.lexists(os.path.join(full, name)):
                    yield f"{path}/{name}", "D"


def plain_changes(plain, seed):
    """The same for the folders that are no overlay: all of it is new but what the variant put there."""
    mount_points = {f"/{path.relative_to(plain)}" for path in [plain / "var", plain / "var/lib", *plain.glob("var/lib/*")]}
    for path, kind in layer_changes(plain, [seed]):
        if path not in mount_points:
            yield path, kind
    for base, folders, files in os.walk(seed):
        for name in folders + files:
            path = os.path.join(base, name)[len(str(seed)):]
            if not os.path.lexists(f"{plain}{path}"):
                yield path, "D"


def is_noise(path):
    return any(fnmatch(path, pattern) for pattern in NOISE)


def folded(found):
    """New folders as one line each."""
    for path, kind in found.items():
        parent = os.path.dirname(path)
        if kind == "A" and found.get(parent) == "A":
            continue
        inside = sum(1 for other in found if other.startswith(path + "/")) if kind == "A" else 0
        yield f"{kind} {path}" + (f"/ ({inside} inside)" if inside else "")


if __name__ == "__main__":
    main()
