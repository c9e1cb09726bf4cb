"""Inside the kernel: remember the state before each step, and go back to it.

A state is what the user's names mean, what the project's modules were when they
were loaded, and the settings that cells share (random numbers, matplotlib's
parameters, ...). Two states with one digest are taken for the same; what cannot
be digested is never the same as anything. Not seen: what a module keeps to
itself, and files that a cell writes.
"""

import hashlib
import itertools
import json
import linecache
import marshal
import os
import pickle
import random
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path

from IPython import get_ipython

from ..cells import scan

OWN = re.compile(r"_+|_i+|_i?\d+|_(oh|dh|ih|exit_code)|In|Out|exit|quit|get_ipython")
_states, _first = {}, {}
_read, _loaded = {}, {}  # digests of files when they were read, modules loaded
_unique, _hearing = itertools.count(), [True]


@dataclass(frozen=True)
class _State:
    """Objects by name with their digests, modules by name with their files'."""

    objects: dict
    digests: dict
    modules: dict
    outside: dict
    count: int

    @property
    def digest(self):
        names = {}
        for name, value in sorted(self.objects.items()):
            names.setdefault(id(value), []).append(name)
        shared = sorted(group for group in names.values() if len(group) > 1)
        parts = [self.digests, self.modules, self.outside, self.count, shared]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def listen():
    """Note from now on which files are read."""
    sys.addaudithook(_heard)


def take(key):
    """Remember the state under `key`: its digest and the files read since the last."""
    shell = get_ipython()
    objects = {n: v for n, v in shell.user_ns.items() if not OWN.fullmatch(n)}
    for name, path in _modules().items():
        if name not in _loaded:
            _loaded[name] = _read[path] = file_digest(path)
    digests = {name: _digest(value) for name, value in objects.items()}
    count = shell.execution_count
    _states[key] = _State(objects, digests, dict(_loaded), _outside(), count)
    files = dict(_read)
    _read.clear()
    return json.dumps({"digest": _states[key].digest, "files": files})


def restore(key):
    """Go back to the state `key`; if something in it has changed since: what."""
    shell, state = get_ipython(), _states.get(key)
    if state is None:
        return "this kernel has not been there"
    changed = _changed(state)
    if changed:
        return ", ".join(changed[:3])
    for name in _loaded.keys() - state.modules.keys():
        sys.modules.pop(name, None)
        del _loaded[name]
    for name in [n for n in shell.user_ns if not OWN.fullmatch(n)]:
        del shell.user_ns[name]
    shell.user_ns.update(state.objects)
    shell.execution_count = state.count
    for module in list(sys.modules.values()):
        getattr(module, "__dict__", {}).pop("__warningregistry__", None)
    linecache.checkcache()
    _read.clear()
    return ""


def _changed(state):
    """The names, settings and modules of a state that are not as they were."""
    outside, files = _outside(), _modules()
    return [
        *(n for n, v in state.objects.items() if _digest(v) != state.digests[n]),
        *(n for n in outside | state.outside if outside.get(n) != state.outside.get(n)),
        *(n for n, d in state.modules.items() if file_digest(files.get(n, "")) != d),
    ]


def forget(keys):
    """Let go of the states `keys`."""
    for key in keys:
        _states.pop(key, None)


