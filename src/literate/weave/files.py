"""Whole files or none: an interrupted weave leaves the old output as it was."""

import os
import threading
from pathlib import Path


def write(path, content):
    """Replace the file at once; text is written as UTF-8 with `\\n` line ends."""
    path = Path(path)
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
