/** Every instruction but calls, phis and returns, on scalars only: a rule for each operation. */
import { unsupported } from "../../base/diagnostics.ts";
import { constI32, constPoison, isConstant, newInstruction } from "../model/build.ts";
import type {
  AtomicRmwInstruction,
  BinaryInstruction,
  CastInstruction,
  CmpxchgInstruction,
  ConstInt,
  ExtractElementInstruction,
  ExtractValueInstruction,
  GepInstruction,
  InsertElementInstruction,
  InsertValueInstruction,
  IrInstruction,
  IrValue,
  LoadInstruction,
  SelectInstruction,
  ShuffleVectorInstruction,
  StoreInstruction,
  SwitchInstruction,
} from "../model/ir.ts";
import { I32, intType, isInt, scalarOf } from "../model/types.ts";
import { isBit, type LegalizeContext } from "./legalize-context.ts";
import { castParts, narrowBinary, narrowCompare, wideBinary, wideCompare } from "./legalize-ints.ts";
import { loadParts, partWidths, storeParts } from "./legalize-memory.ts";
import { containerOf, isLegal, isWide, partRange, partTypes } from "./legalize-types.ts";
import { bitcastParts, elementAt, insertElement, selectElement } from "./legalize-vectors.ts";

type Operation = IrInstruction["op"];
type Rule<Op extends Operation> = (context: LegalizeContext, i: Extract<IrInstruction, { op: Op }>) => void;

/** What has no rule has scalar operands only, and stays. */
const RULES: { readonly [Op in Operation]?: Rule<Op> } = {
  binary: legalizeBinary,
  fneg: (context, i) => {
    const { emitter: e } = context;
    legalizeElementwise(context, i, i.operand, (value) =>
      newInstruction(e, { op: "fneg", type: value.type, name: e.name(), operand: value, fastMath: i.fastMath }),
    );
  },
  freeze: (context, i) => {
    const { emitter: e } = context;
    legalizeElementwise(context, i, i.operand, (value) =>
      newInstruction(e, { op: "freeze", type: value.type, name: e.name(), operand: value }),
    );
  },
  icmp: legalizeCompare,
  fcmp: legalizeCompare,
  cast: legalizeCast,
  select: legalizeSelect,
  gep: legalizeGep,
  load: legalizeLoad,
  store: legalizeStore,
  cmpxchg: legalizeCmpxchg,
  atomicrmw: legalizeAtomicRmw,
  extractvalue: legalizeExtractValue,
  insertvalue: legalizeInsertValue,
  extractelement: legalizeExtractElement,
  insertelement: legalizeInsertElement,
  shufflevector: legalizeShuffle,
  va_arg: (context, i) => {
    if (!isLegal(i.type)) throw unsupported("va_arg of an aggregate", i.location ?? undefined);
    context.keep(i);
  },
  switch: legalizeSwitch,
};

export function legalizeInstruction(context: LegalizeContext, i: IrInstruction): void {
  const rule = RULES[i.op] as ((context: LegalizeContext, i: IrInstruction) => void) | undefined;
  if (rule === undefined) context.keep(i);
  else rule(context, i);
}

function legalizeElementwise(
  context: LegalizeContext,
  i: IrInstruction,
  operand: IrValue,
  make: (value: IrValue) => IrInstruction,
): void {
  if (isLegal(i.type)) return context.keep(i);
  context.set(
    i,
    context.partsOf(operand).map((value) => context.emitter.append(make(value))),
  );
}

function legalizeBinary(context: LegalizeContext, i: BinaryInstruction): void {
  const { emitter: e } = context;
  if (isLegal(i.type)) return context.keep(i);
  const scalar = scalarOf(i.type);
  const [lhs, rhs] = [context.partsOf(i.lhs), context.partsOf(i.rhs)];
  const each = partTypes(scalar).length;
  const result: IrValue[] = [];
  for (let n = 0; n < lhs.length; n += each) {
    const [a, b] = [lhs.slice(n, n + each), rhs.slice(n, n + each)];
    if (isInt(scalar) && isWide(scalar)) result.push(...wideBinary(e, i.operator, scalar.bits, a, b));
    else if (isInt(scalar)) result.push(narrowBinary(e, i.operator, scalar.bits, a[0] as IrValue, b[0] as IrValue));
    else result.push(e.binary(i.operator, a[0] as IrValue, b[0] as IrValue, i.fastMath));
  }
  context.set(i, result);
}

