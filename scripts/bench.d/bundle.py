"""bundle.py: images of a local registry to one signed file, side by side with skopeo and crane (and zarf), in one run.

Every contender begins with an empty cache and ends with one .tar.zst on the same disk. Prints a table, or with --json one object.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("bundle", "work", "skopeo", "crane", "zarf", "address"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--all-peers", action="store_true")
    return parser.parse_args()


def disk(folder):
    """Bytes that a folder takes now."""
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def measure(commands, folder):
    """Seconds and peak disk of commands run one after the other in a folder."""
    peak, stop = [0], threading.Event()

    def watch():
        while not stop.wait(0.2):
            peak[0] = max(peak[0], disk(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    for command in commands:
        process = subprocess.Popen(command, shell=isinstance(command, str), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, errors = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"{command} failed: {errors.decode()[-2000:]}")
    seconds = time.perf_counter() - start
    stop.set()
    watcher.join()
    return seconds, max(peak[0], disk(folder))


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def manifest(address, names):
    containers = "".join(f"  - {{name: {name}, image: '{address}/{name}:v1'}}\n" for name in names)
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: bench}}\nspec:\n  containers:\n{containers}"


def zarf(address, names):
    images = "".join(f"  - {address}/{name}:v1\n" for name in names)
    return f"kind: ZarfPackageConfig\nmetadata: {{name: bench, version: 0.0.1}}\ncomponents:\n- name: bench\n  required: true\n  images:\n{images}"


CLUSTER = """apiVersion: kubexm.io/v1alpha1
kind: Cluster
metadata: {name: bench}
spec:
  hosts: [{name: a, address: 10.0.0.1, roles: [master, worker, registry]}]
  kubernetes: {version: v1.34.4}
  network: {plugin: cilium}            # comes as a chart: the only manifest is the one below
  addons: [{name: bench, manifests: [./bench.yaml]}]
"""


def main():
    args = arguments()
    work = pathlib.Path(args.work)
    names = [f"image{number}" for number in range(14)]

    def ours(folder, names=names):
        (folder / "bench.yaml").write_text(manifest(args.address, names))
        (folder / "cluster.yaml").write_text(CLUSTER)
        if not (folder / "key").exists():
            subprocess.run([args.bundle, "keygen", "--no-passphrase", "key"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        build = [args.bundle, "build", "--key", "key", "--only", "manifests", "--plain-http", args.address, "--cache-dir", str(folder / "cache"), "-o", "out.tar.zst"]
        return build

    results = {}
    best = None
    for _ in range(args.rounds):
        folder = fresh(work / "kubexm")
        build = ours(folder)
        cold = measure([build], folder)
        again = measure([build], folder)
        if best is None or cold[0] < best[0][0]:
            best = (cold, again, (folder / "out.tar.zst").stat().st_size)
        peers = {
            "skopeo": [f"{args.skopeo} copy --quiet --src-tls-verify=false docker://{args.address}/{name}:v1 oci:oci:{name}" for name in names],
            "crane": [f"{args.crane} pull --insecure --format=oci " + " ".join(f"{args.address}/{name}:v1" for name in names) + " oci"],
        }
        peers = {peer: [*commands, "tar -cf - oci | zstd -q -T0 -o out.tar.zst"] for peer, commands in peers.items()}
        if args.all_peers:
            peers["zarf"] = [f"{args.zarf} package create . --confirm --skip-sbom --plain-http --zarf-cache cache -o out"]
        for peer, commands in peers.items():
            folder = fresh(work / peer)
            if peer == "zarf":
                (folder / "zarf.yaml").write_text(zarf(args.address, names))
            found = measure(commands, folder)
            if peer not in results or found[0] < results[peer][0]:
                results[peer] = found
    cold, again, size = best
    # One image more than last time: only that one is fetched, and everything is written.
    folder = fresh(work / "kubexm")
    measure([ours(folder, names[:-1])], folder)
    added = measure([ours(folder)], folder)
    verify = measure([[args.bundle, "verify", str(work / "kubexm/out.tar.zst"), "--key", str(work / "kubexm/key.pub")]], work / "kubexm")
    fastest = min(seconds for seconds, _ in results.values())
    answer = {
        "ratio_to_fastest": round(cold[0] / fastest, 3),
        "rebuild_ratio": round(again[0] / cold[0], 3),
        "one_image_added_ratio": round(added[0] / cold[0], 3),
        "seconds": round(cold[0], 2),
        "verify_bytes_per_second": round(size / verify[0]),
        "peak_disk_bytes": cold[1],
        "size_bytes": size,
        "peers": {name: round(seconds, 2) for name, (seconds, _) in results.items()},
    }
    answer["peak_rss_bytes"] = peak_memory(ours, work)
    if args.json:
        print(json.dumps(answer))
        return
    print(f"{'what':<28}{'seconds':>9}{'ratio':>8}{'peak disk':>12}")
    print(f"{'kubexm-bundle, cold':<28}{cold[0]:>9.2f}{1:>8.2f}{cold[1] / 1e6:>9.0f} MB")
    print(f"{'kubexm-bundle, again':<28}{again[0]:>9.2f}{again[0] / cold[0]:>8.2f}")
    print(f"{'kubexm-bundle, 1 of 14 added':<28}{added[0]:>9.2f}{added[0] / cold[0]:>8.2f}")
    for name, (seconds, peak) in results.items():
        print(f"{name if name == 'zarf' else name + ' + tar + zstd -T0':<28}{seconds:>9.2f}{seconds / cold[0]:>8.2f}{peak / 1e6:>9.0f} MB")
    print(f"bundle {size / 1e6:.0f} MB, peak memory {answer['peak_rss_bytes'] / 1e6:.0f} MB, verify {answer['verify_bytes_per_second'] / 1e9:.2f} GB/s")
    print(f"cold build / fastest peer: {answer['ratio_to_fastest']}; rebuild / cold build: {answer['rebuild_ratio']}")


def peak_memory(ours, work):
    """Peak memory of one cold build, in a process of its own: the kernel counts the largest child only."""
    folder = fresh(work / "memory")
    build = ours(folder)
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"
    found = subprocess.run(["python3", "-c", code, *build], cwd=folder, check=True, capture_output=True, text=True)
    return int(found.stdout)


main()
