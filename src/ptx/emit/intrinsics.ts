/**
 * Calls of intrinsics and of the device runtime in PTX. Those that are one instruction are in intrinsic-templates.ts;
 * here is the rest.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { CallInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import { typeSuffix } from "../../ir/passes/pass-contract.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { atomic, emitPairAtomic } from "./atomics.ts";
import { convertedPointer } from "./casts.ts";
import { emitFloatIntrinsic } from "./float-intrinsics.ts";
import { intrinsicTemplate } from "./intrinsic-templates.ts";
import { emitClusterFunction } from "./cluster.ts";
import { emitRuntimeCall, isRuntimeFunction } from "./device-runtime.ts";
import { emitMatrixFunction } from "./matrix.ts";
import { scopeOf } from "./memory.ts";
import { isClusterFunction, isMatrixFunction, isPairAtomic, libraryTemplate } from "./library-functions.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { memoryType, registerClass } from "./ptx-types.ts";

type Handler = (f: PtxFunction, i: CallInstruction, facts: IntrinsicFacts) => void;

export function emitIntrinsic(f: PtxFunction, i: CallInstruction, name: string): void {
  const library = libraryTemplate(name);
  if (library !== null) return emitLines(f, i, library);
  if (isMatrixFunction(name)) return emitMatrixFunction(f, i, name);
  if (isPairAtomic(name)) return emitPairAtomic(f, i, name);
  if (isClusterFunction(name)) return emitClusterFunction(f, i, name);
  if (isRuntimeFunction(name)) return emitRuntimeCall(f, i, name);
  const facts = intrinsicOf(name);
  if (facts === null) throw unsupported(`the device function ${name} on a GPU`, i.location ?? undefined);
  const base = facts.name;
  if (facts.kind === "ignored" && !IGNORED_BUT_REAL.has(facts.words[0] as string)) return;
  const type = typeSuffixOf(i.args[0]?.type ?? i.type);
  const template = intrinsicTemplate(base, type);
  if (template !== null) return emitLines(f, i, template);
  const handler = handlerOf(facts);
  if (handler !== undefined) return handler(f, i, facts);
  if (emitFloatIntrinsic(f, i, base, type)) return;
  throw unsupported(`${name} on a GPU`, i.location ?? undefined);
}

/** First words of names that mean something on a GPU, though not in the engine. */
const IGNORED_BUT_REAL: ReadonlySet<string> = new Set(["cp", "nanosleep", "griddepcontrol"]);

function typeSuffixOf(type: IrType): string {
  return type.kind === "int" || type.kind === "float" ? typeSuffix(type) : "";
}

/**
 * Fills in a template. Halves and predicates are never literals; an i16 that an instruction writes as 16 bits is held
 * in 32.
 */
function emitLines(f: PtxFunction, i: CallInstruction, template: string): void {
  const temporaries = new Map<string, string>();
  const held = i.type.kind === "void" ? "r" : registerClass(i.type);
  const narrow = i.type.kind === "int" && i.type.bits === 16 ? f.fresh("h") : null;
  for (const line of template.split("; ")) {
    f.emit(
      line
        .replaceAll("{z}", f.ftz)
        .replaceAll("{sqrt}", f.approximate ? ".approx" : ".rn")
        .replace(
          /\$t(\d)/g,
          (_, n: string) => temporaries.get(n) ?? (temporaries.set(n, f.fresh(held)).get(n) as string),
        )
        .replace(/\$(\d)/g, (_, n: string) => f.operand(i.args[Number(n)] as IrValue))
        .replaceAll("$d", () => narrow ?? f.define(i)),
    );
  }
  if (narrow !== null) f.emit(`cvt.u32.u16 ${f.define(i)}, ${narrow}`);
}

const first: Handler = (f, i) => f.copy(i, f.register(i.args[0] as IrValue));

const convertPointer: Handler = (f, i) => f.copy(i, convertedPointer(f, i, i.args[0] as IrValue));

