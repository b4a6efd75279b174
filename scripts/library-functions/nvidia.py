"""What NVIDIA's own libraries answer when their functions are called with zeros and null pointers.

    python3 scripts/library-functions/nvidia.py RESULTS.json [SECONDS]

Each function runs in a process of its own, as some end it. A result is a number, "signal N", "time" or "absent".
"""
import ctypes
import glob
import json
import os
import select
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The lists beside this file, with the files that have their functions.
LIBRARIES = {
    "cublas": ["libcublas.so*", "libcublasLt.so*"],
    "cudnn": ["libcudnn.so*"],
    "cufft": ["libcufft.so*"],
    "curand": ["libcurand.so*"],
    "cusolver": ["libcusolver.so*", "libcusolverMg.so*"],
    "cusparse": ["libcusparse.so*"],
    "nccl": ["libnccl.so*"],
    "nvrtc": ["libnvrtc.so*"],
}
LIMIT_SECONDS = 8
PROCESSES = 16


def folders():
    """pip's packages first: their libraries belong together."""
    for path in sys.path:
        yield from glob.glob(os.path.join(path, "nvidia", "*", "lib"))
    yield from glob.glob("/usr/local/cuda*/lib64")


def load(pattern):
    for folder in folders():
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            try:
                return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                continue
    return None


def function(libraries, name):
    # Headers give the names of today's functions to those with a version.
    for symbol in [name + "_v2", name]:
        for library in libraries:
            try:
                return getattr(library, symbol)
            except AttributeError:
                continue
    return None


def start(called):
    """A process that calls the function; its result comes through the pipe."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LIMIT_SECONDS)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        called.restype = ctypes.c_longlong
        # More arguments than any function has; floating-point ones are in registers of their own.
        result = called(*[ctypes.c_longlong(0)] * 48, *[ctypes.c_double(0)] * 8)
        os.write(writer, str(result).encode())
        os._exit(0)
    os.close(writer)
    return pid, reader


def finish(pid, reader):
    text = os.read(reader, 64).decode()
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    if text != "":
        return int(text)
    number = status & 127
    return "time" if number == signal.SIGALRM else f"signal {number}"


def main():
    end = time.time() + float(sys.argv[2] if len(sys.argv) > 2 else 600)
    results, running, waiting = {}, {}, []
    for library, patterns in LIBRARIES.items():
        libraries = [one for one in map(load, patterns) if one is not None]
        results[library] = {}
        with open(os.path.join(HERE, f"{library}.txt"), encoding="utf8") as file:
            for name in file.read().split():
                called = function(libraries, name)
                if called is None:
                    results[library][name] = "absent"
                else:
                    waiting.append((library, name, called))
    waiting.reverse()
    while (waiting or running) and time.time() < end:
        while waiting and len(running) < PROCESSES:
            library, name, called = waiting.pop()
            pid, reader = start(called)
            running[reader] = (pid, library, name)
        for reader in select.select(list(running), [], [], 1)[0]:
            pid, library, name = running.pop(reader)
            results[library][name] = finish(pid, reader)
    with open(sys.argv[1], "w", encoding="utf8") as file:
        json.dump(results, file, indent=1)
    for library, names in results.items():
        ended = sum(isinstance(one, str) and one != "absent" for one in names.values())
        print(f"{library}: {len(names)} functions, {ended} ended their process, "
              f"{list(names.values()).count('absent')} absent")


main()
