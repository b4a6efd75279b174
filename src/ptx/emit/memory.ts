/** Loads, stores, address arithmetic and fences in PTX (PTX ISA 8.5, 8 "Memory Consistency Model", 9.7.8). */
import { gepOffset, type GepOffset } from "../../ir/model/gep.ts";
import type {
  AtomicOrdering,
  FenceInstruction,
  GepInstruction,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { packedWords } from "./packed-halves.ts";
import type { MemoryGroups } from "../passes/pass-vectorize-memory.ts";
import { kernelParamName, type PtxFunction } from "./ptx-function.ts";
import { memoryType, registerClass } from "./ptx-types.ts";

/** ".volatile", ".relaxed.gpu" and the like, and the fence in front of a sequentially consistent access. */
function strength(f: PtxFunction, i: LoadInstruction | StoreInstruction, space: string): string {
  if (i.ordering !== null && space !== ".param" && space !== ".const" && space !== ".local")
    return `.${fenced(f, i.ordering, scopeOf(f, i.scope), i.op)}`;
  return i.volatile && space !== ".param" && space !== ".const" && space !== ".local" ? ".volatile" : "";
}

/**
 * The order and the scope of one atomic operation, as instructions have them ("acquire.gpu"). What is sequentially
 * consistent has a fence in front of it, and acquires if it reads (Lustig, Sahasrabuddhe, Giroux: "A Formal Analysis of
 * the NVIDIA PTX Memory Consistency Model", table of C++ to PTX).
 */
export function fenced(
  f: PtxFunction,
  ordering: AtomicOrdering,
  scope: string,
  kind: "load" | "store" | "update",
): string {
  if (ordering === "seq_cst") f.emit(`fence.sc.${scope}`);
  return `${semantics(ordering, kind)}.${scope}`;
}

function semantics(ordering: AtomicOrdering, kind: "load" | "store" | "update"): string {
  switch (ordering) {
    case "unordered":
    case "monotonic":
      return "relaxed";
    case "seq_cst":
      return kind === "store" ? "relaxed" : "acquire";
    default:
      return ordering;
  }
}

/** Of a vector (PTX ISA, "ld"). What has more elements is words of two. */
const MOST_ELEMENTS = 4;

export function emitLoad(f: PtxFunction, i: LoadInstruction, groups: MemoryGroups): void {
  const group = groups.loads.get(i);
  const members = group?.members ?? [i];
  if (group !== undefined && group.leader !== i) return; // loaded with the first one
  const { space, text } = f.address(group?.pointer ?? i.pointer, group?.offset ?? 0);
  const cache = `${cacheOperator(i, space)}${groups.readOnly.has(i) && space === ".global" ? ".nc" : ""}`;
  const how = strength(f, i, space);
  const registers = members.map((member) => f.define(member));
  if (members.length === 1) f.emit(`ld${how}${space}${cache}.${memoryType(i.type)} ${registers[0] as string}, ${text}`);
  else if (members.length > MOST_ELEMENTS) {
    const words = Array.from({ length: members.length / 2 }, () => f.fresh("r"));
    f.emit(`ld${space}${cache}.v${words.length}.b32 {${words.join(", ")}}, ${text}`);
    words.forEach((word, n) =>
      takeApart(f, word, [registers[2 * n] as string, registers[2 * n + 1] as string], i.type),
    );
  } else {
    const element = vectorElement(members.map((member) => member.type));
    f.emit(`ld${space}${cache}.v${members.length}.${element} {${registers.join(", ")}}, ${text}`);
  }
}

/** A word with two elements of 16 bits. */
function takeApart(f: PtxFunction, word: string, [low, high]: readonly [string, string], type: IrType): void {
  if (registerClass(type) === "h") return f.emit(`mov.b32 {${low}, ${high}}, ${word}`);
  f.emit(`and.b32 ${low}, ${word}, 0xffff`);
  f.emit(`shr.u32 ${high}, ${word}, 16`);
}

/** Integers of 16 bits as words of two; null where they go into memory as they are. */
function intWords(f: PtxFunction, values: readonly IrValue[]): string[] | null {
  if (values.length <= MOST_ELEMENTS) return null;
  return Array.from({ length: values.length / 2 }, (_, n) =>
    putTogether(f, [values[2 * n] as IrValue, values[2 * n + 1] as IrValue]),
  );
}

function putTogether(f: PtxFunction, [low, high]: readonly [IrValue, IrValue]): string {
  const [a, b] = [low, high].map((value) => f.inRegister(f.operand(value), "r"));
  return f.make("r", `prmt.b32 $d, ${a}, ${b}, 0x5410`);
}

export function emitStore(f: PtxFunction, i: StoreInstruction, groups: MemoryGroups): void {
  const group = groups.stores.get(i);
  if (group !== undefined && group.leader !== i) return; // stored with the last one
  const members = group?.members ?? [i];
  const { space, text } = f.address(group?.pointer ?? i.pointer, group?.offset ?? 0);
  const how = strength(f, i, space);
  const type = memoryType(i.value.type);
  const stored = members.map((member) => member.value);
  const words =
    members.length === 1
      ? null
      : (packedWords(f, stored, i.block, members.length > MOST_ELEMENTS) ?? intWords(f, stored));
  if (words !== null) {
    const vector = words.length === 1 ? (words[0] as string) : `{${words.join(", ")}}`;
    return f.emit(
      `st${space}${cacheOperator(i, space)}${words.length === 1 ? "" : `.v${words.length}`}.b32 ${text}, ${vector}`,
    );
  }
  const values = members.map((member) => storedOperand(f, member.value));
  const cache = cacheOperator(i, space);
  if (members.length === 1) return f.emit(`st${how}${space}${cache}.${type} ${text}, ${values[0] as string}`);
  const types = members.map(({ value }) => value.type);
  const registers = values.map((operand, n) => f.inRegister(operand, registerClass(types[n] as IrType)));
  f.emit(`st${space}${cache}.v${members.length}.${vectorElement(types)} ${text}, {${registers.join(", ")}}`);
}

/** Where the instruction takes one: not with an order of its own, nor in memory that is not cached. */
function cacheOperator(i: LoadInstruction | StoreInstruction, space: string): string {
  return i.cache !== null && i.ordering === null && !i.volatile && (space === "" || space === ".global")
    ? `.${i.cache}`
    : "";
}

/** Elements of a vector have one type; bits, where theirs differ. */
function vectorElement(types: readonly IrType[]): string {
  const names = new Set(types.map(memoryType));
  const first = memoryType(types[0] as IrType);
  return names.size === 1 ? first : `b${first.replace(/\D/g, "")}`;
}

/** A value as it lies in memory. */
export function storedOperand(f: PtxFunction, value: IrValue): string {
  return value.type.kind === "ptr" ? f.programPointer(value) : f.operand(value);
}

/** base + Σ index · scale + constant. */
export function emitGep(f: PtxFunction, i: GepInstruction): void {
  const distance = gepOffset(i.sourceType, i.indices);
  if (f.spaceOf(i.base) === "param") return emitParamGep(f, i, distance);
  const { constant, terms } = distance;
  const base = i.base.kind === "const-null" ? "0" : f.operand(i.base);
  f.alias(i, f.inRegister(f.pointers.add(f, base, terms, constant), f.pointers.held));
}

/** Instructions name the parameter and a constant distance; the address of an element at an index is in a register. */
function emitParamGep(f: PtxFunction, i: GepInstruction, { constant, terms }: GepOffset): void {
  if (f.splitPointer(i).base.kind === "param") return;
  const { base, offset } = f.splitPointer(i.base);
  const { held } = f.pointers;
  const from =
    base.kind === "param" ? f.make(held, `mov.b${f.pointers.bits} $d, ${kernelParamName(base)}`) : f.operand(base);
  f.alias(i, f.inRegister(f.pointers.add(f, from, terms, constant + offset), held));
}

export function emitFence(f: PtxFunction, i: FenceInstruction): void {
  if (i.scope === "singlethread") return; // a compiler's fence: no compiler moves anything from here on that it may not
  const scope = scopeOf(f, i.scope);
  f.emit(`fence.${i.ordering === "seq_cst" ? "sc" : "acq_rel"}.${scope}`);
}

/**
 * LLVM's names for who sees an atomic operation, and PTX's. The system is the GPU: a program's host part shares no
 * memory with a kernel that runs.
 */
export function scopeOf(f: PtxFunction, scope: string | null): "cta" | "cluster" | "gpu" {
  if (scope === "singlethread" || scope === "block") return "cta";
  return scope === "cluster" && f.program.architecture >= 90 ? "cluster" : "gpu";
}
