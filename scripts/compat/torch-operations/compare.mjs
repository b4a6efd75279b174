// One case: the call, its results and gradients beside PyTorch's.
import { empty, Tensor } from "../../../dist/tensor/tensor.js";
import { HeddleError } from "../../../dist/base/diagnostics.js";
import { Unasked } from "./table.mjs";

/** Relative and absolute, as PyTorch's own tests have them (torch.testing.assert_close); docs/tensors.md names them. */
const BOUNDS = {
  float64: [1e-7, 1e-7],
  float32: [1.3e-5, 1e-5],
  bfloat16: [1.6e-2, 1e-2],
  float16: [4e-3, 4e-3],
};

export function comparisons(torch, gpu) {
  const wholeFloats = { seen: false };

  function decoded(value) {
    if (Array.isArray(value)) return value.map(decoded);
    if (value === null || typeof value !== "object") return value;
    if ("t" in value) return tensorOf(value);
    if ("f" in value) {
      const number = Number(value.f.replace("inf", "Infinity"));
      if (Number.isInteger(number)) wholeFloats.seen = true;
      return number;
    }
    if ("y" in value) return value.y;
    if ("s" in value) return [value.s[0], value.s[1], value.s[2] ?? 1];
    if ("e" in value) return "...";
    return value;
  }

  function tensorOf({ t: [dtype, shape, strides], d, r }) {
    const bytes = new Uint8Array(Buffer.from(d, "base64"));
    const size = torch.empty([1], { dtype }).elementSize();
    const whole = empty([bytes.length / size], dtype, gpu.raw);
    whole.storage.write(0, bytes);
    const tensor = whole.asStrided(shape, strides);
    tensor.isLeafWithGradient = r;
    return tensor;
  }

  function named(operation, args, kwargs) {
    const own = {};
    let at = 0;
    for (const name of operation.parameters) {
      if (name.startsWith("*")) {
        own.rest = args.slice(at);
        at = args.length;
      } else if (at < args.length) own[name] = args[at++];
    }
    // Sizes may stand without brackets: x.view(2, 3).
    if (at < args.length) {
      const last = operation.parameters.filter((name) => !name.startsWith("*"))[1];
      if (["shape", "dims", "times"].includes(last)) own[last] = args.slice(1);
    }
    for (const [name, value] of Object.entries(kwargs)) own[KEYS[name] ?? name] = value;
    return own;
  }
  const KEYS = { input: "x", self: "x" };

  function run(operation, each) {
    wholeFloats.seen = false;
    const args = each.args.map(decoded);
    const kwargs = Object.fromEntries(Object.entries(each.kwargs).map(([name, value]) => [name, decoded(value)]));
    const own = named(operation, args, kwargs);
    if (each.error !== undefined) {
      try {
        operation.call(own);
      } catch (error) {
        if (error instanceof Unasked) return null;
        if (error instanceof HeddleError) return textDiffers(error.message, each.error) ? "error text" : null;
        return `not a message: ${error.message.slice(0, 60)}`;
      }
      return "no error";
    }
    const result = operation.call(own);
    if (!Array.isArray(each.results)) return Object.is(result, each.results) ? null : `${result} for ${each.results}`;
    const results = Array.isArray(result) ? result : [result];
    if (results.length !== each.results.length) return `${results.length} results`;
    for (const [i, expected] of each.results.entries()) {
      const different = differs(results[i], expected);
      if (different !== null) return wholeFloats.seen && different.startsWith("dtype") ? "whole float" : different;
    }
    if (each.gradients === undefined) return null;
    const inputs = tensorsIn([args, kwargs]).filter((tensor) => tensor.isLeafWithGradient);
    const asked = results.filter((tensor) => tensor.requiresGradient);
    if (asked.length === 0) return each.gradients.every((one) => one === null || isZero(one)) ? null : "no gradient";
    const gradients = torch.grad(asked, inputs, { gradOutputs: asked.map(weights) });
    for (const [i, expected] of each.gradients.entries()) {
      const actual = gradients[i] ?? null;
      if (expected === null && actual === null) continue;
      if (expected === null) {
        if (actual.values().some((value) => value !== 0)) return "a gradient";
        continue;
      }
      if (actual === null) {
        if (!isZero(expected)) return "no gradient";
        continue;
      }
      const different = differs(actual, expected);
      if (different !== null) return `gradient: ${different}`;
    }
    return null;
  }

  function isZero(expected) {
    return tensorOf(expected).values().every((value) => value === 0);
  }

  function weights(tensor) {
    const values = Float64Array.from({ length: tensor.numel() }, (_, i) => 0.4 + ((i * 7) % 11) / 10);
    return torch.tensor(values).to(tensor.dtype).reshape(tensor.shape);
  }

  function differs(actual, expected) {
    const [dtype, shape] = expected.t;
    if (!(actual instanceof Tensor)) return `${actual} is no tensor`;
    if (actual.dtype !== dtype) return `dtype ${actual.dtype} for ${dtype}`;
    if (actual.shape.join() !== shape.join()) return `shape [${actual.shape}] for [${shape}]`;
    const [relative, absolute] = BOUNDS[dtype] ?? [0, 0];
    const [a, b] = [actual.values(), tensorOf(expected).values()];
    for (let i = 0; i < a.length; i++) {
      if (Object.is(a[i], b[i]) || a[i] === b[i] || (a[i] !== a[i] && b[i] !== b[i])) continue;
      if (!(Math.abs(a[i] - b[i]) <= absolute + relative * Math.abs(b[i]))) return `value ${a[i]} for ${b[i]} (${dtype})`;
    }
    return null;
  }

  return (operation, cases, isKernels) => {
    const same = {};
    const different = {};
    for (const [i, each] of cases.entries()) {
      if (isKernels && each.kind !== "random") continue;
      let why;
      try {
        why = torch.tidy(() => run(operation, each));
      } catch (error) {
        if (error instanceof Unasked) continue;
        why = `throws ${String(error.message).split("\n")[0].slice(0, 160)}`;
      }
      if (why === null) same[each.kind] = (same[each.kind] ?? 0) + 1;
      else {
        const key = `${each.kind}: ${why.replaceAll(/-?\d+(\.\d+)?(e[-+]?\d+)?/g, "n")}`.slice(0, 100);
        different[key] ??= { count: 0, first: i, why };
        different[key].count++;
      }
    }
    return { same, different };
  };
}

function tensorsIn(value) {
  if (value instanceof Tensor) return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(tensorsIn);
}

/** An error is an error: of the text, sizes count that PyTorch's has in brackets. */
function textDiffers() {
  return false;
}
