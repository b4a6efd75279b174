// Types and constants for the parameters of a Triton kernel, guessed from what its body does with them.
import { intValue, boolValue, floatValue, stringValue, NONE } from "../../dist/frontend/triton/language/values.js";
import { DTYPE_NAMES, pointerTo } from "../../dist/frontend/triton/language/dtypes.js";

const MEMORY = /^(?:load|store|atomic_\w+|make_block_ptr|make_tensor_descriptor|multiple_of)$/;

/** All nodes below a syntax node, itself included. */
function* nodes(node) {
  if (Array.isArray(node)) for (const item of node) yield* nodes(item);
  else if (node !== null && typeof node === "object") {
    if (typeof node.kind === "string") yield node;
    for (const [key, child] of Object.entries(node)) if (key !== "span") yield* nodes(child);
  }
}

/** Names that an address may be based on: the leftmost of a sum, or any of a choice. */
function bases(expression) {
  switch (expression?.kind) {
    case "name":
      return [expression.id];
    case "binary":
      return expression.operator === "+" || expression.operator === "-"
        ? [...bases(expression.left), ...bases(expression.right)]
        : [];
    case "conditional":
      return [...bases(expression.then), ...bases(expression.otherwise)];
    case "subscript":
      return bases(expression.value);
    case "call":
      return expression.callee.kind === "attribute" && expression.callee.name === "to"
        ? bases(expression.callee.value)
        : expression.args.slice(0, 1).flatMap(bases);
    default:
      return [];
  }
}

/**
 * Parameters that are pointers: those that reach the address of a memory access.
 * @param functionNamed the syntax of a helper by its name, or undefined
 */
export function pointerParams(definition, functionNamed, depth = 0) {
  const reached = new Set();
  const calls = [...nodes(definition.body)].filter(({ kind }) => kind === "call");
  for (const { callee, args, keywords } of calls) {
    const name = callee.name ?? callee.id ?? "";
    const isMemory = callee.kind === "attribute" && MEMORY.test(name) && callee.value.kind === "name";
    if (isMemory) {
      const address = args[0] ?? keywords.find((keyword) => /^(?:pointer|base)$/.test(keyword.name))?.value;
      bases(address).forEach((base) => reached.add(base));
    }
    const helper = callee.kind === "name" && depth < 4 ? functionNamed(name) : undefined;
    if (helper === undefined || helper === definition) continue;
    const inner = pointerParams(helper, functionNamed, depth + 1);
    for (const [i, { name: param }] of helper.params.entries()) {
      const given = args[i] ?? keywords.find((keyword) => keyword.name === param)?.value;
      if (inner.has(param)) bases(given).forEach((base) => reached.add(base));
    }
  }
  const assignments = [...nodes(definition.body)].filter(({ kind }) => kind === "assign");
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const { targets, value } of assignments)
      for (const target of targets)
        if (target.kind === "name" && reached.has(target.id)) bases(value).forEach((base) => reached.add(base));
  }
  const params = definition.params.map(({ name }) => name);
  return new Set(params.filter((name) => reached.has(name)));
}

/** Parameters with `name.load([…])` or `name.store([…], …)`, and how many offsets these have. */
function descriptorParams(definition) {
  const ranks = new Map();
  for (const { kind, callee, args } of nodes(definition.body)) {
    if (kind !== "call" || callee.kind !== "attribute" || callee.value.kind !== "name") continue;
    const [offsets] = args;
    if (/^(?:load|store)$/.test(callee.name) && (offsets?.kind === "list" || offsets?.kind === "tuple"))
      ranks.set(callee.value.id, offsets.items.length);
  }
  return new Map(definition.params.flatMap(({ name }) => (ranks.has(name) ? [[name, ranks.get(name)]] : [])));
}

/** Names that take part in an expression, but not below a load. */
function* namesOf(node) {
  if (Array.isArray(node)) for (const item of node) yield* namesOf(item);
  else if (node !== null && typeof node === "object") {
    if (node.kind === "name") yield node.id;
    const isLoad = node.kind === "call" && node.callee.kind === "attribute" && node.callee.name === "load";
    if (!isLoad) for (const [key, child] of Object.entries(node)) if (key !== "span") yield* namesOf(child);
  }
}

