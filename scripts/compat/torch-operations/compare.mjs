// One case: the call, its results and gradients beside PyTorch's.
import { empty, Tensor } from "../../../dist/tensor/tensor.js";
import { HeddleError } from "../../../dist/base/diagnostics.js";
import { explanation } from "./explained.mjs";
import { session, Unasked } from "./helpers.mjs";

/** Relative and absolute, as PyTorch's own tests have them (torch.testing.assert_close); docs/tensors.md names them. */
const BOUNDS = {
  float64: [1e-7, 1e-7],
  float32: [1.3e-5, 1e-5],
  bfloat16: [1.6e-2, 1e-2],
  float16: [4e-3, 4e-3],
};

const wholeFloats = { seen: false };
/** Cases of an operation whose call read memory of the device. */
let byHost = 0;

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
  if ("p" in value) return Object.assign(value.p.map(decoded), { isTuple: true });
  if ("s" in value) return Object.assign([value.s[0], value.s[1], value.s[2] ?? 1], { isSlice: true });
  if ("e" in value) return "...";
  return value;
}

function tensorOf({ t: [dtype, shape, strides], d, r }) {
  const bytes = new Uint8Array(Buffer.from(d, "base64"));
  const size = session.torch.empty([1], { dtype }).elementSize();
  const whole = empty([bytes.length / size], dtype, session.torch.device.raw);
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
  if (each.kwargs.out != null) throw new Unasked("out");
  const args = each.args.map(decoded);
  const kwargs = Object.fromEntries(Object.entries(each.kwargs).map(([name, value]) => [name, decoded(value)]));
  const own = named(operation, args, kwargs);
  if (each.error !== undefined) {
    try {
      operation.call(own);
    } catch (error) {
      if (error instanceof Unasked) return null;
      if (error instanceof HeddleError) return null;
      // A number that PyTorch refuses is not what the method is called on.
      if (/is not a function|Invalid index/.test(error.message)) throw new Unasked(error.message);
      return `not a message: ${error.message.slice(0, 60)}`;
    }
    if (NUMBER.test(each.error)) return "number";
    const isWider = [LIMIT, WIDER].some((words) => words.test(each.error));
    return isWider || (LAYOUT.test(each.error) && operation.name !== "view") ? "wider" : `no error: ${each.error}`;
  }
  const bound = boundOf(each, isByElement(operation));
  const { result, isByHost } = withReads(() => operation.call(own));
  if (isByHost) byHost++;
  if (!Array.isArray(each.results)) return Object.is(result, each.results) ? null : `${result} for ${each.results}`;
  const results = Array.isArray(result) ? result : [result];
  const isTied =
    TIED.has(operation.name) &&
    results.length === each.results.length &&
    tied(results, each, args[0], operation.name === "mode");
  if (isTied) return null;
  if (results.length < each.results.length) return `${results.length} results`;
  for (const [i, expected] of each.results.entries()) {
    const different = differs(results[i], expected, bound);
    if (different !== null) return wholeFloats.seen && different.startsWith("dtype") ? "whole float" : different;
  }
  if (each.gradients === undefined) return null;
  const inputs = tensorsIn([args, kwargs]).filter((tensor) => tensor.isLeafWithGradient);
  const asked = results.filter((tensor) => tensor.requiresGradient);
  if (asked.length === 0) return each.gradients.every((one) => one === null || isZero(one)) ? null : "no gradient";
  const gradients = session.torch.grad(asked, inputs, { gradOutputs: asked.map(weights) });
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
    const different = differs(actual, expected, bound);
    if (different !== null) return `gradient: ${different}`;
  }
  return null;
}

function isZero(expected) {
  return tensorOf(expected)
    .values()
    .every((value) => value === 0);
}

function weights(tensor) {
  const values = Float64Array.from({ length: tensor.numel() }, (_, i) => 0.4 + ((i * 7) % 11) / 10);
  return session.torch.tensor(values).to(tensor.dtype).reshape(tensor.shape);
}

const BITS = { bfloat16: 8, float16: 11, float32: 24 };

/** Whether each element of the result is computed by itself: else a bound counts the greatest one. */
const isByElement = ({ random }) => random === "unary" || random === "binary";

