"""What upstream.toml says, as types: the components, what is built for each and where it is published."""

import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

RECIPES = Path(__file__).parent.parent / "upstream.toml"
# Part of every stamp: raise it when the programs here start to build or publish something differently.
GENERATION = 1
COMPILED_FROM = ["module", "packages", "cgo", "tags", "ldflags", "staging", "stamp", "source", "code", "omit",
                 "requirements", "replace"]


@dataclass(frozen=True, eq=False)
class Component:
    """One component in one version, its words filled in."""

    name: str
    version: str
    default: bool
    spec: dict

    @property
    def title(self):
        return f"{self.name} {self.version}"

    @property
    def arches(self):
        return self.spec.get("arches", ["amd64"])

    @property
    def modules(self):
        return self.spec["module"]

    def files(self, arch):
        return _fill(self.spec.get("file", []), {"arch": arch})

    @property
    def images(self):
        return self.spec.get("image", [])

    def build_stamp(self, arch):
        """Changes whenever what the compiler sees does, so that a stale program is never taken for a good one."""
        return stamp_of([self.version, arch, {key: self.spec[key] for key in COMPILED_FROM if key in self.spec}])


def stamp_of(value):
    """A short name for a nested value."""
    text = json.dumps([GENERATION, value], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def load():
    """All components by NAME and NAME@VERSION, and the Debian layers by name."""
    with open(RECIPES, "rb") as source:
        data = tomllib.load(source)
    components = {}
    for spec in data["component"]:
        spec = dict(spec)
        name, default = spec.pop("name"), spec.pop("default", False)
        first, also = spec.pop("version"), spec.pop("also", [])
        for version in [first, *also]:
            words = {"version": version, "minor": version.rsplit(".", 1)[0]}
            component = Component(name, version, default and version == first, _fill(spec, words))
            components[f"{name}@{version}"] = component
        components[name] = components[f"{name}@{first}"]
    return components, {layer["name"]: layer for layer in data["layer"]}


def choose(components, names, everything):
    """The components to work on: those named, or all of them, or the default set."""
    if everything:
        chosen = components.values()
    elif names:
        unknown = [name for name in names if name not in components]
        if unknown:
            known = " ".join(sorted(components))
            raise SystemExit(f"error: no component {', '.join(unknown)} in {RECIPES.name}; known: {known}")
        chosen = [components[name] for name in names]
    else:
        chosen = [component for component in components.values() if component.default]
    return list({f"{c.name}@{c.version}": c for c in chosen}.values())


def _fill(value, words):
    """Replaces {word} in every string of a nested value; unknown words stay for a later turn."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace("{" + word + "}", text)
        return value
    if isinstance(value, list):
        return [_fill(item, words) for item in value]
    if isinstance(value, dict):
        return {_fill(key, words): _fill(item, words) for key, item in value.items()}
    return value