function legalizeCompare(context: LegalizeContext, i: Extract<IrInstruction, { op: "icmp" | "fcmp" }>): void {
  const { emitter: e } = context;
  const operandType = i.lhs.type;
  if (isLegal(operandType)) return context.keep(i);
  const scalar = scalarOf(operandType);
  const [lhs, rhs] = [context.partsOf(i.lhs), context.partsOf(i.rhs)];
  const each = partTypes(scalar).length;
  const result: IrValue[] = [];
  for (let n = 0; n < lhs.length; n += each) {
    const [a, b] = [lhs.slice(n, n + each), rhs.slice(n, n + each)];
    const [x, y] = [a[0] as IrValue, b[0] as IrValue];
    if (i.op === "fcmp") result.push(e.fcmp(i.predicate, x, y, i.fastMath));
    else if (isInt(scalar) && isWide(scalar)) result.push(wideCompare(e, i.predicate, scalar.bits, a, b));
    else if (isInt(scalar)) result.push(narrowCompare(e, i.predicate, scalar.bits, x, y));
    else result.push(e.icmp(i.predicate, x, y));
  }
  context.set(i, result);
}

function legalizeCast(context: LegalizeContext, i: CastInstruction): void {
  const { emitter: e } = context;
  const from = i.operand.type;
  if (isLegal(from) && isLegal(i.type)) return context.keep(i);
  const parts = context.partsOf(i.operand);
  if (i.operator === "bitcast") return context.set(i, bitcastParts(e, from, i.type, parts));
  const [a, b] = [scalarOf(from), scalarOf(i.type)];
  const each = partTypes(a).length;
  const result: IrValue[] = [];
  for (let n = 0; n < parts.length; n += each) result.push(...castParts(e, i.operator, a, b, parts.slice(n, n + each)));
  context.set(i, result);
}

function legalizeGep(context: LegalizeContext, i: GepInstruction): void {
  const { emitter: e } = context;
  if (isLegal(i.type)) {
    // Indices of unusual width are signed.
    i.indices = i.indices.map((index) =>
      isLegal(index.type) || isConstant(index)
        ? index
        : (castParts(
            e,
            (index.type as { bits: number }).bits > 32 ? "trunc" : "sext",
            index.type,
            I32,
            context.partsOf(index),
          )[0] as IrValue),
    );
    i.indices = i.indices.map((index) =>
      isConstant(index) && index.kind === "const-int" && !isLegal(index.type)
        ? constI32(Number(BigInt.asIntN(32, BigInt.asIntN(index.type.bits, index.value))))
        : index,
    );
    return context.keep(i);
  }
  const length = i.type.kind === "vector" ? i.type.length : 1;
  const lane = (value: IrValue, n: number): IrValue => {
    const parts = context.partsOf(value);
    return (value.type.kind === "vector" ? parts[n] : parts[0]) as IrValue;
  };
  const element = scalarOf(i.type);
  context.set(
    i,
    Array.from({ length }, (_, n) =>
      e.append(
        newInstruction<GepInstruction>(e, {
          op: "gep",
          type: element,
          name: e.name(),
          sourceType: i.sourceType,
          base: lane(i.base, n),
          indices: i.indices.map((index) => lane(index, n)),
          inbounds: i.inbounds,
        }),
      ),
    ),
  );
}

function legalizeSelect(context: LegalizeContext, i: SelectInstruction): void {
  const { emitter: e } = context;
  if (isLegal(i.type)) return context.keep(i);
  const conditions = context.partsOf(i.condition);
  const [then, otherwise] = [context.partsOf(i.then), context.partsOf(i.else)];
  const each = conditions.length === 1 ? then.length : then.length / conditions.length;
  context.set(
    i,
    then.map((value, n) => e.select(conditions[Math.floor(n / each)] as IrValue, value, otherwise[n] as IrValue)),
  );
}

