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
from functools import lru_cache
from pathlib import Path

from IPython import get_ipython

from ..cells import scan

OWN = re.compile(r"_+|_i+|_i?\d+|_(oh|dh|ih|exit_code)")
_states, _first = {}, {}
_kept = {}  # by an object's id and digest: what was in it
_read, _loaded = {}, {}  # digests of files when they were read, modules loaded
_unique, _hearing = itertools.count(), [True]
_own = set()  # names that IPython has put there


@dataclass(frozen=True)
class _State:
    """Objects by name and their digests, modules by name, their files' digests."""

    objects: dict
    digests: dict
    modules: dict
    imported: dict
    outside: dict
    count: int

    @property
    def digest(self):
        names = {}
        for name, value in sorted(self.objects.items()):
            names.setdefault(id(value), []).append(name)
        shared = sorted(group for group in names.values() if len(group) > 1)
        outside = {name: _digest(value) for name, value in self.outside.items()}
        parts = [self.digests, self.modules, outside, self.count, shared]
        return _sha256(json.dumps(parts, sort_keys=True).encode())


def listen():
    """Note from now on which files are read, and what is not the user's."""
    _own.update(get_ipython().user_ns)
    sys.addaudithook(_heard)
    sys.dont_write_bytecode = True  # a module may change twice in one second


def take(key):
    """Remember the state under `key`: its digest and the files read since the last."""
    shell = get_ipython()
    objects = {name: shell.user_ns[name] for name in _names(shell)}
    for name, path in _modules().items():
        if name not in _loaded:
            _loaded[name] = _read[path] = file_digest(path)
    digests = {name: _digest(value) for name, value in objects.items()}
    for name, value in objects.items():
        if keeper := _keeper(value):
            _kept.setdefault((id(value), digests[name]), keeper[0](value))
    count = shell.execution_count
    imported = {name: sys.modules[name] for name in _loaded if name in sys.modules}
    outside = _outside()
    _states[key] = _State(objects, digests, dict(_loaded), imported, outside, count)
    files = dict(_read)
    _read.clear()
    return json.dumps({"digest": _states[key].digest, "files": files})


def restore(key):
    """Go back to the state `key`; if something in it has changed since: what."""
    shell, state = get_ipython(), _states.get(key)
    if state is None:
        return "this kernel has not been there"
    _place(state)
    changed = _changed(state)
    if changed:
        return ", ".join(changed[:3])
    for name in _names(shell):
        del shell.user_ns[name]
    shell.user_ns.update(state.objects)
    shell.execution_count = state.count
    for name, (_, write) in _settings().items():
        write(state.outside.get(name, _first[name]))
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):
            vars(module).pop("__warningregistry__", None)
    linecache.checkcache()
    _read.clear()
    return ""


def _names(shell):
    """The user's names."""
    return [n for n in shell.user_ns if n not in _own and not OWN.fullmatch(n)]


def _place(state):
    """Have the project's modules be those of a state, also for their packages."""
    for name in _loaded.keys() | state.modules.keys():
        module = state.imported.get(name)
        package, _, own = name.rpartition(".")
        if module:
            sys.modules[name] = module
        else:
            sys.modules.pop(name, None)
        if parent := sys.modules.get(package):
            vars(parent).pop(own, None)
            vars(parent).update({own: module} if module else {})
    _loaded.clear()
    _loaded.update(state.modules)