/**
 * Whether each result, and each gradient, that is apart from PyTorch's is at most as far from the one in double
 * precision, within a unit in the last place of its greatest element: element by element of functions of elements, else
 * by the greatest distance. PyTorch rounds more often on the way in some operations.
 */
function isNearer(operation, each) {
  const wide = (value) => {
    if (value instanceof Tensor) {
      if (!value.isFloatingPoint) return value;
      const own = value.detach().double();
      own.isLeafWithGradient = value.isLeafWithGradient;
      return own;
    }
    if (Array.isArray(value)) {
      const { isSlice = false, isTuple = false } = value;
      return Object.assign(value.map(wide), { isSlice, isTuple });
    }
    return value;
  };
  const call = (change) => {
    const args = each.args.map((value) => change(decoded(value)));
    const kwargs = Object.entries(each.kwargs).map(([name, value]) => [name, change(decoded(value))]);
    const result = operation.call(named(operation, args, Object.fromEntries(kwargs)));
    const results = Array.isArray(result) ? result : [result];
    if (each.gradients === undefined) return results;
    const inputs = tensorsIn([args, kwargs.map(([, value]) => value)]).filter((tensor) => tensor.isLeafWithGradient);
    const asked = results.filter((tensor) => tensor.requiresGradient);
    return [...results, ...session.torch.grad(asked, inputs, { gradOutputs: asked.map(weights) })];
  };
  const [exact, own] = [call(wide), call((value) => value)];
  const bound = boundOf(each, isByElement(operation));
  return [...each.results, ...(each.gradients ?? [])].every((expected, i) => {
    if (expected === null || own[i] == null || differs(own[i], expected, bound) === null) return true;
    const [dtype] = expected.t;
    const [e, a, b] = [exact[i], own[i], tensorOf(expected)].map((of) => of.values());
    if (!dtype.includes("float")) return a.every((value, k) => value === b[k]);
    if (own[i].dtype !== dtype) return false;
    const most = e.reduce((top, value) => (Number.isFinite(value) ? Math.max(top, Math.abs(value)) : top), 0);
    const unit = most * 2 ** -(BITS[dtype] ?? 53);
    if (!isByElement(operation)) {
      const apart = (of) =>
        of.reduce(
          (top, value, k) => (Object.is(value, e[k]) || value === e[k] ? top : Math.max(top, Math.abs(value - e[k]))),
          0,
        );
      return apart(a) <= apart(b) + unit;
    }
    return e.every((value, k) => {
      if (value !== value) return a[k] !== a[k];
      return Object.is(a[k], b[k]) || Math.abs(a[k] - value) <= Math.abs(b[k] - value) + unit;
    });
  });
}

/** Which of several equal elements is named, is not said. */
function tied(results, each, x, ofMode) {
  const expected = each.results.map(tensorOf);
  const along = each.args[1] ?? each.kwargs.dim ?? -1;
  const dim = typeof along === "number" ? along : -1;
  if (results.at(-1).dtype !== "int64" || results.at(-1).shape.join() !== expected.at(-1).shape.join()) return false;
  const [a, b] = [results.at(-1), expected.at(-1)].map((of) => of.values());
  if (a.every((value, i) => value === b[i])) return false;
  if (results.length === 2 && !ofMode)
    return differs(results[0], each.results[0], { bounds: BOUNDS.float64, isOfElements: true }) === null;
  if (ofMode) {
    // Of elements that a row has equally often, PyTorch on a GPU takes another one than on a CPU.
    const times = (values) => {
      const row = each.kwargs.keepdim || each.args[2] || x.dim() === 0 ? values : values.unsqueeze(dim);
      return x.detach().eq(row).sum(dim).values();
    };
    const [p, q] = [results[0], expected[0]].map(times);
    return p.every((value, i) => value === q[i]);
  }
  const [p, q] = [results[0], expected[0]].map((of) => x.detach().gather(dim, of).values());
  return p.every((value, i) => value === q[i]);
}

/** The bounds of the type with the fewest bits among all floats of a case: what is on the way has them, too. */
function boundOf(each, isOfElements) {
  const text = JSON.stringify(each);
  const dtype = ["bfloat16", "float16", "float32"].find((name) => text.includes(`["${name}",`)) ?? "float64";
  return { bounds: BOUNDS[dtype], isOfElements };
}

