"""images.py FOLDER MEGABYTES: makes OCI layouts of 14 images out of real programs, at least so many MB of compressed layers.

Every image has one layer of its own and shares one with all others. The programs are those of the lab's upstream and of this
machine's own compilers and libraries; what matters is that they compress and hash as programs do.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
from concurrent.futures import ProcessPoolExecutor

IMAGES = 14


def sources():
    """Large plain files, the largest first."""
    home = pathlib.Path.home()
    cache = pathlib.Path(os.environ.get("KUBEXM_LAB_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "kubexm-lab")
    folders = [cache / "built", pathlib.Path("/usr/local/go"), pathlib.Path("/usr/lib/x86_64-linux-gnu"), home / ".rustup/toolchains", pathlib.Path("/usr/bin")]
    files = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size > 200_000:
                files.setdefault(path.stat().st_ino, path)
    return sorted(files.values(), key=lambda path: (-path.stat().st_size, str(path)))


def layer(job):
    """One gzipped layer; returns its path, its digest, its size and the digest of its plain text."""
    target, paths = job
    plain = hashlib.sha256()

    class Hashing(io.RawIOBase):
        def __init__(self, out):
            self.out = out

        def writable(self):
            return True

        def write(self, data):
            plain.update(data)
            self.out.write(data)
            return len(data)

    with open(target, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1, mtime=0) as packed:
        with tarfile.open(fileobj=Hashing(packed), mode="w|") as tar:
            for path in paths:
                info = tarfile.TarInfo(str(path).lstrip("/"))
                info.size, info.mode = path.stat().st_size, 0o755
                with open(path, "rb") as data:
                    tar.addfile(info, data)
    data = hashlib.sha256()
    with open(target, "rb") as packed:
        while chunk := packed.read(1 << 20):
            data.update(chunk)
    return target, "sha256:" + data.hexdigest(), os.path.getsize(target), "sha256:" + plain.hexdigest()


def put(folder, data):
    digest = hashlib.sha256(data).hexdigest()
    (folder / "blobs/sha256" / digest).write_bytes(data)
    return {"digest": "sha256:" + digest, "size": len(data)}


def image(folder, layers):
    (folder / "blobs/sha256").mkdir(parents=True, exist_ok=True)
    for path, digest, _, _ in layers:
        target = folder / "blobs/sha256" / digest.removeprefix("sha256:")
        if not target.exists():
            os.link(path, target)
    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [plain for _, _, _, plain in layers]}}
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **put(folder, json.dumps(config).encode())},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": digest, "size": size} for _, digest, size, _ in layers],
    }
    entry = {"mediaType": manifest["mediaType"], **put(folder, json.dumps(manifest).encode()), "platform": {"architecture": "amd64", "os": "linux"}, "annotations": {"org.opencontainers.image.ref.name": "v1"}}
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


def main():
    folder, wanted = pathlib.Path(sys.argv[1]), int(sys.argv[2]) * 1_000_000
    done = folder / "done"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    # Programs come down to a good third when they are compressed; what is left over stays unused.
    buckets, sizes = [[] for _ in range(IMAGES + 1)], [0] * (IMAGES + 1)
    for path in sources():
        smallest = sizes.index(min(sizes))
        buckets[smallest].append(path)
        sizes[smallest] += path.stat().st_size
        if sum(sizes) > wanted * 3.2:
            break
    with ProcessPoolExecutor() as pool:
        layers = list(pool.map(layer, [(str(folder / f"layer{number}"), paths) for number, paths in enumerate(buckets)]))
    total = sum(size for _, _, size, _ in layers)
    if total < wanted:
        sys.exit(f"only {total} bytes of layers could be made, {wanted} are wanted")
    for number in range(IMAGES):
        image(folder / f"image{number}", [layers[IMAGES], layers[number]])
    done.write_text(str(total))


main()
