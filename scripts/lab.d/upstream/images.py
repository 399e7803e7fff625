"""Images as the real registries hold them: a multi-architecture index over manifests, configurations and gzipped layers."""

import gzip
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import build
import tarball
from recipes import stamp_of

MEDIA_TYPES = {
    "oci": {
        "index": "application/vnd.oci.image.index.v1+json",
        "manifest": "application/vnd.oci.image.manifest.v1+json",
        "config": "application/vnd.oci.image.config.v1+json",
        "layer": "application/vnd.oci.image.layer.v1.tar+gzip",
    },
    "docker": {
        "index": "application/vnd.docker.distribution.manifest.list.v2+json",
        "manifest": "application/vnd.docker.distribution.manifest.v2+json",
        "config": "application/vnd.docker.container.image.v1+json",
        "layer": "application/vnd.docker.image.rootfs.diff.tar.gzip",
    },
}
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Store:
    """Blobs by digest, and for every image the descriptor of its index."""

    def __init__(self, cache):
        self.blobs = Path(cache, "images", "blobs", "sha256")
        self.references = Path(cache, "images", "references")
        self.blobs.mkdir(parents=True, exist_ok=True)

    def blob(self, digest):
        return self.blobs / digest.removeprefix("sha256:")

    def put(self, data):
        digest = hashlib.sha256(data).hexdigest()
        part = self.blobs / f".{digest}.{os.getpid()}"
        part.write_bytes(data)
        part.rename(self.blobs / digest)
        return {"digest": f"sha256:{digest}", "size": len(data)}

    def adopt(self, path):
        """Moves a finished file in."""
        digest, size = _sha256(path), os.path.getsize(path)
        Path(path).rename(self.blobs / digest)
        return {"digest": f"sha256:{digest}", "size": size}

    def reference(self, image):
        name, tag = image.rsplit(":", 1)
        return self.references / name / f"{tag}.json"

    def images(self):
        """Every image of the store with its descriptor, by name."""
        found = {}
        for path in sorted(self.references.rglob("*.json")):
            name = path.relative_to(self.references).parent
            found[f"{name}:{path.name.removesuffix('.json')}"] = json.loads(path.read_text())
        return found

    def descriptor(self, image):
        path = self.reference(image)
        if not path.exists():
            raise SystemExit(f"error: no image {image} in the lab's upstream; see `scripts/lab upstream list`")
        return json.loads(path.read_text())


def publish(cache, component, layers, say):
    """Makes every image of a component unless its recipe and programs are the same as last time."""
    store = Store(cache)
    for spec in component.images:
        image = f"{spec['name']}:{spec['tag']}"
        arches, stamp = _stamped(component, spec, layers)
        if _is_current(store, image, stamp):
            continue
        layer, reference = layers.get(spec.get("layer")), store.reference(image)
        base = build.layer(cache, layer, say) if layer else None
        descriptor = _index(store, component, spec, {arch: build.folder(cache, component, arch) for arch in arches}, base)
        reference.parent.mkdir(parents=True, exist_ok=True)
        part = reference.with_suffix(".part")
        part.write_text(json.dumps({**descriptor, "stamp": stamp}))
        part.rename(reference)
        say(f"made {image} ({', '.join(arches)})")


def is_published(cache, component, layers):
    """All its images are there, made from the programs and the recipe as they are now."""
    store = Store(cache)
    return all(_is_current(store, f"{spec['name']}:{spec['tag']}", _stamped(component, spec, layers)[1]) for spec in component.images)


def _stamped(component, spec, layers):
    """The architectures of an image, and what its bytes depend on."""
    layer = layers.get(spec.get("layer"))
    # packages of the Debian layer are of this machine's architecture
    arches = [arch for arch in component.arches if arch == "amd64" or layer is None]
    return arches, stamp_of([spec, layer, [component.build_stamp(arch) for arch in arches]])


def _is_current(store, image, stamp):
    reference = store.reference(image)
    return reference.exists() and json.loads(reference.read_text())["stamp"] == stamp


