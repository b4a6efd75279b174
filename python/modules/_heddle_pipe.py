"""
Calls of Heddle from the user's own CPython: a process of Node.js holds the device, and two pipes lead to it. A message
is the length of a JSON text and of the bytes behind it, the text, and the bytes.
"""

import array as _array
import atexit
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import threading

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_SERVER = os.path.join(_FOLDER, "..", "..", "dist", "bin", "pipe-server-node.js")


class HostError(Exception):
    """What Heddle says: its text begins with the error's code."""

    @property
    def message(self):
        return self.args[0]


class Handle:
    """An object that Heddle's process holds for us."""

    __slots__ = ("_id",)

    def __init__(self, identity):
        self._id = identity

    def __del__(self):
        _connection.forget(self._id)


class Callback:
    """A function that Heddle may call until it is destroyed."""

    def __init__(self, function):
        self._id = _connection.lend(function)

    def destroy(self):
        _connection.functions.pop(self._id, None)


callback = Callback


class _Record(dict):
    """A record of Heddle's: its fields are attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def to_host(value):
    return value


def plain(value):
    return value


def _encode(value, parts):
    if value is None or value is True or value is False or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value) if -(2**53) <= value <= 2**53 else {"$n": str(int(value))}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$f": repr(float(value))}
    if isinstance(value, (list, tuple)):
        return [_encode(item, parts) for item in value]
    if isinstance(value, dict):
        return {key: _encode(item, parts) for key, item in value.items()}
    if isinstance(value, Handle):
        return {"$t": value._id}
    if isinstance(value, Callback):
        return {"$c": value._id}
    if isinstance(value, (bytes, bytearray, memoryview)):
        view = memoryview(value).cast("B")
        begin = sum(len(part) for part in parts)
        parts.append(view)
        return {"$b": [begin, len(view)]}
    if hasattr(value, "__index__"):
        return _encode(value.__index__(), parts)
    if hasattr(value, "__float__"):
        return _encode(float(value), parts)
    raise TypeError(f"Heddle takes no {type(value).__name__}")


def _decode(value, data):
    if isinstance(value, list):
        return [_decode(item, data) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, given),) = value.items()
        if key == "$t":
            return Handle(given)
        if key == "$n":
            return int(given)
        if key == "$f":
            return float(given)
        if key == "$b":
            letter, begin, length = given
            if letter == "B":
                return data[begin : begin + length]
            numbers = _array.array(letter)
            numbers.frombytes(data[begin : begin + length])
            return numbers
    return _Record((key, _decode(item, data)) for key, item in value.items())


def _node():
    path = os.environ.get("HEDDLE_NODE") or shutil.which("node")
    if path is None:
        raise ImportError("Heddle needs Node.js: there is no `node` in PATH, and HEDDLE_NODE is not set")
    return path


class Connection:
    """The process and the pipes to it. It starts at the first import of torch or triton."""

    def __init__(self):
        self.functions = {}
        self._process = None
        self._broken = None
        # What a function of ours raised while Heddle had called it.
        self._raised = None
        self._lock = threading.RLock()
        self._lent = 0
        # Objects die in the middle of anything: their numbers go with the next call.
        self._released = []
        self._dropped = []

    def start(self):
        if not os.path.exists(_SERVER):
            raise ImportError(f"Heddle is not built: there is no {os.path.normpath(_SERVER)}")
        # Ctrl-C is Python's: the process ends when Python does.
        self._process = subprocess.Popen(
            [_node(), "--stack-size=50000", "--max-old-space-size=8192", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        with self._lock:
            return self._receive()

    def _forked(self):
        """Two processes cannot share the pipes."""
        self._process = None
        self._broken = 'Heddle does not work in a forked process: multiprocessing.set_start_method("spawn") avoids it'
        self._lock = threading.RLock()

    def stop(self):
        if self._process is None or self._process.poll() is not None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def lend(self, function):
        self._lent += 1
        self.functions[self._lent] = function
        return self._lent

    def forget(self, identity):
        self._dropped.append(identity)

    def release(self, handle):
        self._released.append(handle._id)

    def call(self, module, name, args):
        with self._lock:
            if self._broken is not None:
                raise RuntimeError(self._broken)
            released, self._released = self._released, []
            dropped, self._dropped = self._dropped, []
            parts = []
            message = {
                "kind": "call",
                "module": module,
                "name": name,
                "args": _encode(args, parts),
                "released": released,
                "dropped": dropped,
            }
            try:
                self._send(message, parts)
                return self._receive()
            except (KeyboardInterrupt, OSError) as error:
                self._process.kill()
                how = "interrupted" if isinstance(error, KeyboardInterrupt) else "gone"
                self._broken = f"Heddle's process is {how}: what was on the device is lost; start Python anew"
                raise

    def _send(self, message, parts):
        text = json.dumps(message).encode()
        pipe = self._process.stdin
        pipe.write(struct.pack("<II", len(text), sum(len(part) for part in parts)) + text)
        for part in parts:
            pipe.write(part)
        pipe.flush()

    def _read(self, count):
        data = self._process.stdout.read(count)
        if len(data) < count:
            code = self._process.wait()
            raise BrokenPipeError(f"Heddle's process has ended with code {code}")
        return data

    def _receive(self):
        """The result of a call. Until it is there, Heddle may print and call functions of ours."""
        while True:
            text_bytes, data_bytes = struct.unpack("<II", self._read(8))
            message = json.loads(self._read(text_bytes))
            data = self._read(data_bytes)
            kind = message["kind"]
            if kind == "result":
                return _decode(message["value"], data)
            if kind == "hello":
                return _decode(message["modules"], data)
            if kind == "error":
                raised, self._raised = self._raised, None
                raise raised if raised is not None else HostError(message["message"])
            if kind == "print":
                sys.stdout.write(message["text"])
                sys.stdout.flush()
            elif kind == "callback":
                self._call_back(message, data)

    def _call_back(self, message, data):
        parts = []
        try:
            result = self.functions[message["id"]](*_decode(message["args"], data))
            answer = {"kind": "result", "value": _encode(result, parts)}
        except Exception as error:
            self._raised = error
            answer, parts = {"kind": "raised", "message": f"python-error\n{error}"}, []
        self._send(answer, parts)


class Binding:
    """One of Heddle's modules: its functions, and its values."""

    def __init__(self, name, functions, values):
        for function in functions:
            setattr(self, function, self._function(name, function))
        for key, value in values.items():
            setattr(self, key, value)

    @staticmethod
    def _function(module, name):
        if name == "release":
            return _connection.release
        return lambda *args: _connection.call(module, name, args)


_connection = Connection()


def _connect():
    try:
        modules = _connection.start()
    except HostError as error:
        raise ImportError(f"Heddle does not start: {error.message}") from None
    return [Binding(name, modules[name]["functions"], modules[name]["values"]) for name in ("torch", "triton")]


torch_binding, triton_binding = _connect()
