"""Watch: the open page follows the editor.

One thread decides: it takes from a queue what the others tell it. Those watch
files, run cells in a kernel that stays, serve the page, and weave the whole
once more when a page was made of changed sections alone, so that what stays on
the screen is what a clean weave gives.
"""

import asyncio
import hashlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import watchfiles

from . import page
from .loop.live import LiveKernel, Stopped
from .loop.quick import Quick
from .module import tangled_below
from .problems import Problem, Refused
from .serve import Server
from .stitch import stitched
from .tangle import tangle, write
from .weave.execute import alone, kept, key_of, run_steps
from .weave.html import to_html
from .weave.weaver import Weaver

QUIET = 0.7  # seconds without an edit, then the whole page is woven again
OWN = Path(__file__).resolve().parent
STYLE = OWN / "page/page.css"
LOOK = {".css", ".html", ".js", ".lua", ".svg", ".png", ".jpg"}
SOURCES = {".qmd", ".py", ".bib", ".csl", ".yml", ".json", *LOOK}
RESTART = "restart"


def add_arguments(parser):
    """The verb's arguments."""
    parser.add_argument("chapter", nargs="?", default="chapter.qmd", type=Path)
    parser.add_argument("--port", default=8000, type=int, help="0: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="open no page")
    parser.add_argument("--timeout", default=300, type=int, metavar="SECONDS")


def run(args):
    """Watch until Ctrl-C."""
    if not args.chapter.is_file():
        print(f"{args.chapter}:1: there is no such file; name one", file=sys.stderr)
        return 1
    if args.timeout < 1:
        print(f"--timeout {args.timeout}: give a second at least", file=sys.stderr)
        return 1
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    output = args.chapter.resolve().parent / "_build/watch"
    output.mkdir(parents=True, exist_ok=True)
    try:
        server = Server(output, args.port)
    except OSError as error:
        why = error.strerror or error
        print(f"port {args.port}: {why}; choose another (--port)", file=sys.stderr)
        return 1
    watch = Watch(args.chapter, server, args.timeout)
    print(f"watching {args.chapter}: {server.address} (Ctrl-C ends it)", flush=True)
    if not args.no_browser:
        webbrowser.open(server.address)
    end = None
    try:
        end = watch.run()
    except KeyboardInterrupt:
        print("ended")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        watch.close()
        server.close()
    if end is RESTART:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        options = ["--port", str(server.port), "--no-browser"]
        options += ["--timeout", str(args.timeout)]
        command = [sys.executable, "-m", "literate", "watch", str(args.chapter)]
        os.execv(sys.executable, [*command, *options])
    return 0


class Watch:
    """The chapter, its page, and what has to be done for an edit to reach it."""

    def __init__(self, path, server, timeout):
        self.path, self.server, self.timeout = path.resolve(), server, timeout
        self.root, self.output = self.path.parent, server.folder
        self.events, self.stop = queue.Queue(), threading.Event()
        self.seen, self.tangled = {}, None  # digests: of files, of the chapter
        self.what, self.began, self.doing = self.path.name, 0.0, []
        self.settled, self.given = True, {}  # what cells that stand alone gave last
        self.quick = Quick()
        self.weaver = Weaver(
            self.path,
            self.output,
            timeout,
            strict=False,
            execute=self._results,
            writers={"html": partial(to_html, convert=self.quick.convert)},
        )
        self.live, self.known, self.job = LiveKernel(timeout, self.report), None, None
        self.kernel, self.whole = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    def run(self):
        """Follow the files until there is a reason to stop; that reason."""
        self.on_files(self._sources())  # may make folders to follow
        for folders, recursive in self._places():
            follow = partial(self._follow, folders, recursive)
            threading.Thread(target=follow, daemon=True).start()
        self.events.put(("files", self._sources()))
        while True:
            if self.step() is RESTART:
                return RESTART

    def step(self):
        """Deal with the next event, or with quiet when none comes."""
        try:
            waiting = self.settled or (self.job and not self.job.warming)
            kind, value = self.events.get(timeout=None if waiting else QUIET)
        except queue.Empty:
            kind, value = "quiet", None
        return getattr(self, f"on_{kind}")(value)

    def on_files(self, paths):
        """Files were written, removed or renamed."""
        while not self.events.empty() and self.events.queue[0][0] == "files":
            paths = paths | self.events.get()[1]
        first = not self.seen
        found = {path: digest(path) for path in paths}
        changed = {p for p, d in found.items() if self.seen.get(p) != d}
        self.seen |= found
        if not changed:
            return None
        names = sorted(os.path.relpath(path, self.root) for path in changed)
        what = self.path.name if first else ", ".join(names[:3])
        if not first and changed & _loaded():
            if problem := self._unfit():
                self._refuse([problem])
                return None
            why = "changed, and it is part of the watch: it starts again"
            print(f"{what}: {why}", flush=True)
            return RESTART
        began = time.monotonic()
        if STYLE in changed:
            self.server.style(self.server.page, page.stylesheet())
        if {path.suffix for path in changed - {STYLE}} - {".py", ".qmd", ".json"}:
            self.quick.forget()
        self.what, self.began, self.settled = what, began, False
        self._update(changed, reload=changed != {STYLE})
        return None

    def on_ran(self, job):
        """The cells have run, or failed."""
        if job is not self.job:
            return
        self.job = None
        try:
            results, ran = job.future.result()
        except Stopped:
            return
        except Refused as refused:
            self._refuse(refused.problems)
            return
        except RuntimeError as error:  # of Jupyter: no kernel, or none that answers
            fix = "save again to have another kernel"
            self._refuse([Problem(self.path.name, 1, f"no kernel: {error}", fix)])
            return
        if job.warming:
            self.report(f"the kernel is warm: ran {ran} cells")
            return
        self.known = (job.key, results)
        self.what, self.began, self.doing = job.what, job.began, job.doing
        if ran:
            self.doing = [*job.doing, f"ran {ran} cell{'s' * (ran != 1)}"]
        self._update()
        if job.results is not None:
            self._start(Job(self, job.chapter, job.key, warming=True))

    def on_quiet(self, _):
        """No edit for a while: weave the whole, to be sure of the page."""
        self.settled = True
        if self.known and self.quick.last:
            asked, exact = self.quick.asked, self.quick.exact
            future = self.whole.submit(self._whole, asked, exact)
            future.add_done_callback(lambda f: self.events.put(("whole", (asked, f))))

    def on_whole(self, value):
        """The whole was woven; the page is what it says, unless it is old already."""
        asked, future = value
        if asked is not self.quick.asked:
            return
        try:
            woven, outputs = future.result()
        except Refused as refused:
            self._refuse(refused.problems)
            return
        key, results = self.known
        differs = woven is not None and self.quick.settle(woven)
        if differs or outputs != [results[at] for at in _singles(asked[0])]:
            self.known = key, _filled(asked[0], results, outputs)
            self.what, self.began = "the whole page", time.monotonic()
            self._update()
            self.settled = self.quick.exact

    def _whole(self, asked, exact):
        """The document woven whole, and what the cells that stand alone give."""
        woven = None if exact else self.quick.whole(asked)
        return woven, self.singles(asked[0])

    def singles(self, chapter, again=True):
        """What the cells that stand alone give, each in a fresh kernel.

        Not `again`: what they gave last, if they have run; quiet will come.
        """
        steps = [step for step in chapter.steps if alone(step)]
        for step in steps:
            if again or step.code not in self.given:
                run = run_steps(chapter, [step], self.timeout, lambda _: None)
                self.given[step.code] = asyncio.run(run)[0]
        return [self.given[step.code] for step in steps]

    def report(self, message):
        """What the kernel has to say, on a line of its own."""
        print(f"  {message}", flush=True)

    def close(self):
        """End the kernel and the threads."""
        self.stop.set()
        if self.job:
            self.job.stopped.set()
            self.live.interrupt()
        self.kernel.submit(self.live.close).result()
        self.kernel.shutdown()
        self.whole.shutdown()

    def _update(self, changed=(), reload=True):
        """Tangle, weave and show; or say why not."""
        try:
            if changed:
                self.doing = self._in_step(changed)
            problems = self.weaver.weave(("html",))
        except Running:
            return
        except Refused as refused:
            self._refuse(refused.problems)
            return
        except OSError as error:  # a file that went away meanwhile
            self._refuse([Problem(self.what, 1, str(error), "save it again")])
            return
        text = (self.output / f"{self.path.stem}.html").read_text("utf-8")
        how = "a part" if not self.quick.exact else "the whole"
        if reload and text != self.server.page:
            self.server.show(text)
        elif text != self.server.page:
            self.server.style(text, page.stylesheet())
        self.server.warn(problems)
        self.doing.append(f"wove {how}")
        took = time.monotonic() - self.began
        print(f"{self.what}: {', '.join(self.doing)}, {took:.2f} s", flush=True)
        for problem in problems:
            print(problem, flush=True)
        self.doing = []

    def _refuse(self, problems):
        """One line for each problem, here and on the page."""
        print(*problems, sep="\n", flush=True)
        self.server.warn(problems)
        self.doing = []

    def _in_step(self, changed):
        """Tangle an edit of the chapter or stitch one of modules; what was done."""
        chapter, modules = self.path, set()
        if any(path.suffix == ".py" for path in changed):
            names = tangled_below(self.root, chapter.name)
            modules = {self.root / name for name in names}
        if chapter in changed or self.tangled is None:
            plan, verb = tangle, "tangled"
        elif changed & modules:
            plan, verb = stitched_texts, "stitched"
            if digest(chapter) != self.tangled:
                name = os.path.relpath(min(changed & modules), self.root)
                what = f"was edited, but {chapter.name} is not as it was last tangled"
                fix = "correct the chapter, or run make sync"
                raise Refused([Problem(name, 1, what, fix)])
        else:
            return []
        names, _ = write(self.root, chapter.name, plan)
        self.tangled = digest(chapter)
        self.seen |= {path: digest(path) for path in map(self.root.joinpath, names)}
        return [f"{verb} {name}" for name in names]

    def _unfit(self):
        """What is wrong with the files that a new process would be made of."""
        command = [sys.executable, "-c", "import literate.watch"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        path, line = re.findall(r'File "(.+)", line (\d+)', done.stderr)[-1]
        error = done.stderr.strip().rpartition("\n")[2]
        what = f"the watch cannot start again: {error}"
        return Problem(os.path.relpath(path, self.root), int(line), what, "correct it")

    def _results(self, chapter, timeout, report):
        """What the cells gave, if they need not run; else have them run."""
        key = key_of(chapter)
        if self.known and self.known[0] == key:
            return self.known[1]
        results = kept(chapter) if self.known is None else None
        self._start(Job(self, chapter, key, results))
        raise Running

    def _start(self, job):
        """Run cells in the kernel's thread, in place of the job that it has."""
        if self.job:
            self.job.stopped.set()
            self.live.interrupt()
        self.job = job
        job.future = self.kernel.submit(job.run)
        job.future.add_done_callback(lambda _: self.events.put(("ran", job)))

    def _places(self):
        """The folders to follow: (folders, whether with those below)."""
        hidden = ("_", ".")
        folders = [path for path in self.root.iterdir() if path.is_dir()]
        below = [
            path
            for path in folders
            if path.name[0] not in hidden and not (path / "pyvenv.cfg").exists()
        ]
        own = [OWN] if self.root not in OWN.parents else []
        yield [self.root, self.root / "_build"], False
        if below + own:
            yield below + own, True

    def _sources(self):
        """Every file to follow that exists."""
        return {
            path
            for folders, recursive in self._places()
            for folder in folders
            for path in (folder.rglob("*") if recursive else folder.glob("*"))
            if path.is_file() and path.suffix in SOURCES
        }

    def _follow(self, folders, recursive):
        """Tell of changes below the folders."""
        for changes in watchfiles.watch(
            *folders,
            recursive=recursive,
            step=20,
            debounce=200,
            stop_event=self.stop,
            raise_interrupt=False,
        ):
            paths = {Path(path) for _, path in changes}
            if paths := {path for path in paths if path.suffix in SOURCES}:
                self.events.put(("files", paths))


class Running(Exception):
    """The page must wait for cells."""


class Job:
    """One run of a chapter's cells; of those alone that stand alone, given results."""

    def __init__(self, watch, chapter, key, results=None, warming=False):
        self.watch, self.chapter, self.key = watch, chapter, key
        self.results, self.warming = results, warming
        self.what, self.began, self.doing = watch.what, watch.began, watch.doing
        self.stopped, self.future = threading.Event(), None

    def run(self):
        """The results of all steps, and how many cells have run in the kernel."""
        results, ran = self.results, 0
        if results is None:
            results, ran = self.watch.live.execute(self.chapter, self.stopped)
        if not self.warming:
            outputs = self.watch.singles(self.chapter, again=False)
            results = _filled(self.chapter, results, outputs)
        return results, ran


def _singles(chapter):
    """Where among the steps those stand that stand alone."""
    return [at for at, step in enumerate(chapter.steps) if alone(step)]


def _filled(chapter, results, outputs):
    """The results with those of the cells that stand alone in their places."""
    results = list(results)
    for at, output in zip(_singles(chapter), outputs):
        results[at] = output
    return results


def stitched_texts(project):
    """The texts after stitching."""
    return stitched(project).texts


def digest(path):
    """The digest of a file, None if there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None


def _loaded():
    """The files that this process is made of: a new version needs a new process."""
    files = (getattr(module, "__file__", None) for module in [*sys.modules.values()])
    return {Path(file) for file in files if file} | {OWN / "page/listen.js"}