def export(cache, names, out):
    """Writes images as one OCI archive that `ctr images import` and skopeo read."""
    store = Store(cache)
    blobs, manifests = {}, []
    for image in names:
        descriptor = {key: value for key, value in store.descriptor(image).items() if key != "stamp"}
        manifests.append({**descriptor, "annotations": {"io.containerd.image.name": image, "org.opencontainers.image.ref.name": image}})
        blobs.update({digest: store.blob(digest) for digest in reachable(store, descriptor)})
    index = {"schemaVersion": 2, "mediaType": MEDIA_TYPES["oci"]["index"], "manifests": manifests}
    entries = [("oci-layout", b'{"imageLayoutVersion":"1.0.0"}', {"mode": 0o644}), ("index.json", _json(index), {"mode": 0o644})]
    entries += [(f"blobs/sha256/{path.name}", path, {"mode": 0o644}) for path in blobs.values()]
    tarball.write(out, entries)


def reachable(store, descriptor):
    """Digests of an index and all below it, parts first."""
    index = json.loads(store.blob(descriptor["digest"]).read_text())
    for entry in index["manifests"]:
        manifest = json.loads(store.blob(entry["digest"]).read_text())
        yield from (part["digest"] for part in [manifest["config"], *manifest["layers"]])
        yield entry["digest"]
    yield descriptor["digest"]


def _index(store, component, spec, programs, base):
    types = MEDIA_TYPES[spec.get("format", "oci")]
    manifests = []
    for arch, folder in programs.items():
        manifest = _manifest(store, component, spec, arch, folder, base, types)
        manifests.append({**manifest, "platform": {"architecture": arch, "os": "linux"}})
    index = store.put(_json({"schemaVersion": 2, "mediaType": types["index"], "manifests": manifests}))
    return {"mediaType": types["index"], **index}


def _manifest(store, component, spec, arch, programs, base, types):
    layers, diff_ids = [], []
    for entries in ([] if base is None else [tarball.of_folder(base, "")]) + [_program_entries(spec, programs)]:
        descriptor, diff_id = _layer(store, tarball.with_folders(entries))
        layers.append({"mediaType": types["layer"], **descriptor})
        diff_ids.append(diff_id)
    config = {
        "architecture": arch, "os": "linux", "created": "2026-01-01T00:00:00Z",
        "config": {
            "Env": [PATH], "WorkingDir": "/", "User": spec.get("user", ""),
            "Entrypoint": spec.get("entrypoint", []), "Cmd": spec.get("command", []),
            "Labels": {"org.opencontainers.image.title": component.name, "org.opencontainers.image.version": component.version},
        },
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    }
    body = {"schemaVersion": 2, "mediaType": types["manifest"],
            "config": {"mediaType": types["config"], **store.put(_json(config))}, "layers": layers}
    return {"mediaType": types["manifest"], **store.put(_json(body))}


def _program_entries(spec, programs):
    low_ports = spec.get("bind_low_ports", [])
    entries = [(path, programs / name, {"bind_low_ports": path in low_ports}) for path, name in spec["paths"].items()]
    # programs look names up and write temporary files: what a base image of the real ones has
    entries += [("etc/passwd", b"root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n", {"mode": 0o644}),
                ("etc/nsswitch.conf", b"hosts: files dns\n", {"mode": 0o644}), ("tmp", None, {"mode": 0o1777})]
    return entries


def _layer(store, entries):
    """One gzipped layer: its descriptor and the digest of what is inside."""
    with tempfile.NamedTemporaryFile(dir=store.blobs, prefix=".layer-", delete=False) as packed:
        with tempfile.TemporaryFile(dir=store.blobs) as plain:
            tarball.write(plain, entries)
            plain.seek(0)
            digest = hashlib.file_digest(plain, "sha256").hexdigest()
            plain.seek(0)
            with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0, compresslevel=5) as compressed:
                shutil.copyfileobj(plain, compressed, 1 << 20)
    return store.adopt(packed.name), f"sha256:{digest}"


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _sha256(path):
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
