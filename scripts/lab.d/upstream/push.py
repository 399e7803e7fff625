"""Pushes the images of the store into a registry, as any client would; what is there already is left alone."""

import http.client
import json
import ssl
from urllib.parse import urlsplit

from images import Store, reachable


class Registry:
    """One connection to a registry."""

    def __init__(self, host, ca):
        self.connection = http.client.HTTPSConnection(host, context=ssl.create_default_context(cafile=ca), timeout=60)

    def call(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body=body, headers=headers or {})
        answer = self.connection.getresponse()
        answer.read()
        return answer

    def expect(self, status, method, path, **arguments):
        answer = self.call(method, path, **arguments)
        if answer.status != status:
            raise SystemExit(f"error: {method} {path}: the registry answers {answer.status} {answer.reason}")
        return answer


def push_all(cache, host, ca, say):
    """Every image as HOST/<its full name>: one registry stands for all upstream ones."""
    store, registry = Store(cache), Registry(host, ca)
    pushed = 0
    for image, descriptor in store.images().items():
        repository, tag = image.rsplit(":", 1)
        present = registry.call("HEAD", f"/v2/{repository}/manifests/{tag}", headers={"Accept": descriptor["mediaType"]})
        if present.status == 200 and present.getheader("Docker-Content-Digest") == descriptor["digest"]:
            continue
        _push(store, registry, repository, tag, descriptor)
        pushed += 1
    say(f"the registry has {len(store.images())} images, {pushed} of them new")


def _push(store, registry, repository, tag, descriptor):
    index = json.loads(store.blob(descriptor["digest"]).read_text())
    manifests = {entry["digest"]: entry["mediaType"] for entry in index["manifests"]}
    manifests[descriptor["digest"]] = descriptor["mediaType"]
    for digest in reachable(store, descriptor):
        if digest in manifests:
            name = tag if digest == descriptor["digest"] else digest
            registry.expect(201, "PUT", f"/v2/{repository}/manifests/{name}", body=store.blob(digest).read_bytes(),
                            headers={"Content-Type": manifests[digest]})
        elif registry.call("HEAD", f"/v2/{repository}/blobs/{digest}").status != 200:
            _upload(store, registry, repository, digest)


def _upload(store, registry, repository, digest):
    started = registry.expect(202, "POST", f"/v2/{repository}/blobs/uploads/")
    location = urlsplit(started.getheader("Location"))
    path = store.blob(digest)
    with open(path, "rb") as content:
        registry.expect(201, "PUT", f"{location.path}?{location.query}&digest={digest}", body=content,
                        headers={"Content-Type": "application/octet-stream", "Content-Length": str(path.stat().st_size)})
