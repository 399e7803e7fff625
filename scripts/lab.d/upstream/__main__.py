"""The upstream's own command: build, list, export, push. `scripts/lab upstream` calls it; nobody else needs to."""

import argparse
import os
import signal
import sys
import time

import build
import images
import layout
import push
import recipes
from gomod import BuildError

STARTED = float(os.environ.get("LAB_STARTED") or time.time())


def say(text):
    print(f"[{time.time() - STARTED:7.1f}s] {text}", file=sys.stderr, flush=True)


def build_command(arguments):
    """Builds and publishes; a component that fails is named, and the others go on."""
    components, layers = recipes.load()
    wanted = recipes.choose(components, arguments.components, arguments.all)
    failed = {}
    missing = [component for component in wanted if not is_ready(arguments.cache, component, layers)]
    if missing:
        failed.update(build.download_all(missing, say))
    for component in missing:
        if component.title in failed:
            continue
        try:
            for arch in component.arches:
                build.component(arguments.cache, component, arch, say)
            layout.publish(arguments.cache, component, say)
            images.publish(arguments.cache, component, layers, say)
        except BuildError as error:
            failed[component.title] = str(error)
    for title, reason in failed.items():
        say(f"error: {title} cannot be built and is skipped, with its files and images: {reason}")
    say(f"upstream: {len(wanted) - len(failed)} of {len(wanted)} components are ready")
    return 1 if failed else 0


def is_ready(cache, component, layers):
    """Everything of it has been made, by the recipe as it is now."""
    return (all(build.is_built(cache, component, arch) for arch in component.arches)
            and layout.is_published(cache, component) and images.is_published(cache, component, layers))


def ready_command(arguments):
    """Exit code 0 when nothing is left to build: needs no lock, no compiler and no network."""
    components, layers = recipes.load()
    wanted = recipes.choose(components, arguments.components, arguments.all)
    return 0 if all(is_ready(arguments.cache, component, layers) for component in wanted) else 1


def list_command(arguments):
    components, layers = recipes.load()
    for component in dict.fromkeys(c for name, c in sorted(components.items()) if "@" in name):
        state = "ready" if is_ready(arguments.cache, component, layers) else "not built"
        print(f"{component.name}@{component.version}\t{'default' if component.default else 'on request'}\t{state}")
    for image in images.Store(arguments.cache).images():
        print(f"image\t{image}")
    return 0


def export_command(arguments):
    images.export(arguments.cache, arguments.images, sys.stdout.buffer)
    return 0


def push_command(arguments):
    push.push_all(arguments.cache, arguments.registry, arguments.ca, say)
    return 0


def interrupted(number, _):
    # an exception, so that the compiler that is running ends with us and temporary folders go
    sys.exit(128 + number)


def main():
    parser = argparse.ArgumentParser(prog="upstream")
    parser.add_argument("--cache", required=True)
    commands = parser.add_subparsers(required=True)
    for name, run in (("build", build_command), ("ready", ready_command)):
        command = commands.add_parser(name)
        command.add_argument("--all", action="store_true")
        command.add_argument("components", nargs="*")
        command.set_defaults(run=run)
    commands.add_parser("list").set_defaults(run=list_command)
    command = commands.add_parser("export")
    command.add_argument("images", nargs="+")
    command.set_defaults(run=export_command)
    command = commands.add_parser("push")
    command.add_argument("registry")
    command.add_argument("ca")
    command.set_defaults(run=push_command)
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    sys.exit(arguments.run(arguments))


if __name__ == "__main__":
    main()
