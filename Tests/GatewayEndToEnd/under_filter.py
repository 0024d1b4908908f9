"""Runs a program under the system-call filter of a systemd unit, as systemd would apply it.

under_filter.py UNIT PROGRAM [ARGUMENT...]   exits 77 if this machine lacks libseccomp or systemd-analyze.
"""

import configparser
import ctypes
import ctypes.util
import errno
import os
import shutil
import subprocess
import sys

MISSING = 77
ALLOW, KILL_PROCESS, RETURN_ERROR = 0x7FFF0000, 0x80000000, 0x00050000


class Service(dict):
    """The settings of a section. A key that occurs again appends a line, as in systemd."""

    def __setitem__(self, key, value):
        if key in self and isinstance(value, list):
            self[key].extend(value)
        else:
            super().__setitem__(key, value)


def settings(unit):
    """The settings of the section [Service], each with its lines."""
    parser = configparser.RawConfigParser(
        dict_type=Service, strict=False, delimiters=("=",), comment_prefixes=("#", ";"), empty_lines_in_values=False
    )
    parser.optionxform = str
    with open(unit, encoding="utf-8") as file:
        parser.read_file(file)
    return {key: value.split("\n") for key, value in parser["Service"].items()}


def members(name):
    """The system calls of a set such as @system-service, with those of the sets in it."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", name], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    names = [line.strip() for line in listed if line.strip() and not line.strip().startswith("#")]
    return set().union(*(members(each) for each in names))


def allowed(lines):
    """The system calls that an allow list permits. Later lines that begin with ~ remove some."""
    calls = members("@default")
    for line in lines:
        found = set().union(*(members(name) for name in line.lstrip("~").split()))
        calls = calls - found if line.startswith("~") else calls | found
    return calls


def load(unit):
    """Applies the filter to this process and its children."""
    lines = settings(unit)
    refusal = KILL_PROCESS
    if "SystemCallErrorNumber" in lines:
        refusal = RETURN_ERROR | getattr(errno, lines["SystemCallErrorNumber"][-1])
    calls = allowed(lines["SystemCallFilter"])
    library = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    context = library.seccomp_init(refusal)
    for name in calls:
        number = library.seccomp_syscall_resolve_name(name.encode())
        # Negative: another architecture has this system call.
        if number >= 0 and library.seccomp_rule_add(context, ALLOW, number, 0) != 0:
            raise OSError(f"libseccomp refuses a rule for {name}")
    result = library.seccomp_load(context)
    if result != 0:
        raise OSError(-result, "the kernel refuses the system-call filter")


def is_available():
    """Whether this machine can apply the filter of a unit."""
    if shutil.which("systemd-analyze") is None:
        return False
    try:
        ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return False
    return True


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    if not is_available():
        sys.exit(MISSING)
    load(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
