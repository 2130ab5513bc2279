"""A hub on this machine, which says of its models what huggingface_hub asks for."""

import hashlib
import http.server
import json
import threading
from urllib.parse import unquote, urlsplit


class Model:
    """The files of a model at each commit, and what its branches and tags mean."""

    def __init__(self, commits, refs, *, token=None):
        self.commits = commits
        self.refs = refs
        self.token = token

    def commit(self, revision):
        commit = self.refs.get(revision, revision)
        return commit if commit in self.commits else None


class Hub:
    """A server: what it has, and what it was asked for."""

    def __init__(self):
        self.models = {}
        self.asked = []
        self.broken = False
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self):
                self.answer(*hub.answer(self, self.path), body=False)

            def do_GET(self):
                self.answer(*hub.answer(self, self.path), body=True)

            def answer(self, status, headers, content, *, body):
                self.send_response(status)
                headers = {"Content-Length": str(len(content)), **headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if body:
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.elsewhere = f"http://localhost:{self.server.server_port}/cdn/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, request, address):
        """Return the status, the headers and the content for a request."""
        path = unquote(urlsplit(address).path)
        self.asked.append(f"{request.command} {path}")
        if self.broken:
            return refused(500, "")
        if path.startswith("/cdn/"):
            return 200, {"ETag": f'"{path[5:]}"'}, self.stored(path[5:])
        is_tree = path.startswith("/api/models/")
        path = path.removeprefix("/api/models")
        if path.count("/") < 4:
            return refused(404, "")  # what the library wants to know for itself
        org, name, verb, rest = path.lstrip("/").split("/", 3)
        assert verb == ("tree" if is_tree else "resolve")
        return self.of_model(f"{org}/{name}", request.headers["Authorization"], verb, rest)

    def of_model(self, name, authorization, verb, rest):
        model = self.models.get(name)
        if model is None:
            return refused(404 if authorization else 401, "RepoNotFound")
        if model.token and authorization != f"Bearer {model.token}":
            return refused(403, "GatedRepo")
        return self.tree(model, rest) if verb == "tree" else self.file(model, rest)

    def tree(self, model, revision):
        commit = model.commit(revision)
        if commit is None:
            return refused(404, "RevisionNotFound")
        files = model.commits[commit]
        found = [
            {"type": "file", "path": name, "size": len(content), "oid": etag(content)}
            for name, content in files.items()
        ]
        found += [
            {"type": "directory", "path": name, "oid": "0" * 40}
            for name in {path.partition("/")[0] for path in files if "/" in path}
        ]
        return 200, {"Content-Type": "application/json"}, json.dumps(found).encode()

    def file(self, model, rest):
        revision = max((r for r in [*model.refs, *model.commits] if rest.startswith(r + "/")),
                       key=len, default=None)  # fmt: skip
        if revision is None:
            return refused(404, "RevisionNotFound")
        commit = model.commit(revision)
        content = model.commits[commit].get(rest[len(revision) + 1 :])
        if content is None:
            return refused(404, "EntryNotFound", {"X-Repo-Commit": commit})
        headers = {"X-Repo-Commit": commit, "ETag": f'"{etag(content)}"'}
        if rest.endswith("tokenizer.json"):  # large files lie elsewhere
            linked = {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": str(len(content))}
            return 302, {**headers, **linked, "Location": self.elsewhere + etag(content)}, b""
        return 200, headers, content

    def stored(self, wanted):
        for model in self.models.values():
            for files in model.commits.values():
                for content in files.values():
                    if etag(content) == wanted:
                        return content
        raise KeyError(wanted)


def etag(content):
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def refused(status, code, headers=()):
    return status, {"X-Error-Code": code, **dict(headers)}, b""
