"""Lays programs out as the real release hosts publish them: their paths, archives and checksum files."""

import hashlib
import json
import tempfile
from pathlib import Path

import build
import gomod
import recipes
import tarball


def publish(cache, component, say):
    """Writes all files of a component below www/, each with its checksum file."""
    for arch in component.arches:
        for spec in component.files(arch):
            target, stamp, wanted = _stamped(cache, component, arch, spec)
            if _is_current(target, stamp, wanted):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            stamp.parent.mkdir(parents=True, exist_ok=True)
            _write_atomically(target, lambda path: _content(cache, component, arch, spec, path))
            _write_checksum(target, spec)
            if spec.get("index"):
                _write_index(cache, spec["index"], target, spec["url"])
            stamp.write_text(wanted)
            say(f"published {spec['url']}")


def is_published(cache, component):
    """All its files are there, made from the programs and the recipe as they are now."""
    return all(_is_current(*_stamped(cache, component, arch, spec)) for arch in component.arches for spec in component.files(arch))


def _stamped(cache, component, arch, spec):
    wanted = f"{component.build_stamp(arch)} {sorted(spec.items())}"
    return Path(cache, "www", spec["url"]), Path(cache, "stamps", spec["url"]), wanted


def _is_current(target, stamp, wanted):
    return target.exists() and stamp.exists() and stamp.read_text() == wanted


def _write_atomically(target, write):
    part = target.with_name(f".{target.name}.part")
    write(part)
    part.chmod(0o644)
    part.rename(target)


def _content(cache, component, arch, spec, path):
    programs = build.folder(cache, component, arch)
    if spec.get("members"):
        _archive(cache, component, arch, spec["members"], path)
    elif spec.get("chart"):
        _chart(component, spec["chart"], path)
    elif spec.get("kustomize"):
        _kustomize(cache, component, spec["kustomize"], path)
    elif spec["from"].startswith("zip:"):
        gomod.unzip(component, "/", spec["from"][4:], path)
    else:
        path.write_bytes(Path(programs, spec["from"]).read_bytes())


def _archive(cache, component, arch, members, path):
    entries, programs = [], build.folder(cache, component, arch)
    with tempfile.TemporaryDirectory() as work:
        for member, source in members.items():
            if source == "*":
                entries += [(member + program.name, program, {}) for program in programs.iterdir()]
            elif source.startswith("zip:"):
                copy = Path(work, source[4:].replace("/", "_"))
                gomod.unzip(component, "/", source[4:], copy)
                entries.append((member, copy, {"mode": 0o644}))
            elif ":" in source:
                entries.append((member, _from_elsewhere(cache, arch, source), {}))
            else:
                entries.append((member, Path(programs, source), {}))
        tarball.write_gz(path, entries)


def _from_elsewhere(cache, arch, source):
    """A program of another component ("of:NAME:program") or out of a Debian layer ("layer:NAME:path")."""
    kind, name, path = source.split(":")
    components, layers = recipes.load()
    found = build.layer(cache, layers[name], lambda _: None) if kind == "layer" else build.folder(cache, components[name], arch)
    if not Path(found, path).exists():
        raise gomod.BuildError(f"{path} of {name} is needed: build {name} first")
    return Path(found, path)


def _chart(component, inside, path):
    with tempfile.TemporaryDirectory() as work:
        gomod.unzip(component, "/", inside, Path(work, "chart"))
        tarball.write_gz(path, tarball.of_folder(Path(work, "chart"), Path(inside).name))


def _kustomize(cache, component, inside, path):
    """Renders the way the project's own release does it; kubectl brings kustomize along."""
    kubectl = sorted(Path(cache, "built").glob("kubernetes-*/amd64-*/kubectl"))
    if not kubectl:
        raise gomod.BuildError(f"{inside} of {component.title} needs kubectl: build kubernetes first")
    with tempfile.TemporaryDirectory() as work:
        gomod.unzip(component, "/", inside.split("/")[0], Path(work, inside.split("/")[0]))
        path.write_text(gomod.run([str(kubectl[-1]), "kustomize", str(Path(work, inside))], work))


def _write_checksum(target, spec):
    if not spec.get("checksum"):
        return
    file, style = target.with_name(spec["checksum"]), spec["style"]
    digest = sha256(target)
    lines = {}
    if style == "sums" and file.exists():
        lines = {line.split()[1]: line.split()[0] for line in file.read_text().splitlines()}
    lines[target.name] = digest
    text = digest if style == "bare" else "".join(f"{lines[name]}  {name}\n" for name in sorted(lines))
    _write_atomically(file, lambda path: path.write_text(text))


def _write_index(cache, index, chart, url):
    """The index.yaml of a Helm repository, with this chart beside those that were published before."""
    name, version = chart.name.removesuffix(".tgz").rsplit("-", 1)
    known, file = Path(cache, "stamps", f"{index}.json"), Path(cache, "www", index)
    charts = json.loads(known.read_text()) if known.exists() else {}
    charts[version] = {"digest": sha256(chart), "url": f"https://{url}"}
    text = f"apiVersion: v1\nentries:\n  {name}:\n"
    for version, entry in sorted(charts.items(), reverse=True):
        text += f"  - apiVersion: v2\n    name: {name}\n    version: {version}\n    digest: {entry['digest']}\n    urls:\n    - {entry['url']}\n"
    for path, content in ((known, json.dumps(charts)), (file, text)):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, lambda part, content=content: part.write_text(content))


def sha256(path):
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
