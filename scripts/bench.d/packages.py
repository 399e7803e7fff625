"""Closure of 25 packages from the whole index of Debian 12, after its download: time and peak memory of the whole process."""

import argparse
import json
import pathlib
import resource
import subprocess
import time

CLUSTER = """apiVersion: kubexm.io/v1alpha1
kind: Cluster
metadata: {name: bench}
spec:
  hosts:
  - {name: cp1, address: 10.0.0.11, roles: [master, etcd, worker], arch: amd64}
  - {name: reg, address: 10.0.0.10, roles: [registry], arch: amd64}
  kubernetes: {version: v1.34.4}
  system:
    os: [{name: debian, version: "12"}]
    debs: [nginx, docker.io, keepalived, haproxy, git, vim, curl, rsync, tcpdump, openssh-server, lvm2, python3, perl, gnupg, jq, ipvsadm]
"""
ROUNDS = 7


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    cluster = args.work / "cluster.yaml"
    cluster.write_text(CLUSTER)
    lock = args.work / "cluster.lock"
    command = [args.bundle, "lock", "-f", cluster, "--only", "packages", "--lock", lock, "--cache-dir", args.work / "cache", "--no-progress"]
    wanted = json.loads(subprocess.run([args.bundle, "bom", "-f", cluster, "-o", "json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    wanted = sum(entry["kind"] == "package" for entry in wanted["entries"])
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    chosen = sum(line.startswith("- kind: package") for line in lock.read_text().splitlines())
    figures = {
        "wanted": wanted,
        "chosen": chosen,
        "best_seconds": round(min(times), 2),
        "median_seconds": round(sorted(times)[ROUNDS // 2], 2),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }
    if args.json:
        print(json.dumps(figures))
    else:
        print("{wanted} packages wanted, {chosen} in the closure: best {best_seconds} s, median {median_seconds} s, peak memory {peak_mib} MiB".format(**figures))


main()