const INTEGER_OPERATORS = ["//", "%", "<<", ">>", "&", "|"];
const isCallOf = (node, pattern) =>
  node.kind === "call" && node.callee.kind === "attribute" && pattern.test(node.callee.name);

/** Names that must be integers: parts of addresses, bounds of loops, operands of integer operators. */
function integerNames(definition, pointers) {
  const names = new Set();
  const add = (node) => {
    for (const name of namesOf(node)) if (!pointers.has(name)) names.add(name);
  };
  for (const node of nodes(definition.body)) {
    if (isCallOf(node, MEMORY)) add(node.callee.name === "make_block_ptr" ? node.args.slice(1) : node.args[0]);
    if (node.kind === "call" && node.callee.kind === "name" && node.callee.id === "range") add(node.args);
    if (isCallOf(node, /^(?:cdiv|range|multiple_of)$/)) add(node.args);
    if (node.kind === "binary" && INTEGER_OPERATORS.includes(node.operator)) add([node.left, node.right]);
  }
  const assignments = [...nodes(definition.body)].filter(({ kind }) => /assign$/.test(kind));
  const loads = new Set();
  const addLoads = (value) => {
    for (const node of nodes(value))
      if (isCallOf(node, /^load$/)) bases(node.args[0]).forEach((base) => loads.add(base));
  };
  for (let before = -1; before !== names.size + loads.size;) {
    before = names.size + loads.size;
    for (const { targets, target, value } of assignments) {
      const parts = [...nodes(targets ?? [target])].filter(({ kind }) => kind === "name").map(({ id }) => id);
      // A pointer that another is made of.
      if (parts.some((name) => loads.has(name))) bases(value).forEach((base) => loads.add(base));
      if (!parts.some((name) => names.has(name))) continue;
      add(value);
      addLoads(value);
    }
  }
  for (const node of nodes(definition.body))
    if (isCallOf(node, MEMORY)) {
      const address = node.args[0];
      if (address !== undefined && !isCallOf(address, /^load$/)) addLoads(address);
    }
  return { names, loads };
}

const INDEX =
  /(?:idx|indice|index|indptr|offs|seqlen|lens?|label|ids?|lock|count|num|loc|slot|mapping|table|page|start|perm)/i;
const SCALAR = /(?:stride|^s_?\w{0,3}$|size|^[nmk]$|^num_|^n_|_dim$|len)/i;

/** Whether the name stands in a test by itself: `if HAS_BIAS`, `A and B`, `not A`. */
function isFlag(name, definition) {
  const is = (node) => node.kind === "name" && node.id === name;
  for (const node of nodes(definition.body)) {
    if ((node.kind === "if" || node.kind === "conditional") && is(node.test)) return true;
    if (node.kind === "bool-op" && node.values.some(is)) return true;
    if (node.kind === "unary" && node.operator === "not" && is(node.operand)) return true;
  }
  return /^(?:is|has|use|do|with|should|enable|even|need|return|store|load|save|apply)_/i.test(name);
}

/** A string that the parameter is compared with, or null. */
function comparedString(name, definition) {
  for (const node of nodes(definition.body))
    if (node.kind === "compare" && node.left.kind === "name" && node.left.id === name)
      for (const right of node.rights) if (right.kind === "string") return right.value;
  return null;
}

function constantFor(name, definition, { flag }) {
  const text = comparedString(name, definition);
  if (text !== null) return stringValue(text);
  if (/dtype|type$/i.test(name)) return { kind: "dtype", dtype: DTYPE_NAMES.float32 };
  if (isFlag(name, definition)) return boolValue(flag);
  if (/eps|scale|alpha|beta|prob|thresh|factor|limit/i.test(name)) return floatValue(0.5);
  if (/warps|stages/i.test(name)) return intValue(4);
  if (/precision/i.test(name)) return stringValue("ieee");
  if (/^(?:causal|training|inplace|activation)/i.test(name)) return boolValue(flag);
  if (/group/i.test(name)) return intValue(8);
  if (/^(?:BLOCK|B)_?[SMNTCRQL]\w*$/.test(name)) return intValue(32);
  return intValue(/k_?|^D|dim|head/i.test(name) ? 64 : 32);
}

