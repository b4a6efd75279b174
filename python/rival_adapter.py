"""
The rivals of `heddle bench` that are Python functions, one after the other. A process answers requests: a line of JSON
on standard input each, a line on standard output each. src/bench/python-rival-node.ts is the other end.

    {"do": "open", "file", "function", "compile", "device"}          -> {"ok": {"description"}}
    {"do": "arrays", "inputs", "outputs", "sizes", "flushBytes"}     -> {"ok": null}      new arrays
    {"do": "launch", "set", "cache": "cold" | "hot" | null}          -> {"ok": {"ms"}}    null: not timed
    {"do": "read", "output", "begin", "end"}                         -> {"ok": {"bytes"}} base64 of [begin, end)
    {"do": "close"}                                                  -> {"ok": null}      frees; "open" may follow

A reply is {"absent": why} where this machine lacks something, {"error": what} where the request failed. The rules of
measuring are those of src/bench/timed-run.ts and workspace.ts: several sets of inputs wait beside the tensors that the
function sees, and one is copied there before each launch. What the launch before has written is overwritten, and the L2
cache is flushed where the launch is to be a cold one.
"""
import base64
import ctypes
import importlib.util
import inspect
import itertools
import json
import os
import random
import signal
import sys
import traceback
from time import perf_counter as now

# Longer than any queue is filled in: the GPU idles so long, and no longer, before what is timed begins.
LONGEST_WAIT_S = 0.02


# So often in a row work on other streams goes on when that of the current one has ended, before it is believed.
LATE_LAUNCHES = 3


class Absent(Exception):
    pass


class Clock:
    """The means of timing, saved before any rival is loaded: a rival that changes PyTorch does not reach them."""

    def __init__(self, torch):
        event = torch.cuda.Event
        self.event, self.record, self.elapsed, self.wait = event, event.record, event.elapsed_time, event.synchronize
        self.sleep, self.synchronize = torch.cuda._sleep, torch.cuda.synchronize


def load_torch(device):
    try:
        import torch
    except ModuleNotFoundError as error:
        raise Absent(f"{sys.executable} has no PyTorch ({error})")
    if device != "cpu" and not torch.cuda.is_available():
        raise Absent(f"PyTorch {torch.__version__} of {sys.executable} sees no GPU")
    return torch


modules = itertools.count()
folders = set()


def load_function(path, name):
    folder = os.path.dirname(os.path.abspath(path))
    # What the ladder before has imported from its own folder is not found here.
    def folder_of(module):
        return os.path.dirname(getattr(module, "__file__", None) or "")

    # Asking a module for its file may import another one: CuPy and PyTorch have modules that load when they are used.
    for other in [other for other, module in list(sys.modules.items()) if folder_of(module) in folders]:
        del sys.modules[other]
    folders.add(folder)
    sys.path[0] = folder
    module_name = f"heddle_rivals_{next(modules)}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    module = importlib.util.module_from_spec(spec)
    # torch.compile and Triton look up the module of a function by its name.
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and os.path.exists(os.path.join(folder, error.name.split(".")[0] + ".py")):
            raise
        raise Absent(f"{os.path.basename(path)} needs {error.name}, which {sys.executable} has not")
    function = getattr(module, name, None)
    if not callable(function):
        raise ValueError(f"{path} has no function {name}")
    return function, module