const wordOfDouble: Handler = (f, i, { operation }) => {
  const [low, high] = [f.fresh("r"), f.fresh("r")];
  f.emit(`mov.b64 {${low}, ${high}}, ${f.register(i.args[0] as IrValue)}`);
  f.alias(i, operation === "d2i.lo" ? low : high);
};

const multiplyHigh16: Handler = (f, i, { operation }) => {
  const isSigned = operation === "mulhi.s";
  const [a, b] = i.args.map((argument) =>
    isSigned ? f.make("r", `cvt.s32.s16 $d, ${f.register(argument)}`) : f.operand(argument),
  );
  f.emit(`bfe.u32 ${f.define(i)}, ${f.make("r", `mul.lo.s32 $d, ${a as string}, ${b as string}`)}, 16, 16`);
};

const rotate64: Handler = (f, i, { operation }) => {
  const value = f.register(i.args[0] as IrValue);
  const isRight = operation === "rotate.right.b64";
  const [left, right] = rotateAmounts(f, f.operand(i.args[1] as IrValue), isRight);
  const result = f.define(i);
  const upper = f.make("rd", `shl.b64 $d, ${value}, ${left}`);
  f.emit(`or.b64 ${result}, ${upper}, ${f.make("rd", `shr.u64 $d, ${value}, ${right}`)}`);
};

const dotProductOfTwo: Handler = (f, i, { words: [, a, b] }) => {
  const [x, y, isHigh, c] = i.args as [IrValue, IrValue, IrValue, IrValue];
  const half = isHigh.kind === "const-int" && isHigh.value === 1n ? "hi" : "lo";
  const result = f.define(i);
  const operands = [x, y, c].map((value) => f.operand(value)).join(", ");
  f.emit(`dp2a.${half}.${a as string}32.${b as string}32 ${result}, ${operands}`);
};

const objectSize: Handler = (f, i) => {
  const [, smallest] = i.args;
  const size = smallest?.kind === "const-int" && smallest.value === 1n ? 0 : -1;
  f.emit(`mov.b${scalarBits(i.type)} ${f.define(i)}, ${size}`);
};

const maskPointer: Handler = (f, i) => {
  const [pointer, mask] = i.args as [IrValue, IrValue];
  f.emit(`and.b${f.pointers.bits} ${f.define(i)}, ${f.register(pointer)}, ${f.operand(mask)}`);
};

const copyVariableArguments: Handler = (f, i) => {
  const [to, from] = [f.address(i.args[0] as IrValue), f.address(i.args[1] as IrValue)];
  const { held, bits } = f.pointers;
  f.emit(`st${to.space}.b${bits} ${to.text}, ${f.make(held, `ld${from.space}.b${bits} $d, ${from.text}`)}`);
};

const readOnlyLoad: Handler = (f, i) => {
  const { space, text } = f.address(i.args[0] as IrValue);
  f.emit(`ld${space}${space === ".global" ? ".nc" : ""}.${memoryType(i.type)} ${f.define(i)}, ${text}`);
};

/** Among the lanes that are converged. */
const shuffleConverged: Handler = (f, i, { shuffle }) => {
  const mask = f.make("r", "activemask.b32 $d");
  const operands = i.args.map((argument) => f.operand(argument)).join(", ");
  f.emit(`shfl.sync.${shuffle?.mode as string}.b32 ${f.define(i)}, ${operands}, ${mask}`);
};

