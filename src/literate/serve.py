"""The server of `watch`: one page and the files beside it, on this machine only.

Requests must name it as 127.0.0.1 or localhost (a page of another site that has
its name point here is refused), and get nothing from outside the build. The
page that it serves is the woven one with a script that listens for changes and
a policy that lets it; the file on disk has neither.
"""

import asyncio
import base64
import hashlib
import json
import logging
import os
import re
import threading
import time
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

from .loop.quick import section

ADDRESS = "127.0.0.1"
LISTENER = (Path(__file__).parent / "page/listen.js").read_text("utf-8")
POLICY = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")([^"]*)')
TAG = re.compile(r"(</?section\b[^>]*>)")
ID = re.compile(r' id="([^"]*)"')
WAITING = '<!DOCTYPE html>\n<html lang="en"><title>Not woven yet</title><body></body>'


class Server:
    """Serves from a thread of its own; the other methods are for other threads."""

    def __init__(self, folder, port):
        """Refuses (OSError) a port that is taken or none."""
        if port not in range(2**16):  # more would be taken modulo that
            raise OSError("a port is a number from 0 to 65535")
        logging.getLogger("tornado").setLevel(logging.CRITICAL)  # the lines are ours
        self.folder, self.sockets = Path(folder), bind_sockets(port, ADDRESS)
        self.port = self.sockets[0].getsockname()[1]
        self.page, self.problems = WAITING, []
        self.version = time.time_ns() // 10**6  # none that an earlier watch had
        self.listeners = set()
        ready = threading.Event()
        self.thread = threading.Thread(target=asyncio.run, args=[self._serve(ready)])
        self.thread.start()
        ready.wait()

    @property
    def address(self):
        """Where to look."""
        return f"http://{ADDRESS}:{self.port}/"

    def show(self, page):
        """Serve this page from now on; open ones take the sections that differ, or
        load it where more does."""
        old, self.page, self.version = self.page, page, self.version + 1
        sections = differing(old, page)
        if sections is None:
            self._tell("version", self.version)
        else:
            self._tell("sections", (self.version, sections))

    def style(self, page, css):
        """Serve this page from now on; open ones take its style sheet alone."""
        self.page = page
        self._tell("style", css)

    def warn(self, problems):
        """Show the problems on open pages, in place of those before."""
        self.problems = [str(problem) for problem in problems]
        self._tell("problems", self.problems)

    def close(self):
        """Stop serving."""
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join()

    def _tell(self, kind, value):
        for listener in list(self.listeners):
            self.loop.call_soon_threadsafe(listener.put_nowait, (kind, value))

    async def _serve(self, ready):
        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        hosts = {f"{name}:{self.port}" for name in (ADDRESS, "localhost")}
        here = {"server": self, "hosts": hosts}
        files = here | {"path": str(self.folder)}
        routes = [
            (r"/", Page, here),
            (r"/listen", Listen, here),
            (r"/(.+)", File, files),
        ]
        server = HTTPServer(Application(routes))
        server.add_sockets(self.sockets)
        ready.set()
        await self.stop.wait()
        for listener in self.listeners:
            listener.put_nowait(None)
        server.stop()
        await server.close_all_connections()


class Local(RequestHandler):
    """A handler that answers only to a name of this machine."""

    def initialize(self, server, hosts, **others):
        """`hosts` are the names with the port."""
        self.server, self.hosts = server, hosts
        if others:
            super().initialize(**others)

    def prepare(self):
        """Refuse a request that came by another name."""
        if self.request.host not in self.hosts:
            raise HTTPError(403)

    def set_default_headers(self):
        """Nothing is kept: the next request may see another page."""
        self.set_header("Cache-Control", "no-store")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")


class Page(Local):
    """The page that listens."""

    def get(self):
        """Answer with it."""
        self.write(listening(self.server.page, self.server.version))


class File(Local, StaticFileHandler):
    """The files beside the page."""

    def validate_absolute_path(self, root, absolute_path):
        """Refuse links that lead out of the build, as well as `..`."""
        return super().validate_absolute_path(
            os.path.realpath(root), os.path.realpath(absolute_path)
        )


class Listen(Local):
    """A stream of events: (kind, value) as JSON."""

    async def get(self):
        """Answer until the page is closed."""
        self.set_header("Content-Type", "text/event-stream")
        events, server = asyncio.Queue(), self.server
        server.listeners.add(events)
        if server.page is not WAITING:  # an old page stays until there is a new one
            events.put_nowait(("version", server.version))
        events.put_nowait(("problems", server.problems))
        self.write("retry: 300\n")  # milliseconds: a watch that starts again is back
        try:
            while event := await events.get():
                self.write(f"data: {json.dumps(event)}\n\n")
                await self.flush()
        except StreamClosedError:
            pass
        finally:
            server.listeners.discard(events)


def listening(page, version):
    """The page with the script that listens, and a policy that allows for it."""
    digest = base64.b64encode(hashlib.sha256(LISTENER.encode()).digest()).decode()

    def loosened(match):
        policy = re.sub(r"(script-src)( 'none')?", rf"\1 'sha256-{digest}'", match[2])
        styles = "style-src-elem 'unsafe-inline'"
        policy = re.sub(r"style-src-elem[^;]*", styles, policy)
        return f"{match[1]}{policy}; connect-src 'self'"

    page = POLICY.sub(loosened, page, count=1)
    script = f'<script data-version="{version}">{LISTENER}</script>'
    return page.replace("</body>", f"{script}\n</body>", 1)


def differing(old, new):
    """The sections of `new` by id that make it of `old`; None where they do not.

    A script would not run again in a section that takes another's place.
    """
    olds, news = _pieces(old), _pieces(new)
    if [id for id, _ in olds] != [id for id, _ in news]:
        return None
    changed = [piece[0] for piece, before in zip(news, olds) if piece != before]
    sections = {id: section(new, id) for id in changed}
    if any(part is None or "<script" in part for part in sections.values()):
        return None
    return sections


def _pieces(page):
    """The page cut at the tags of sections: (the innermost one's id, text)."""
    ids, pieces = [None], []
    for text in TAG.split(page):
        if text.startswith("<section"):
            ids.append(ID.search(text) and ID.search(text)[1])
        pieces.append((ids[-1], text))
        if text == "</section>" and ids[1:]:
            ids.pop()
    return pieces
