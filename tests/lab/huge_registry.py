"""huge_registry.py PORT GIGABYTES: a registry with one image whose only layer is huge and never stands anywhere."""

import hashlib
import http.server
import json
import os
import sys

PORT, SIZE = int(sys.argv[1]), int(sys.argv[2]) * 1024**3
# The bytes say that they are gzip, so that nobody tries to compress them; a chain of hashes does not compress either.
BLOCK = bytearray(b"\x1f\x8b")
while len(BLOCK) < 1024 * 1024:
    BLOCK += hashlib.sha512(BLOCK[-64:]).digest()
BLOCK = bytes(BLOCK[: 1024 * 1024])


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


LAYER = hashlib.sha256()
for _ in range(SIZE // len(BLOCK)):
    LAYER.update(BLOCK)
LAYER = "sha256:" + LAYER.hexdigest()
CONFIG = json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [LAYER]}}).encode()
MANIFEST = json.dumps(
    {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest(CONFIG), "size": len(CONFIG)},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": LAYER, "size": SIZE}],
    }
).encode()


class Registry(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, kind, length, parts):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("Docker-Content-Digest", digest(MANIFEST))
        self.end_headers()
        if self.command == "GET":
            for part in parts:
                self.wfile.write(part)

    def do_GET(self):
        if self.path == "/v2/":
            self.answer("application/json", 2, [b"{}"])
        elif "/manifests/" in self.path:
            self.answer("application/vnd.oci.image.manifest.v1+json", len(MANIFEST), [MANIFEST])
        elif self.path.endswith(digest(CONFIG)):
            self.answer("application/octet-stream", len(CONFIG), [CONFIG])
        elif self.path.endswith(LAYER):
            self.answer("application/octet-stream", SIZE, (BLOCK for _ in range(SIZE // len(BLOCK))))
        else:
            self.send_error(404)

    do_HEAD = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Registry)
print("ready", os.getpid(), flush=True)
server.serve_forever()