/** By the operation's name in the table of intrinsics. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  "ptr.to.gen": convertPointer,
  "ptr.gen.to": convertPointer,
  "internal.addrspace.wrap": convertPointer,
  ctpop: bitFunction,
  ctlz: bitFunction,
  cttz: bitFunction,
  bswap: bitFunction,
  fshl: bitFunction,
  fshr: bitFunction,
  "sadd.sat": saturating,
  "uadd.sat": saturating,
  "ssub.sat": saturating,
  "usub.sat": saturating,
  scmp: compareThreeWay,
  ucmp: compareThreeWay,
  ptrmask: maskPointer,
  "is.constant": (f, i) => f.emit(`setp.ne.u32 ${f.define(i)}, 0, 0`),
  objectsize: objectSize,
  stacksave: (f, i) => f.emit(`mov.b32 ${f.define(i)}, 0`),
  stackrestore: () => {},
  va_start: variableArguments,
  va_copy: copyVariableArguments,
  "idp2a.s.s": dotProductOfTwo,
  "idp2a.s.u": dotProductOfTwo,
  "idp2a.u.s": dotProductOfTwo,
  "idp2a.u.u": dotProductOfTwo,
  "d2i.lo": wordOfDouble,
  "d2i.hi": wordOfDouble,
  "mulhi.s": multiplyHigh16,
  "mulhi.us": multiplyHigh16,
  "rotate.b64": rotate64,
  "rotate.right.b64": rotate64,
  vprintf: () => {
    throw unsupported("device printf on a GPU without the device library");
  },
  __assertfail: assertFail,
  __assert_fail: assertFail,
};

function handlerOf(facts: IntrinsicFacts): Handler | undefined {
  const { shuffle, match, barrier } = facts;
  if (facts.spaceTest !== null) return isSpace;
  if (shuffle !== null && !shuffle.hasMask) return shuffleConverged;
  if (shuffle?.withPredicate || match?.mode === "all") return withPredicate;
  if (barrier !== null && !barrier.hasId && barrier.reduction !== null) return barrierReduction;
  if (facts.isReadOnlyLoad) return readOnlyLoad;
  if (facts.atomic !== null) return nvvmAtomic;
  if (facts.asyncCopy !== null) return copyAsync;
  return HANDLERS[facts.operation] ?? (facts.returnsOperand ? first : undefined);
}

function rotateAmounts(f: PtxFunction, amount: string, isRight: boolean): [string, string] {
  const by = f.make("r", `and.b32 $d, ${f.inRegister(amount, "r")}, 63`);
  const back = f.make("r", `and.b32 $d, ${f.make("r", `neg.s32 $d, ${by}`)}, 63`);
  return isRight ? [back, by] : [by, back];
}

// ---------------------------------------------------------------- integers

function bitFunction(f: PtxFunction, i: CallInstruction, { operation }: IntrinsicFacts): void {
  const bits = scalarBits(i.type);
  const a = f.register(i.args[0] as IrValue);
  const widened = (register: string): void =>
    bits === 64 ? f.emit(`cvt.u64.u32 ${f.define(i)}, ${register}`) : f.alias(i, register);
  switch (operation) {
    case "ctpop":
      return widened(f.make("r", `popc.b${bits} $d, ${a}`));
    case "ctlz":
      return widened(f.make("r", `clz.b${bits} $d, ${a}`));
    case "cttz":
      return widened(f.make("r", `clz.b${bits} $d, ${f.make(registerClass(i.type), `brev.b${bits} $d, ${a}`)}`));
    case "bswap": {
      const [low, high] = [f.fresh("r"), f.fresh("r")];
      f.emit(`mov.b64 {${low}, ${high}}, ${a}`);
      const swap = (register: string): string => f.make("r", `prmt.b32 $d, ${register}, 0, 0x0123`);
      return f.emit(`mov.b64 ${f.define(i)}, {${swap(high)}, ${swap(low)}}`);
    }
    default: {
      // fshl and fshr of 64 bits; the shift back is in two steps, as 64 is too far for one.
      const b = f.register(i.args[1] as IrValue);
      const amount = f.operand(i.args[2] as IrValue);
      const low = amount.startsWith("%") ? f.make("r", `cvt.u32.u64 $d, ${amount}`) : f.inRegister(amount, "r");
      const by = f.make("r", `and.b32 $d, ${low}, 63`);
      const rest = f.make("r", `xor.b32 $d, ${by}, 63`);
      const left =
        operation === "fshl"
          ? f.make("rd", `shl.b64 $d, ${a}, ${by}`)
          : f.make("rd", `shl.b64 $d, ${f.make("rd", `shl.b64 $d, ${a}, 1`)}, ${rest}`);
      const right =
        operation === "fshl"
          ? f.make("rd", `shr.u64 $d, ${f.make("rd", `shr.u64 $d, ${b}, 1`)}, ${rest}`)
          : f.make("rd", `shr.u64 $d, ${b}, ${by}`);
      return f.emit(`or.b64 ${f.define(i)}, ${left}, ${right}`);
    }
  }
}

function saturating(f: PtxFunction, i: CallInstruction, { operation }: IntrinsicFacts): void {
  const bits = scalarBits(i.type);
  const held = registerClass(i.type);
  const [a, b] = i.args.map((argument) => f.register(argument)) as [string, string];
  const operator = operation.slice(1, 4);
  const result = f.make(held, `${operator}.s${bits} $d, ${a}, ${b}`);
  if (operation.startsWith("u")) {
    const over = f.make(
      "p",
      operator === "add" ? `setp.lt.u${bits} $d, ${result}, ${a}` : `setp.lt.u${bits} $d, ${a}, ${b}`,
    );
    return f.emit(`selp.b${bits} ${f.define(i)}, ${operator === "add" ? -1 : 0}, ${result}, ${over}`);
  }
  // It overflowed where the signs of the operands (for a difference: of one and of the other's negative) agree and the
  // result's does not.
  const x = f.make(held, `xor.b${bits} $d, ${result}, ${a}`);
  const y =
    operator === "add" ? f.make(held, `xor.b${bits} $d, ${result}, ${b}`) : f.make(held, `xor.b${bits} $d, ${a}, ${b}`);
  const over = f.make("p", `setp.lt.s${bits} $d, ${f.make(held, `and.b${bits} $d, ${x}, ${y}`)}, 0`);
  const sign = f.make(held, `shr.s${bits} $d, ${a}, ${bits - 1}`);
  const limit = f.make(held, `xor.b${bits} $d, ${sign}, ${bits === 64 ? "9223372036854775807" : "2147483647"}`);
  f.emit(`selp.b${bits} ${f.define(i)}, ${limit}, ${result}, ${over}`);
}

function compareThreeWay(f: PtxFunction, i: CallInstruction, { name, operation }: IntrinsicFacts): void {
  const [x, y] = i.args as [IrValue, IrValue];
  const bits = scalarBits(x.type);
  if (bits < 32 || scalarBits(i.type) === 64)
    throw unsupported(`${name} of ${bits} bits on a GPU`, i.location ?? undefined);
  const sign = operation === "scmp" ? "s" : "u";
  const [a, b] = [f.register(x), f.operand(y)];
  const above = f.make("r", `selp.b32 $d, 1, 0, ${f.make("p", `setp.gt.${sign}${bits} $d, ${a}, ${b}`)}`);
  const result = f.make("r", `selp.b32 $d, -1, ${above}, ${f.make("p", `setp.lt.${sign}${bits} $d, ${a}, ${b}`)}`);
  if (scalarBits(i.type) === 32) return f.alias(i, result);
  f.emit(`and.b32 ${f.define(i)}, ${result}, ${(1 << scalarBits(i.type)) - 1}`);
}

// ---------------------------------------------------------------- several results

/** A value and a predicate. */
function withPredicate(f: PtxFunction, i: CallInstruction, { shuffle }: IntrinsicFacts): void {
  const [mask, a, b, c] = i.args.map((argument) => f.operand(argument)) as [string, string, string, string];
  const elements = i.type.kind === "struct" ? i.type.elements : [];
  const value = f.fresh(registerClass(elements[0] as IrType));
  const predicate = f.fresh("p");
  f.results.set(i, [value, predicate]);
  if (shuffle === null)
    return f.emit(`match.all.sync.b${scalarBits((i.args[1] as IrValue).type)} ${value}|${predicate}, ${a}, ${mask}`);
  f.emit(`shfl.sync.${shuffle.mode}.b32 ${value}|${predicate}, ${a}, ${b}, ${c}, ${mask}`);
}