class Rival:
    def __init__(self):
        self.torch = None
        self.clock = None

    def close(self, _=None):
        self.tensors, self.arguments, self.sets, self.returned, self.results = {}, {}, [], [], {}
        self.flush, self.function, self.plain = None, None, None
        if self.torch is not None and self.device != "cpu":
            self.torch.cuda.empty_cache()

    def open(self, request):
        self.close()
        self.device = request["device"]
        self.torch = torch = load_torch(self.device)
        if self.clock is None and self.device != "cpu":
            self.clock = Clock(torch)
        self.plain, module = load_function(request["file"], request["function"])
        parameters = inspect.signature(self.plain).parameters
        self.parameters = list(parameters)
        empty = inspect.Parameter.empty
        self.optional = [name for name, parameter in parameters.items() if parameter.default is not empty]
        self.compiles = request["compile"]
        # For checks as it comes: from the second shape on it is compiled for all sizes.
        self.function = torch.compile(self.plain) if self.compiles else self.plain
        self.is_specialized = False
        description = f"PyTorch {torch.__version__}"
        if hasattr(module, "triton"):
            description += f", Triton {module.triton.__version__}"
        return {"description": description + (", torch.compile" if self.compiles else "")}

    def dtype(self, name):
        dtype = getattr(self.torch, name, None)
        if dtype is None:
            raise Absent(f"PyTorch {self.torch.__version__} has no dtype {name}")
        return dtype

    def arrays(self, request):
        torch = self.torch
        # What is there goes first: two problems together may not fit.
        self.tensors, self.arguments, self.sets, self.returned, self.results, self.flush = {}, {}, [], [], {}, None
        self.outputs = [output["name"] for output in request["outputs"]]
        for array in request["inputs"]:
            for number, path in enumerate(array["files"]):
                if number == len(self.sets):
                    self.sets.append({})
                with open(path, "rb") as file:
                    content = bytearray(file.read())
                values = torch.frombuffer(content, dtype=torch.uint8).view(self.dtype(array["dtype"]))
                self.sets[number][array["name"]] = values.to(self.device)
            self.tensors[array["name"]] = torch.empty_like(self.sets[0][array["name"]])
        for output in request["outputs"]:
            # One that is an input, too, is changed where it is.
            if output["name"] not in self.tensors:
                dtype = self.dtype(output["dtype"])
                self.tensors[output["name"]] = torch.empty(output["length"], dtype=dtype, device=self.device)
        sizes = request["sizes"]
        given = {**sizes, **self.tensors}
        unknown = [name for name in self.parameters if name not in given and name not in self.optional]
        if unknown:
            known = ", ".join([*self.tensors, *sizes])
            raise ValueError(
                f"the function has a parameter {unknown[0]}, "
                f"which is neither an array nor a size of the ladder: {known}"
            )
        self.arguments = {name: given[name] for name in self.parameters if name in given}
        if request["flushBytes"] > 0:
            self.flush = torch.empty(request["flushBytes"] // 4, dtype=torch.int32, device=self.device)
        self.is_specialized = False
        self.host_s = 0.001
        self.late = 0

    def spoil(self, tensor):
        if tensor.dtype.is_floating_point:
            tensor.fill_(float("nan"))
        else:
            # Uniform bits: some dtypes have no random numbers of their own.
            tensor.view(self.torch.uint8).fill_(random.randrange(1, 255))

    def launch(self, request):
        torch = self.torch
        cache = request["cache"]
        if cache is not None and self.compiles and not self.is_specialized:
            # What is timed is compiled for this very problem.
            torch.compiler.reset()
            self.function = torch.compile(self.plain, dynamic=False)
            self.is_specialized = True
        inputs = self.sets[request["set"]]
        # Memory that was given back is what the next call gets.
        for tensor in self.returned:
            self.spoil(tensor)
        self.returned = []
        for name, tensor in self.tensors.items():
            if name in inputs:
                tensor.copy_(inputs[name])
            else:
                self.spoil(tensor)
        with torch.no_grad():
            if self.device == "cpu":
                start = now()
                result = self.function(**self.arguments)
                ms = (now() - start) * 1000
            else:
                result, ms = self.timed(cache)
        self.results = self.named(result)
        return {"ms": ms}

    def timed(self, cache):
        clock = self.clock
        if cache == "cold":
            # By reading: what a flush has written would be written back while the timed call reads.
            self.flush.sum()
        # The GPU is kept busy while the call is queued, so that the time to reach the GPU is not counted: for as many
        # cycles as the call before has taken, and half as many again.
        clock.sleep(int(min(1.5 * self.host_s, LONGEST_WAIT_S) * 2e9))
        start, end = clock.event(enable_timing=True), clock.event(enable_timing=True)
        clock.record(start)
        begun = now()
        result = self.function(**self.arguments)
        self.host_s = now() - begun
        clock.record(end)
        clock.wait(end)
        ended = now()
        clock.synchronize()
        ms = clock.elapsed(start, end)
        # Streams of a rival's own are not seen by the events on the current one.
        self.late = self.late + 1 if now() - ended > 0.0001 + 0.5 * ms / 1000 else 0
        if self.late == LATE_LAUNCHES:
            raise ValueError(
                "work goes on after the current stream's has ended: on other streams, whose time would not be counted"
            )
        return result, ms

    def named(self, result):
        """The outputs by name: returned, or in the tensors that the function was given."""
        if result is None:
            result = {}
        elif isinstance(result, self.torch.Tensor):
            result = dict(zip(self.outputs[:1], [result]))
        elif isinstance(result, (tuple, list)):
            if len(result) != len(self.outputs):
                outputs = f"{len(self.outputs)} outputs: {', '.join(self.outputs)}"
                raise ValueError(f"the function returned {len(result)} values, and there are {outputs}")
            result = dict(zip(self.outputs, result))
        elif not isinstance(result, dict):
            raise ValueError(
                f"the function returned a {type(result).__name__}: it returns a tensor, a tuple in the order of the "
                "outputs, a dict by their names, or None"
            )
        outputs = {}
        for name in self.outputs:
            tensor = result.get(name)
            own = self.tensors[name]
            if tensor is None:
                if name not in self.parameters:
                    raise ValueError(f"the function neither returns {name} nor has it as a parameter")
                outputs[name] = own
                continue
            if type(tensor) is not self.torch.Tensor:
                kind = type(tensor).__name__
                raise ValueError(f"{name} is a {kind}, not a plain tensor: it could be computed when it is looked at")
            if tensor.numel() != own.numel() or tensor.dtype != own.dtype:
                found = f"{tensor.numel()} elements of {tensor.dtype}"
                raise ValueError(f"{name} has {found}, and should have {own.numel()} of {own.dtype}")
            # To put elements in order is work, and would be done after the time was taken.
            if not tensor.is_contiguous():
                raise ValueError(f"{name} is not contiguous: a view of other memory is no result")
            outputs[name] = tensor.view(-1)
            if tensor.data_ptr() == own.data_ptr():
                continue
            if any(tensor.data_ptr() == given.data_ptr() for given in self.tensors.values()):
                raise ValueError(f"{name} is the memory of another array: a view of it is no result")
            self.returned.append(outputs[name])
        return outputs

    def read(self, request):
        part = self.results[request["output"]][request["begin"]:request["end"]].cpu().contiguous()
        content = ctypes.string_at(part.data_ptr(), part.numel() * part.element_size())
        return {"bytes": base64.b64encode(content).decode()}


def main():
    # Replies have the standard output for themselves: what a rival or its compiler prints goes to standard error.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # The folders of ladders are their users'.
    sys.dont_write_bytecode = True
    # Ctrl-C is the bench's: it closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rival = Rival()
    actions = {name: getattr(rival, name) for name in ("open", "arrays", "launch", "read", "close")}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"ok": actions[request["do"]](request)}
        except Absent as absent:
            reply = {"absent": str(absent)}
        except Exception as error:
            text = "".join(traceback.format_exception_only(type(error), error)).strip()
            reply = {"error": text, "trace": traceback.format_exc()}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


main()