def _changed(state):
    """The names and modules of a state that are not as they were, nor can be."""
    for name, value in state.objects.items():
        kept = _kept.get((id(value), state.digests[name]))
        if kept is not None and _digest(value) != state.digests[name]:
            _keeper(value)[1](value, kept)
    return [
        *(n for n, v in state.objects.items() if _digest(v) != state.digests[n]),
        *(
            name
            for name, module in state.imported.items()
            if file_digest(os.path.abspath(module.__file__)) != state.modules[name]
        ),
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
    return _cells_digest(data) if path.endswith(".qmd") else _sha256(data)


@lru_cache(maxsize=2)  # many cells may ask of one file
def _cells_digest(data):
    cells = scan(data.decode("utf-8", "replace")).cells
    return _sha256("".join(cell.source for cell in cells).encode())


def _sha256(data):
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
    for path in {*paths} - _read.keys():
        _hearing[0] = False
        _read[path] = file_digest(path)
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
    """The settings that are not as when they were first seen."""
    values = {name: read() for name, (read, _) in _settings().items()}
    for name, value in values.items():
        _first.setdefault(name, value)
    return {n: v for n, v in values.items() if _digest(v) != _digest(_first[n])}


def _settings():
    """What cells share besides names: (how to read it, how to write it), by name."""
    settings = {
        "folder": (os.getcwd, os.chdir),
        "environment": (lambda: dict(os.environ), _environment),
        "random": (random.getstate, random.setstate),
    }
    if numpy := sys.modules.get("numpy"):
        settings["numpy.random"] = numpy.random.get_state, numpy.random.set_state
        settings["numpy.errors"] = numpy.geterr, lambda kept: numpy.seterr(**kept)
        settings["numpy.print"] = (
            numpy.get_printoptions,
            lambda kept: numpy.set_printoptions(**kept),
        )
    if torch := sys.modules.get("torch"):
        settings["torch.random"] = torch.get_rng_state, torch.set_rng_state
        settings["torch.grad"] = torch.is_grad_enabled, torch.set_grad_enabled
        settings["torch.type"] = torch.get_default_dtype, torch.set_default_dtype
        settings["torch.threads"] = torch.get_num_threads, torch.set_num_threads
    if matplotlib := sys.modules.get("matplotlib"):
        parameters = matplotlib.rcParams
        settings["matplotlib"] = parameters.copy, parameters.update
    return settings


def _keeper(value):
    """How to keep what is in an object that changes in place, and to put it back."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.random.Generator):
        generator = value.bit_generator
        return lambda _: generator.state, lambda _, s: setattr(generator, "state", s)
    return _KEEPERS.get(type(value))


_KEEPERS = {
    list: (list.copy, lambda value, kept: value.__setitem__(slice(None), kept)),
    dict: (dict.copy, lambda value, kept: (value.clear(), value.update(kept))),
    set: (set.copy, lambda value, kept: (value.clear(), value.update(kept))),
    random.Random: (random.Random.getstate, random.Random.setstate),
}


def _environment(kept):
    os.environ.clear()
    os.environ.update(kept)


def _digest(value):
    """The digest of a value, one that never comes again if it has none."""
    hashed = hashlib.sha256()
    try:
        _Pickler(types.SimpleNamespace(write=hashed.update)).dump(value)
    except Exception:  # whatever an object's own way of pickling raises
        return f"unknown {next(_unique)}"
    return hashed.hexdigest()


class _Pickler(pickle.Pickler):
    """Pickles what is in no module (functions and classes of the cells) by value."""

    def __init__(self, file):
        super().__init__(file, protocol=5)
        self.met = set()

    def reducer_override(self, value):
        if isinstance(value, types.ModuleType):
            return str, (value.__name__,)
        torch = sys.modules.get("torch")
        if torch and type(value) is torch.Tensor and not value.requires_grad:
            return tuple, ((str(value.dtype), value.tolist()),)  # not where it lies
        if not isinstance(value, tuple(_CONTENTS)):
            if getattr(value, "__module__", None) != "__main__":
                return NotImplemented
            if hasattr(value, "__wrapped__"):
                return tuple, ((type(value).__name__, value.__wrapped__),)
            if isinstance(value.__reduce_ex__(5), str):  # a name in the cells
                raise pickle.PicklingError
            return NotImplemented
        if _importable(value):
            return NotImplemented
        kind = next(kind for kind in _CONTENTS if isinstance(value, kind))
        known = id(value) in self.met  # a class is known to its own methods
        self.met.add(id(value))
        name = getattr(value, "__qualname__", kind.__name__)
        return tuple, ((name, None if known else _CONTENTS[kind](value)),)


_CONTENTS = {
    types.FunctionType: lambda f: (
        _code(f.__code__),
        f.__defaults__,
        f.__kwdefaults__,
        f.__closure__,
        dict(vars(f)),
    ),
    type: lambda c: (
        c.__bases__,
        {k: v for k, v in vars(c).items() if not isinstance(v, _SLOTS)},
    ),
    staticmethod: lambda method: method.__func__,
    classmethod: lambda method: method.__func__,
    property: lambda method: (method.fget, method.fset, method.fdel),
    types.CellType: lambda cell: cell.cell_contents,
    types.MappingProxyType: dict,
}
_SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def _importable(value):
    """Whether a function or class is what its module has under its name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if module in (None, "__main__") or name is None:
        return False
    return getattr(sys.modules.get(module), name, None) is value


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