function differs(actual, expected, { bounds, isOfElements }) {
  const [dtype, shape] = expected.t;
  if (!(actual instanceof Tensor)) return `${actual} is no tensor`;
  if (actual.dtype !== dtype) return `dtype ${actual.dtype} for ${dtype}`;
  if (actual.shape.join() !== shape.join()) return `shape [${actual.shape}] for [${shape}]`;
  const [relative, absolute] = dtype.includes("float") ? bounds : [0, 0];
  const [a, b] = [actual.values(), tensorOf(expected).values()];
  // A sum is as exact as its greatest terms: its bound counts the greatest element.
  const most = isOfElements
    ? 0
    : b.reduce((top, value) => (Number.isFinite(value) ? Math.max(top, Math.abs(value)) : top), 0);
  for (let i = 0; i < a.length; i++) {
    if (Object.is(a[i], b[i]) || a[i] === b[i] || (a[i] !== a[i] && b[i] !== b[i])) continue;
    if (!(Math.abs(a[i] - b[i]) <= absolute + relative * Math.max(most, Math.abs(b[i]))))
      return `value ${a[i]} for ${b[i]} (${dtype})`;
  }
  return null;
}

/** Calls of `work` that read memory of the device: the host computes them. */
function withReads(work) {
  const { raw } = session.torch.device;
  const { read } = raw;
  let reads = 0;
  raw.read = (...args) => {
    reads++;
    return read.apply(raw, args);
  };
  try {
    return { result: work(), isByHost: reads > 0 };
  } finally {
    delete raw.read;
  }
}

/**
 * How many cases agree, by their kind; those that differ, by what differs; those where Heddle computes what PyTorch
 * refuses; those that differ for a known reason; and those whose call read memory of the device.
 */
export function compare(operation, cases, isKernels) {
  const same = {};
  const different = {};
  const wider = {};
  const explained = {};
  byHost = 0;
  let nearer = 0;
  for (const [i, each] of cases.entries()) {
    if (isKernels && each.kind !== "random") continue;
    let why;
    try {
      why = session.torch.tidy(() => run(operation, each));
    } catch (error) {
      if (error instanceof Unasked) continue;
      why = `throws ${String(error.message).split("\n")[0].slice(0, 160)}`;
    }
    if (/^(gradient: )?value/.test(why ?? "") && each.kind !== "error") {
      try {
        if (session.torch.tidy(() => isNearer(operation, each))) {
          nearer++;
          continue;
        }
      } catch {
        // It stays apart.
      }
    }
    const reason = why === null ? null : explanation(operation.name, each, why);
    if (reason !== null) {
      explained[reason] ??= { count: 0, first: i, why };
      explained[reason].count++;
    } else if (why === null) same[each.kind] = (same[each.kind] ?? 0) + 1;
    else if (why === "wider" || why === "number") wider[why] = (wider[why] ?? 0) + 1;
    else {
      const key = `${each.kind}: ${why.replaceAll(/-?\d+(\.\d+)?(e[-+]?\d+)?/g, "n")}`.slice(0, 100);
      different[key] ??= { count: 0, first: i, why };
      different[key].count++;
    }
  }
  return {
    same,
    different,
    ...(Object.keys(wider).length > 0 && { wider }),
    ...(Object.keys(explained).length > 0 && { explained }),
    ...(nearer > 0 && { nearer }),
    ...(byHost > 0 && { byHost }),
  };
}

function tensorsIn(value) {
  if (value instanceof Tensor) return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(tensorsIn);
}

/** PyTorch computes no such type there. */
const WIDER = /not implemented for|not supported|not support|does not support|expected .*dtype|dtype/i;
/** PyTorch asks for a tensor there; methods of Heddle's tensors take numbers, too. */
const NUMBER = /must be Tensor, not (int|float|bool)|arguments - got \((int|float|bool), /;
/** PyTorch has so many dimensions at most. */
const LIMIT = /up to 64 dims|more than 25 dimensions/;
/** PyTorch refuses the same elements in memory of another order; or a division by zero, on the CPU alone. */
const LAYOUT = /Use \.reshape\(\.\.\.\) instead|Unsupported memory format|ZeroDivisionError/;
/** Operations that name one of several elements, which may be equal. */
const TIED = new Set(["topk", "sort", "argsort", "kthvalue", "mode", "median", "nanmedian"]);
