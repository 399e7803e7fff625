"""Archives whose bytes depend on their content alone: sorted, no owner, no clock."""

import gzip
import io
import os
import stat
import tarfile

EPOCH = 1767225600  # 2026-01-01, the moment in every archive
# CAP_NET_BIND_SERVICE, permitted and effective, as the kernel stores it in security.capability (version 2).
BIND_LOW_PORTS = bytes([1, 0, 0, 2, 0, 4] + [0] * 14).decode("latin-1")


def write_gz(path, entries):
    """Writes entries (see below) as a gzipped tar."""
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0, compresslevel=6) as packed:
        write(packed, entries)


def write(out, entries):
    """Writes (name, source, options) entries; source is a path, bytes, or ("link", target), or None for a folder."""
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for name, source, options in sorted(entries, key=lambda entry: entry[0]):
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = EPOCH, options.get("mode", 0o755)
            if options.get("bind_low_ports"):
                info.pax_headers["SCHILY.xattr.security.capability"] = BIND_LOW_PORTS
            if source is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            elif isinstance(source, tuple):
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, source[1], 0o777
                archive.addfile(info)
            elif isinstance(source, bytes):
                info.size = len(source)
                archive.addfile(info, io.BytesIO(source))
            else:
                info.size = os.path.getsize(source)
                with open(source, "rb") as content:
                    archive.addfile(info, content)


def with_folders(entries):
    """Adds the folders that lead to the entries: an image layer has to say them all."""
    folders = set()
    for name, _, _ in entries:
        parts = name.split("/")[:-1]
        folders.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    known = {name for name, source, _ in entries}
    return entries + [(folder, None, {}) for folder in folders - known if folder not in ("", ".")]


def of_folder(folder, prefix):
    """The entries of a whole folder on disk; devices and sockets are left out."""
    entries = []
    for base, folders, files in os.walk(folder):
        relative = os.path.relpath(base, folder)
        for name in files + [f for f in folders if os.path.islink(os.path.join(base, f))]:
            path = os.path.join(base, name)
            inside = os.path.normpath(os.path.join(prefix, relative, name))
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                entries.append((inside, ("link", os.readlink(path)), {}))
            elif stat.S_ISREG(mode):
                entries.append((inside, path, {"mode": 0o755 if mode & 0o111 else 0o644}))
    return entries
