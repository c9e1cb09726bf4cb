"""Where and when a measurement was made: what a reader needs to judge the figures."""

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("numpy", "torch")


def describe(threads):
    """Date, processor, memory, system and versions; nothing that names a host."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "date": datetime.date.today().isoformat(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gib": round(pages / 2**30),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "threads": threads,
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
    }


def _processor():
    """The processor's model as the system calls it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
