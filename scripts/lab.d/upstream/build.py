"""Builds what a component consists of into the cache: once per recipe, whole or not at all."""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gomod
from gomod import BuildError
from recipes import stamp_of

C_COMPILER = {"amd64": "gcc", "arm64": "aarch64-linux-gnu-gcc"}


def folder(cache, component, arch):
    """Where the programs of a component are; the folder exists only when all of them do."""
    return Path(cache, "built", f"{component.name}-{component.version}", f"{arch}-{component.build_stamp(arch)}")


def is_built(cache, wanted, arch):
    """Its programs are there, or it has none."""
    return folder(cache, wanted, arch).is_dir() or not (wanted.spec.get("packages") or wanted.spec.get("source"))


def component(cache, wanted, arch, say):
    """Builds one component for one architecture unless that has been done."""
    if is_built(cache, wanted, arch):
        return
    target = folder(cache, wanted, arch)
    target.parent.mkdir(parents=True, exist_ok=True)
    say(f"compiling {wanted.title} for {arch}")
    if wanted.spec.get("note"):
        say(f"note: {wanted.title}: {wanted.spec['note']}")
    with tempfile.TemporaryDirectory(prefix="building-", dir=cache) as work:
        out = Path(work, "out")
        out.mkdir()
        if wanted.spec.get("source") == "c":
            _compile_c(wanted, arch, work, out)
        else:
            gomod.compile_programs(wanted, arch, Path(work, "module"), out)
        for program in out.iterdir():
            program.chmod(0o755)
        out.rename(target)
    for stale in set(target.parent.glob(f"{arch}-*")) - {target}:
        shutil.rmtree(stale)


def download_all(components, say):
    """Fetches the zips of all components at once: waiting for the proxy takes longer than its bytes."""
    failed = {}

    def fetch(wanted):
        try:
            gomod.download(wanted, "/")
        except BuildError as error:
            failed[wanted.title] = str(error)

    say(f"fetching the modules of {len(components)} components")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fetch, components))
    return failed


def layer(cache, spec, say):
    """A folder with the files of some Debian packages and all they depend on."""
    target = Path(cache, "built", f"layer-{spec['name']}", stamp_of(spec))
    if target.is_dir():
        return target
    say(f"unpacking Debian packages for the layer {spec['name']}: {' '.join(spec['packages'])}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=cache) as work:
        archives, root = Path(work, "archives"), Path(work, "root")
        Path(archives, "partial").mkdir(parents=True)
        root.mkdir()
        _download_debs(archives, spec["packages"])
        for deb in sorted(archives.glob("*.deb")):
            gomod.run(["dpkg-deb", "-x", str(deb), str(root)], work)
        for path in spec["drop"]:
            shutil.rmtree(Path(root, path), ignore_errors=True)
        for link, to in spec["links"].items():
            Path(root, link).symlink_to(to)
        for applet in spec["applets"]:
            if not any(os.path.lexists(Path(root, place, applet)) for place in ("bin", "sbin", "usr/bin", "usr/sbin")):
                Path(root, "bin", applet).symlink_to("busybox")
        root.rename(target)
    return target


def _download_debs(archives, packages):
    # an empty status file: as if nothing were installed, so that apt names the whole closure
    command = ["apt-get", "-q", "-y", "--no-install-recommends", "--download-only", "-o", "Dir::State::status=/dev/null",
               "-o", f"Dir::Cache::archives={archives}", "-o", "APT::Sandbox::User=root", "install", *packages]
    gomod.run(command, "/", dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def _compile_c(wanted, arch, work, out):
    gomod.download(wanted, "/")
    source = Path(work, Path(wanted.spec["code"]).name)
    gomod.unzip(wanted, "/", wanted.spec["code"], source)
    if not shutil.which(C_COMPILER[arch]):
        raise BuildError(f"{C_COMPILER[arch]} is not installed")
    gomod.run([C_COMPILER[arch], "-Os", "-Wall", "-static", f"-DVERSION=v{wanted.version}", "-o", f"{out}/{wanted.name}", str(source)], work)
    strip = C_COMPILER[arch].replace("gcc", "strip")
    subprocess.run([strip, f"{out}/{wanted.name}"], check=False)