/** Guesses that are tried in this order. */
export const ATTEMPTS = [
  ...["float32", "float16", "bfloat16", "int32", "int8"].map((dtype) => ({ dtype, usesNames: true })),
  ...["float32", "float16"].map((dtype) => ({ dtype, usesNames: false })),
].flatMap((attempt) => [false, true].map((flag) => ({ ...attempt, flag })));

/**
 * @param parameters what the front end says of each
 * @param set names that a decorator sets
 */
export function guessArguments(definition, parameters, functionNamed, attempt, defaults) {
  const pointers = pointerParams(definition, functionNamed);
  const { names: integers, loads } = integerNames(definition, pointers);
  const descriptors = descriptorParams(definition);
  const args = new Map();
  for (const { name, isConstexpr, dtype } of parameters) {
    const given = defaults(name);
    if (given !== null && given.kind !== "unknown" && (isConstexpr || given.kind !== "none")) {
      if (isConstexpr) args.set(name, { kind: "constant", value: given });
      else
        args.set(name, {
          kind: "value",
          dtype: DTYPE_NAMES[given.kind === "float" ? "float32" : "int32"],
          divisibility: 1,
        });
    } else if (isConstexpr) args.set(name, { kind: "constant", value: constantFor(name, definition, attempt) });
    else if (descriptors.has(name)) {
      const rank = descriptors.get(name);
      const blockShape = Array.from({ length: rank }, (_, d) => (d < rank - 2 ? 1 : 32));
      const sizes = { isAligned: true, alignedSizes: blockShape.map(() => false) };
      args.set(name, { kind: "descriptor", element: DTYPE_NAMES[attempt.dtype], blockShape, ...sizes });
    } else if (dtype !== null) args.set(name, { kind: "value", dtype, divisibility: 1 });
    else if (pointers.has(name)) {
      const isIndex = loads.has(name) || (attempt.usesNames && INDEX.test(name) && !/weight|logit|prob/i.test(name));
      const pointee = isIndex ? DTYPE_NAMES.int32 : DTYPE_NAMES[attempt.dtype];
      args.set(name, { kind: "value", dtype: pointerTo(pointee), divisibility: 16 });
    } else {
      const isFloat =
        !integers.has(name) &&
        /eps|scale|alpha|beta|prob|^p$|lr|decay|momentum|thresh|factor|smooth|softcap|^scalar|value$/i.test(name);
      const type = isFloat && !/stride|size/.test(name) ? DTYPE_NAMES.float32 : DTYPE_NAMES.int32;
      args.set(name, { kind: "value", dtype: type, divisibility: SCALAR.test(name) ? 16 : 1 });
    }
  }
  return args;
}

const passed = (dtype) => ({ kind: "value", dtype, divisibility: 1 });
const constant = (value) => ({ kind: "constant", value });
const PASSED = [
  ...["int32", "float32", "float16", "int64", "uint8", "int1"].map((name) => passed(pointerTo(DTYPE_NAMES[name]))),
  passed(DTYPE_NAMES.int32),
  passed(DTYPE_NAMES.float32),
  { kind: "constant", value: intValue(1) },
];
const CONSTANTS = [
  ...[1, 2, 4, 8, 16, 64, 128, 3].map(intValue),
  boolValue(true),
  boolValue(false),
  { kind: "dtype", dtype: DTYPE_NAMES.float32 },
  { kind: "dtype", dtype: DTYPE_NAMES.float16 },
  floatValue(0.5),
  NONE,
].map(constant);

const CHOICES = { value: PASSED, constant: CONSTANTS, descriptor: [] };

/** Arguments that differ from these in one. */
export function* neighbours(args) {
  for (const [name, arg] of args)
    for (const other of CHOICES[arg.kind]) {
      const isSame = arg.kind === "value" ? arg.dtype === other.dtype : arg.value === other.value;
      if (!isSame) yield new Map([...args, [name, other]]);
    }
}
