"""Files: read whole, checked before anything is written, replaced atomically."""

import difflib
import os
import shlex
import stat
import threading
from contextlib import contextmanager

from .problems import Problem, Refused

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


@contextmanager
def alone_in(folder):
    """Hold `folder` locked, where it can be: a second run on it waits."""
    if not fcntl:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def read(root, name):
    """The text of `root/name`, every byte kept, or None if there is no such file."""
    path = root / name
    if path.exists() and not path.is_file():  # a folder; a device may have no end
        raise Refused([Problem(name or ".", 1, "this is not a file", "name a file")])
    try:
        return decoded(path.read_bytes(), name)
    except FileNotFoundError:
        return None


def decoded(data, name):
    """The text of the file `name` from its bytes, which must be UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise Refused([Problem(name, line, what, "save the file as UTF-8")]) from None


def misplaced(root, name):
    """Why there can be no file `root/name`, as problems."""
    way = [root / name, *(root / name).parents]
    for place in reversed(way[: way.index(root)]):
        shown = place.relative_to(root)
        if place.is_symlink():
            what, fix = f"{shown} is a symbolic link", "put what it leads to there"
        elif place == way[0] and place.exists() and not place.is_file():
            what, fix = f"{shown} is not a file", "move it away"
        elif place != way[0] and place.exists() and not place.is_dir():
            what, fix = f"{shown} is not a folder", "move it away"
        else:
            continue
        return [Problem(name, 1, what, fix)]
    return []


def obstacles(root, name):
    """Why the file `root/name` may not be written, as problems.

    Replacing a file needs no right to write it, and root needs none at all;
    but whoever made it read-only meant it, so the mode bits count.
    """
    path = root / name
    if problems := misplaced(root, name):
        return problems
    folder = next(parent for parent in path.parents if parent.exists())
    for place in (path, folder):
        writable = not place.exists() or (
            os.access(place, os.W_OK) and place.stat().st_mode & 0o222
        )
        if not writable:
            shown = os.path.relpath(place, root)
            what = f"{'the folder ' * (place == folder)}{shown} is read-only"
            return [Problem(name, 1, what, f"run chmod u+w {shlex.quote(shown)}")]
    return []


def replace(root, old, new):
    """Write the texts of `new` by name, in that order, each whole or not at all.

    `old` has the texts that were read: a file that is no longer as it was read
    is not overwritten.
    """
    temporary = {}
    try:
        for name, text in new.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            temporary[name] = _beside(root / name)
            _write(temporary[name], text, like=root / name)
        changed = [name for name in new if read(root, name) != old[name]]
        if changed:
            what, fix = "this file changed during the run", "run the same again"
            raise Refused([Problem(name, 1, what, fix) for name in changed])
        for name in new:
            os.replace(temporary[name], root / name)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)


def put(path, content):
    """Make `content` (text or bytes) the file `path`, whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_bytes() == data:
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        fresh.write_bytes(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def diff(old, new):
    """The lines of the unified diffs from the texts `old` to `new`, by name."""
    for name, text in new.items():
        before, after = (old[name] or "").split("\n"), text.split("\n")
        yield from difflib.unified_diff(
            before, after, f"a/{name}", f"b/{name}", lineterm=""
        )


def _beside(path):
    """Where to write before replacing `path`: the same folder, the same device."""
    return path.with_name(f".{path.name}.new")


def _write(path, text, like):
    """Write `text` to the new file `path`, with the mode of `like` if it exists."""
    path.unlink(missing_ok=True)  # left by a run that was killed
    with open(path, "xb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    if like.exists():
        os.chmod(path, stat.S_IMODE(like.stat().st_mode))
