"""triton.compile: a kernel for arguments of which only the types are known."""

from _heddle_host import to_host

from .._bridge import call


class ASTSource:
    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.name = fn.__name__
        self.signature = signature
        names = fn.arg_names
        self.constants = {
            key if isinstance(key, str) else names[key[0] if isinstance(key, tuple) else key]: value
            for key, value in (constexprs or {}).items()
        }
        if not isinstance(signature, dict):
            raise AssertionError("Signature must be a dictionary")


def compile(src, target=None, options=None, **_):
    from ..runtime.jit import CompiledKernel, Memory

    options = dict(options or {})
    warps = int(options.get("num_warps") or 4)
    values = []
    for name in src.fn.arg_names:
        kind = src.signature.get(name)
        if name in src.constants:
            value = Memory().argument(src.constants[name])
        elif kind is None or kind == "constexpr":
            value = ["none"]
        else:
            value = ["type", kind]
        values.append([name, value])
    handle = call("compile", src.fn.opened(), src.fn.__name__, to_host(values), warps, to_host([]))
    return CompiledKernel(src.fn, handle, warps, options)