// ---------------------------------------------------------------- memory

function legalizeLoad(context: LegalizeContext, i: LoadInstruction): void {
  if (isLegal(i.type) && !isBit(i.type)) return context.keep(i);
  context.set(i, loadParts(context.emitter, i.type, context.single(i.pointer), i.align, i));
}

function legalizeStore(context: LegalizeContext, i: StoreInstruction): void {
  if (isLegal(i.value.type) && !isBit(i.value.type)) return context.keep(i);
  storeParts(context.emitter, i.value.type, context.partsOf(i.value), context.single(i.pointer), i.align, i);
}

function legalizeCmpxchg(context: LegalizeContext, i: CmpxchgInstruction): void {
  const { emitter: e } = context;
  const { type } = i.expected;
  if (!isLegal(type)) throw unsupported(`cmpxchg of ${isInt(type) ? type.bits : 0} bits`, i.location ?? undefined);
  context.keep(i);
  context.set(i, [e.extractValue(i, [0], type), e.extractValue(i, [1], intType(1))]);
}

/** Each element of a vector is atomic by itself, as CUDA says of atomicAdd on half2. */
function legalizeAtomicRmw(context: LegalizeContext, i: AtomicRmwInstruction): void {
  const { emitter: e } = context;
  if (isLegal(i.type)) return context.keep(i);
  if (i.type.kind !== "vector" || !isLegal(i.type.element))
    throw unsupported(`atomicrmw of an integer of unusual width`, i.location ?? undefined);
  const bytes = (partWidths(i.type.element)[0] as number) / 8;
  const pointer = context.single(i.pointer);
  const parts = context.partsOf(i.value).map((value, n) =>
    e.append({
      ...i,
      type: value.type,
      name: e.name(),
      location: e.location,
      block: e.block,
      pointer: e.offset(pointer, n * bytes),
      value,
    }),
  );
  context.set(i, parts);
}

// ---------------------------------------------------------------- aggregates

function legalizeExtractValue(context: LegalizeContext, i: ExtractValueInstruction): void {
  const { from, count } = partRange(i.aggregate.type, i.indices);
  context.set(i, context.partsOf(i.aggregate).slice(from, from + count));
}

function legalizeInsertValue(context: LegalizeContext, i: InsertValueInstruction): void {
  const { from, count } = partRange(i.type, i.indices);
  const parts = [...context.partsOf(i.aggregate)];
  parts.splice(from, count, ...context.partsOf(i.element));
  context.set(i, parts);
}

function legalizeExtractElement(context: LegalizeContext, i: ExtractElementInstruction): void {
  const each = partTypes(i.type);
  const parts = context.partsOf(i.vector);
  const index = i.index.kind === "const-int" ? Number(i.index.value) : context.single(i.index);
  context.set(
    i,
    typeof index === "number"
      ? elementAt(parts, each, index)
      : selectElement(context.emitter, parts, each.length, index),
  );
}

function legalizeInsertElement(context: LegalizeContext, i: InsertElementInstruction): void {
  const index = i.index.kind === "const-int" ? Number(i.index.value) : context.single(i.index);
  context.set(i, insertElement(context.emitter, context.partsOf(i.vector), context.partsOf(i.element), index));
}

function legalizeShuffle(context: LegalizeContext, i: ShuffleVectorInstruction): void {
  const all = [...context.partsOf(i.lhs), ...context.partsOf(i.rhs)];
  const elementParts = partTypes(scalarOf(i.type));
  const each = elementParts.length;
  context.set(
    i,
    i.mask.flatMap((entry) =>
      entry < 0 ? elementParts.map((type) => constPoison(type)) : all.slice(entry * each, (entry + 1) * each),
    ),
  );
}

function legalizeSwitch(context: LegalizeContext, i: SwitchInstruction): void {
  const { type } = i.value;
  if (isLegal(type)) return context.keep(i);
  if (!isInt(type) || isWide(type)) throw unsupported("switch on an integer above 64 bits", i.location ?? undefined);
  const container = containerOf(type);
  i.cases = i.cases.map(({ value, target }) => ({ value: { ...value, type: container } satisfies ConstInt, target }));
  context.keep(i);
}
