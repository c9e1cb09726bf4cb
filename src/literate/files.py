"""Files: read whole, checked before anything is written, replaced atomically."""

import difflib
import fcntl
import os
import stat
from contextlib import contextmanager

from .problems import Problem, Refused


@contextmanager
def alone_in(folder):
    """Hold `folder` locked: a second run on it waits."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def read(root, name):
    """The text of `root/name`, every byte kept, or None if there is no such file."""
    try:
        return (root / name).read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise Refused([Problem(name, line, what, "save the file as UTF-8")]) from None


def obstacles(root, name):
    """Why `root/name` cannot be written, as problems."""
    path = root / name
    links = [p for p in (path, *path.parents) if p.is_relative_to(root) and p != root]
    for place in links:
        if place.is_symlink():
            what = f"{place.relative_to(root)} is a symbolic link"
            return [Problem(name, 1, what, "put a real file or folder there")]
    if path.exists() and not path.is_file():
        return [Problem(name, 1, "this is not a file", "move it away")]
    above = next(parent for parent in path.parents if parent.exists())
    if not above.is_dir():
        what = f"{above.relative_to(root)} is a file, not a folder"
        return [Problem(name, 1, what, "move it away")]
    for place in (path, above):
        # The mode bits, too: root could write, and replacing needs no right to
        # write the old file; but whoever made it read-only meant it.
        if place.exists() and not (
            os.access(place, os.W_OK) and place.stat().st_mode & 0o222
        ):
            shown = place.relative_to(root)
            what = f"{'this file' if place == path else shown} is read-only"
            return [Problem(name, 1, what, f"run chmod u+w {shown}")]
    return []


def replace(root, old, new):
    """Write the texts of `new` by name, each file whole or not at all.

    `old` has the texts that were read: a file that has changed since is not
    overwritten. The files are replaced in the order of `new`.
    """
    temporary = {}
    try:
        for name, text in new.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            temporary[name] = _write_beside(root / name, text.encode())
        for name in new:
            if read(root, name) != old[name]:
                what = "this file changed during the run"
                raise Refused([Problem(name, 1, what, "run the same again")])
        for name in new:
            os.replace(temporary.pop(name), root / name)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)


def diff(old, new):
    """The unified diffs from the texts of `old` to those of `new`, by name."""
    for name, text in new.items():
        before = (old[name] or "").splitlines(keepends=True)
        after = text.splitlines(keepends=True)
        for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
            yield line.removesuffix("\n")


def _write_beside(path, content):
    """A temporary file beside `path` with its mode (or the umask's) and `content`."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)  # of a run that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
