"""Compiles programs out of Go modules, and reads other files out of the module zips."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

JOBS = int(os.environ.get("KUBEXM_LAB_JOBS") or os.cpu_count() or 1)


class BuildError(Exception):
    """A component cannot be had or does not compile; the text says why."""


def run(command, cwd, env=None):
    """Runs one command quietly; its output matters only when it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if not line.startswith("go: downloading")]
        # the proxy's address is this machine's own business, not the reader's
        shown = re.sub(r"https?://[^\s/]+", "<module proxy>", "\n".join(lines[-12:]))
        raise BuildError(f"{' '.join(command[:3])} … failed:\n{shown}")
    return done.stdout


def environment(component, arch):
    env = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false -trimpath", GOARCH=arch, GOOS="linux",
               CGO_ENABLED="1" if component.spec.get("cgo") else "0")
    if component.spec.get("sumless"):
        env["GONOSUMDB"] = ",".join(module.split("@")[0] for module in component.modules)
    if component.spec.get("cgo") and arch == "arm64":
        env["CC"] = "aarch64-linux-gnu-gcc"
    return env


def download(component, cwd):
    """Brings the zips of the component's own modules into Go's cache."""
    env = environment(component, "amd64")
    env["GOFLAGS"] = ""
    for module in component.modules:
        run(["go", "mod", "download", module], cwd, env)


def zip_of(component, cwd, which=0):
    """The zip of one of the component's modules."""
    cache = run(["go", "env", "GOMODCACHE"], cwd).strip()
    path, version = component.modules[which].split("@")
    escaped = re.sub("[A-Z]", lambda letter: "!" + letter.group().lower(), path)
    return Path(cache, "cache/download", escaped, "@v", version + ".zip"), f"{path}@{version}/"


def unzip(component, cwd, inside, target):
    """Copies a file or a folder of the module zip to target."""
    archive, root = zip_of(component, cwd)
    found = False
    with zipfile.ZipFile(archive) as zipped:
        for name in zipped.namelist():
            if name == root + inside or name.startswith(root + inside.rstrip("/") + "/" if inside else root):
                rest = name[len(root + inside):].lstrip("/")
                path = Path(target, rest) if rest else Path(target)
                path.parent.mkdir(parents=True, exist_ok=True)
                with zipped.open(name) as source, open(path, "wb") as copy:
                    shutil.copyfileobj(source, copy)
                found = True
    if not found:
        raise BuildError(f"{inside} is not in {archive.name} of {component.title}")


def compile_programs(component, arch, work, out):
    """Builds every package of the component into out."""
    work.mkdir(parents=True)
    download(component, "/")
    _write_module(component, work)
    _write_sums(component, work)
    flags = f"-s -w {component.spec.get('ldflags', '')} {_version_stamp(component)}".strip()
    plain = [package for package in component.spec["packages"] if "=" not in package]
    renamed = [package.split("=") for package in component.spec["packages"] if "=" in package]
    base = ["go", "build", "-p", str(JOBS), "-tags", component.spec.get("tags", ""), "-ldflags", flags, "-o"]
    env = environment(component, arch)
    if plain:
        run(base + [f"{out}/", *plain], work, env)
    for package, name in renamed:
        run(base + [f"{out}/{name}", package], work, env)


def _source_without(component, work):
    """The replace line for a copy of the module that lacks some of its files; go refuses to change its own cache."""
    if not component.spec.get("omit"):
        return []
    unzip(component, "/", "", work / "source")
    for file in component.spec["omit"]:
        (work / "source" / file).unlink()
    return [f"{component.modules[0].split('@')[0]} => ./source"]


def _write_module(component, work):
    """A go.mod that requires the component and, up front, all it requires: go then fetches them in parallel."""
    lines, go_version, replaced = [], "1.22", _source_without(component, work)
    for which, module in enumerate(component.modules):
        path, version = module.split("@")
        upstream = _requirements(component, which)
        go_version = max(go_version, re.search(r"^go (\S+)", upstream, re.M).group(1), key=_numbers)
        lines.append(f"require {path} {version}")
        for block in re.findall(r"^require \(\n(.*?)^\)", upstream, re.M | re.S):
            lines.append(f"require (\n{_releases_for_staging(component, block)})")
        replaced += _replacements(component, upstream)
    replaced += component.spec.get("replace", [])
    text = f"module upstream.test/build\n\ngo {go_version}\n\n" + "\n".join(lines)
    text += "\n" + "\n".join(f"replace {line}" for line in dict.fromkeys(replaced)) + "\n"
    Path(work, "go.mod").write_text(text)


def _requirements(component, which):
    """The go.mod of a module; projects from before modules keep theirs under another name inside the zip."""
    archive, root = zip_of(component, "/", which)
    if not component.spec.get("requirements"):
        return archive.with_suffix(".mod").read_text()
    with zipfile.ZipFile(archive) as zipped:
        return zipped.read(root + component.spec["requirements"]).decode()


def _write_sums(component, work):
    """The projects' own go.sum files: what their authors pinned is what has to arrive here."""
    lines = set()
    file = Path(component.spec.get("requirements", "go.mod")).with_suffix(".sum").name
    for which, _ in enumerate(component.modules):
        archive, root = zip_of(component, "/", which)
        with zipfile.ZipFile(archive) as zipped:
            if root + file in zipped.namelist():
                lines.update(zipped.read(root + file).decode().splitlines())
    Path(work, "go.sum").write_text("\n".join(sorted(lines)) + "\n")


def _releases_for_staging(component, block):
    if not component.spec.get("staging"):
        return block
    return re.sub(r"(k8s\.io/[a-z0-9-]+) v0\.0\.0(?=\s)", rf"\1 {_staging_version(component)}", block)


def _replacements(component, upstream):
    """The replace lines of a go.mod that still mean something outside its repository."""
    found = re.findall(r"^(?:replace\s+|\t)(\S+(?: v\S+)? => \S+(?: v\S+)?)", upstream, re.M)
    local = [line.split()[0] for line in found if "=> ./" in line]
    kept = [line for line in found if "=> ./" not in line and "=> ../" not in line]
    if component.spec.get("staging"):
        kept += [f"{module} => {module} {_staging_version(component)}" for module in local]
    return kept


def _staging_version(component):
    return "v0." + component.version.split(".", 1)[1]


def _version_stamp(component):
    """Kubernetes programs learn their version from the linker."""
    major, minor = component.version.split(".")[:2]
    return " ".join(
        f"-X {package}.gitVersion=v{component.version} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
        f" -X {package}.gitTreeState=clean -X {package}.buildDate=2026-01-01T00:00:00Z"
        for package in component.spec.get("stamp", [])
    )


def _numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)]
