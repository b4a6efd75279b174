"""Runs the user's script as __main__, as `python FILE` would."""

import builtins
import linecache
import os
import sys
import traceback
import types

import _heddle_script
from pyodide.ffi import create_proxy, to_js

OWN = _heddle_script.modules


def is_own(filename):
    return filename.startswith(OWN) or filename.startswith("<frozen ") or "/_pyodide/" in filename


def without_own_frames(error):
    """The traceback of the user's own code: frames of our modules say nothing to the user."""
    kept = []
    entry = error.__traceback__
    while entry is not None:
        if not is_own(entry.tb_frame.f_code.co_filename):
            kept.append(entry)
        entry = entry.tb_next
    rebuilt = None
    for entry in reversed(kept):
        rebuilt = types.TracebackType(rebuilt, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = rebuilt
    for inner in (error.__cause__, error.__context__):
        if inner is not None:
            without_own_frames(inner)
    return error


def here():
    """The line of the user's code that is being carried out: file, line, function."""
    frame = sys._getframe()
    while frame is not None and is_own(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return to_js([])
    name = frame.f_code.co_name
    return to_js([frame.f_code.co_filename, frame.f_lineno, "" if name == "<module>" else name])


def exit_code_of(error):
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def run():
    file = _heddle_script.file
    _heddle_script.setHere(create_proxy(here))
    os.chdir(_heddle_script.directory)
    sys.argv = list(_heddle_script.args.to_py())
    sys.path[0] = os.path.dirname(os.path.abspath(file))
    sys.path.insert(1, OWN)
    sys.path.append(OWN + "/fallback")
    sys.stdout.reconfigure(line_buffering=True)
    main = types.ModuleType("__main__")
    main.__file__ = file
    main.__builtins__ = builtins
    main.__dict__["__annotations__"] = {}
    sys.modules["__main__"] = main
    linecache.checkcache(file)
    code = 0
    try:
        with open(file, "rb") as stream:
            program = compile(stream.read(), file, "exec", dont_inherit=True)
        exec(program, main.__dict__)
    except SystemExit as error:
        code = exit_code_of(error)
    except BaseException as error:
        sys.stdout.flush()
        traceback.print_exception(without_own_frames(error))
        code = 1
    try:
        import atexit

        atexit._run_exitfuncs()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code
