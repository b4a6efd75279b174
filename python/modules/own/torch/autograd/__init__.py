"""torch.autograd.Function: a function of the user's with its own derivative."""

from _heddle_host import callback, torch_binding as _h

from .._bridge import array, call
from .._tensor import Tensor, wrap


class FunctionCtx:
    def __init__(self):
        self.saved_tensors = ()
        self.needs_input_grad = ()
        self._not_differentiable = ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        self._not_differentiable = tensors

    def mark_dirty(self, *tensors):
        raise NotImplementedError("ctx.mark_dirty is not supported yet by heddle")

    def set_materialize_grads(self, value):
        pass


class Function:
    @staticmethod
    def forward(ctx, *args):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, *gradients):
        raise NotImplementedError("You must implement the backward function for custom autograd.Function.")

    @classmethod
    def apply(cls, *args):
        ctx = FunctionCtx()
        inputs = [argument for argument in args if isinstance(argument, Tensor)]
        ctx.needs_input_grad = tuple(isinstance(argument, Tensor) and argument.requires_grad for argument in args)
        before = call("setGradEnabled", False)
        try:
            given = cls.forward(ctx, *args)
        finally:
            call("setGradEnabled", before)
        handles = array(tensor._handle for tensor in inputs)
        if not call("needsTape", handles):
            return given
        results = list(given) if isinstance(given, tuple) else [given]
        tensors = [result for result in results if isinstance(result, Tensor)]
        proxy = callback(lambda gradients: _gradients(cls, ctx, args, tensors_like, gradients))
        release = callback(lambda: (proxy.destroy(), release.destroy()))
        tensors_like = [(tensor.shape, tensor.dtype, tensor.device) for tensor in tensors]
        call(
            "recordFunction",
            f"{cls.__name__}Backward",
            handles,
            array(tensor._handle for tensor in tensors),
            proxy,
            release,
        )
        return given


def _gradients(cls, ctx, args, likes, gradients):
    from .._creation import zeros

    if call("gradEnabled"):
        raise NotImplementedError("create_graph=True through torch.autograd.Function is not supported yet by heddle")
    given = []
    for like, handle in zip(likes, gradients):
        shape, dtype, device = like
        given.append(zeros(shape, dtype=dtype, device=device) if handle is None else wrap(_retained(handle)))
    results = cls.backward(ctx, *given)
    results = results if isinstance(results, tuple) else (results,)
    found = [result for argument, result in zip(args, results) if isinstance(argument, Tensor)]
    return array(None if result is None else _lent(result) for result in found)


def _retained(handle):
    """A handle that our Tensor may release, while the tape keeps its own."""
    return call("detach", handle)


def _lent(tensor):
    """A handle that the tape releases."""
    handle = tensor._handle
    _h.retain(handle)
    return handle