def file_digest(path):
    """What decides whether a file is the one that was read; cells alone in a .qmd."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return None
    if path.endswith(".qmd"):
        pieces = scan(data.decode("utf-8", "replace")).cells
        data = "".join(cell.source for cell in pieces).encode()
    return hashlib.sha256(data).hexdigest()


def _heard(event, arguments):
    """An audit hook: files of the project that are opened, all for a new process."""
    paths = []
    if event == "open" and isinstance(arguments[0], str) and _hearing[0]:
        path, flags = os.path.abspath(arguments[0]), arguments[2] or 0
        if not flags & (os.O_WRONLY | os.O_RDWR) and _ours(path):
            paths = [path]
    elif event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
        paths = map(str, Path("src").resolve().rglob("*.py"))
    for path in paths:
        _hearing[0] = False
        _read.setdefault(path, file_digest(path))
        _hearing[0] = True


def _ours(path):
    """Whether this is a source of the chapter: hidden folders and _build are not."""
    root = os.path.join(os.environ["QUARTO_DOCUMENT_PATH"], "")
    parts = path.removeprefix(root).split(os.sep)
    return path.startswith(root) and not any(p[:1] in "._" for p in parts[:-1])


def _modules():
    """The files of the project's modules that are loaded, without this package."""
    files = {
        name: os.path.abspath(module.__file__)
        for name, module in list(sys.modules.items())
        if getattr(module, "__file__", None)
        and name.partition(".")[0] not in (__package__.partition(".")[0], "__main__")
    }
    return {name: path for name, path in files.items() if _ours(path)}


def _outside():
    """Digests of the settings that cells share and that are not as first seen."""
    loaded, values = sys.modules, {"random": random.getstate(), "cwd": os.getcwd()}
    values["environ"] = dict(os.environ)
    if numpy := loaded.get("numpy"):
        options = {k: v for k, v in numpy.get_printoptions().items() if k != "override_repr"}
        values["numpy"] = numpy.random.get_state(), numpy.geterr(), repr(options)
    if torch := loaded.get("torch"):
        values["torch"] = torch.get_rng_state().numpy().tobytes(), torch.is_grad_enabled()
        values["dtype"] = str(torch.get_default_dtype()), torch.get_num_threads()
    if matplotlib := loaded.get("matplotlib"):
        values["matplotlib"] = repr(dict(matplotlib.rcParams))
    digests = {name: _digest(value) for name, value in values.items()}
    for name, digest in digests.items():
        _first.setdefault(name, digest)
    return {name: d for name, d in digests.items() if d != _first[name]}


def _digest(value):
    """The digest of a value, one that never comes again if it has none."""
    hashed = hashlib.sha256()
    try:
        _Pickler(types.SimpleNamespace(write=hashed.update)).dump(value)
    except Exception:  # whatever an object's own way of pickling raises
        return f"unknown {next(_unique)}"
    return hashed.hexdigest()


class _Pickler(pickle.Pickler):
    """Pickles functions and classes of the cells by what they are, not by name."""

    def __init__(self, file):
        super().__init__(file, protocol=5)
        self.met = set()

    def reducer_override(self, value):
        if isinstance(value, types.ModuleType):
            return str, (value.__name__,)
        if getattr(value, "__module__", None) != "__main__" and not isinstance(
            value, (staticmethod, classmethod, property, types.CellType)
        ):
            return NotImplemented
        if isinstance(value, types.FunctionType):
            contents = lambda: (  # noqa: E731
                _code(value.__code__),
                value.__defaults__,
                value.__kwdefaults__,
                value.__closure__,
                {k: v for k, v in vars(value).items()},
            )
        elif isinstance(value, type):
            contents = lambda: (  # noqa: E731
                value.__bases__,
                {k: v for k, v in vars(value).items() if k not in _SLOTS},
            )
        elif isinstance(value, (staticmethod, classmethod)):
            contents = lambda: value.__func__  # noqa: E731
        elif isinstance(value, property):
            contents = lambda: (value.fget, value.fset, value.fdel)  # noqa: E731
        elif isinstance(value, types.CellType):
            contents = lambda: value.cell_contents  # noqa: E731
        else:
            return NotImplemented
        known = id(value) in self.met
        self.met.add(id(value))
        name = getattr(value, "__qualname__", type(value).__name__)
        return tuple, ((name, None if known else contents()),)


_SLOTS = ("__dict__", "__weakref__")


def _code(code):
    """What a code object does, and the source that it was made from."""
    source = "".join(linecache.getlines(code.co_filename))
    return source, marshal.dumps(_bare(code))


def _bare(code):
    constants = tuple(
        _bare(c) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    return code.replace(
        co_consts=constants, co_filename="", co_firstlineno=1, co_linetable=b""
    )