function barrierReduction(f: PtxFunction, i: CallInstruction, { barrier }: IntrinsicFacts): void {
  const word = barrier?.reduction as string;
  const condition = f.make("p", `setp.ne.u32 $d, ${f.register(i.args[0] as IrValue)}, 0`);
  if (word === "popc") return f.emit(`barrier.red.popc.aligned.u32 ${f.define(i)}, 0, ${condition}`);
  f.emit(`selp.b32 ${f.define(i)}, 1, 0, ${f.make("p", `barrier.red.${word}.aligned.pred $d, 0, ${condition}`)}`);
}

// ---------------------------------------------------------------- memory

function isSpace(f: PtxFunction, i: CallInstruction, { spaceTest }: IntrinsicFacts): void {
  const pointer = i.args[0] as IrValue;
  const generic = f.inRegister(f.programPointer(pointer), f.pointers.held);
  f.pointers.testSpace(f, f.define(i), generic, spaceTest === "const" || spaceTest === null ? "constant" : spaceTest);
}

function nvvmAtomic(f: PtxFunction, i: CallInstruction, facts: IntrinsicFacts): void {
  const { operator, scope: named } = facts.atomic ?? bug("an atomic operation");
  const scope = named === "system" ? null : named;
  const [pointer, value, desired] = i.args as [IrValue, IrValue, IrValue];
  if (operator === "cas") {
    const { space, text } = f.address(pointer);
    const name = `atom.relaxed.${scopeOf(f, scope)}${space}.cas.b${scalarBits(i.type)}`;
    return f.emit(`${name} ${f.define(i)}, ${text}, ${f.operand(value)}, ${f.operand(desired)}`);
  }
  atomic(f, i, operator, pointer, value, "monotonic", scope);
}

function copyAsync(f: PtxFunction, i: CallInstruction, { asyncCopy }: IntrinsicFacts): void {
  const { cache, bytes, isPartial } = asyncCopy ?? bug("an asynchronous copy");
  const [to, from] = [f.pointerIn(i.args[0] as IrValue, "shared"), f.address(i.args[1] as IrValue)];
  const size = isPartial ? `, ${f.operand(i.args[2] as IrValue)}` : "";
  // The source must be in global memory, where a generic address is the same number.
  f.emit(`cp.async.${cache}.shared.global [${f.inRegister(to, f.pointers.held)}], ${from.text}, ${bytes}${size}`);
}

/** The list is a pointer to what lies behind the named parameters, which came as one more. */
function variableArguments(f: PtxFunction, i: CallInstruction): void {
  const { space, text } = f.address(i.args[0] as IrValue);
  const { held, bits } = f.pointers;
  f.emit(
    `st${space}.b${bits} ${text}, ${f.make(held, `ld.param.b${bits} $d, [${f.program.functionName(f.fn)}_rest]`)}`,
  );
}

/** The driver's own: it prints the message with block and thread, and the launch ends with an assertion error. */
function assertFail(f: PtxFunction, i: CallInstruction): void {
  f.program.externals.add(
    ".extern .func __assertfail (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function," +
      " .param .b64 charSize);",
  );
  const [message, file, line, fn] = i.args as [IrValue, IrValue, IrValue, IrValue];
  const text = (value: IrValue): string => f.wideAddress(value);
  const args: [string, string][] = [
    ["b64", text(message)],
    ["b64", text(file)],
    ["b32", f.operand(line)],
    ["b64", text(fn)],
    ["b64", "1"],
  ];
  f.lines.push("\t{");
  args.forEach(([type, operand], n) => {
    f.emit(`.param .${type} a${n}`);
    f.emit(`st.param.${type} [a${n}], ${operand}`);
  });
  f.emit("call __assertfail, (a0, a1, a2, a3, a4)");
  f.lines.push("\t}");
}
