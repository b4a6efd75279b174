/** Calls on scalars only: of functions of the program, of intrinsics, and of what the target defines. */
import { intrinsicOf } from "../intrinsics/lookup.ts";
import { isLlvmName, isNvvmName } from "../intrinsics/name-fields.ts";
import { isConstant, newInstruction } from "../model/build.ts";
import type { CallInstruction, IrFunction, IrValue } from "../model/ir.ts";
import { pointerOf } from "../model/types.ts";
import { PLAIN_ACCESS, type LegalizeContext } from "./legalize-context.ts";
import { legalizeIntrinsic } from "./legalize-intrinsics.ts";
import { emitCopy, emitFill, knownAlignment, loadParts } from "./legalize-memory.ts";
import { isLegal, legalFunctionType, partTypes } from "./legalize-types.ts";
import { rebuildVector, takeApart } from "./legalize-vectors.ts";

export function legalizeCall(context: LegalizeContext, call: CallInstruction): void {
  const { emitter: e } = context;
  const { callee } = call;
  if (callee.kind === "function" && callee.blocks.length === 0 && callee !== context.function)
    return legalizeIntrinsicCall(context, call, callee);
  if (callee.kind === "inline-asm") return keepTargetCall(context, call);
  const type = legalFunctionType(call.functionType, pointerOf(context.function));
  if (isLegal(call.type) && call.args.every((arg) => isLegal(arg.type))) return context.keep(call);
  const results = partTypes(call.type);
  const args = call.args.flatMap((arg) => [...context.partsOf(arg)]);
  const byval = call.args.flatMap((arg, n) =>
    context.partsOf(arg).map(() => (isLegal(arg.type) ? (call.byval[n] ?? null) : null)),
  );
  const spill = results.length > 1 ? context.alloca(call.type) : null;
  if (spill !== null) {
    args.unshift(spill);
    byval.unshift(null);
  }
  const target = callee.kind === "function" ? callee : context.single(callee);
  const made = e.append(
    newInstruction<CallInstruction>(e, {
      op: "call",
      type: type.result,
      name: type.result.kind === "void" ? "" : e.name(),
      callee: target,
      functionType: type,
      args,
      fastMath: call.fastMath,
      attributes: call.attributes,
      byval,
    }),
  );
  if (spill !== null) context.set(call, loadParts(e, call.type, spill, spill.align, PLAIN_ACCESS));
  else if (call.type.kind !== "void") context.set(call, results.length === 0 ? [] : [made]);
}

function legalizeIntrinsicCall(context: LegalizeContext, call: CallInstruction, callee: IrFunction): void {
  const { emitter: e } = context;
  const range = intrinsicOf(callee.name)?.memoryRange ?? null;
  if (range !== null) {
    const [first, second, length, isVolatile] = call.args.map((arg) => context.partsOf(arg)[0] as IrValue);
    const isVolatileFlag = isVolatile?.kind === "const-int" && isVolatile.value === 1n;
    if (first && second && length && isVolatile && range !== "memset") {
      const align = { destination: alignmentOf(call, 0), source: alignmentOf(call, 1) };
      return emitCopy(e, range, first, second, length, align, isVolatileFlag);
    }
    if (first && second && length && isVolatile)
      return emitFill(e, first, second, length, alignmentOf(call, 0), isVolatileFlag);
  }
  if (isLlvmName(callee.name) && !isNvvmName(callee.name)) {
    const parts = legalizeIntrinsic(
      e,
      call,
      callee.name,
      call.args.map((arg) => (arg.kind === "metadata" ? [arg] : context.partsOf(arg))),
    );
    if (parts !== null) return call.type.kind === "void" ? undefined : context.set(call, parts);
  }
  keepTargetCall(context, call);
}

/** What the target defines: it keeps its signature. Vectors are built for it, several results are taken apart. */
function keepTargetCall(context: LegalizeContext, call: CallInstruction): void {
  const { emitter: e } = context;
  const isPlain = isLegal(call.type) && call.args.every((arg) => arg.kind === "metadata" || isLegal(arg.type));
  if (isPlain) return context.keep(call);
  const args = call.args.map((arg) => targetArgument(context, arg));
  const callee =
    call.callee.kind === "function" || call.callee.kind === "inline-asm" ? call.callee : context.single(call.callee);
  const made = e.append<CallInstruction>({
    ...call,
    name: call.type.kind === "void" ? "" : call.name,
    args,
    callee,
    block: e.block,
  });
  if (call.type.kind === "void") return;
  context.set(call, isLegal(call.type) ? [made] : takeApart(e, made, call.type));
}

/**
 * What is known about the alignment of a pointer argument: what the call promises, or what the pointer comes from.
 */
function alignmentOf(call: CallInstruction, n: number): number {
  const promised = call.argAlign?.[n] ?? 1;
  return Math.max(promised, knownAlignment(call.args[n] as IrValue, 0));
}

/** A vector is built for the target. */
function targetArgument(context: LegalizeContext, arg: IrValue): IrValue {
  if (arg.kind === "metadata") return arg;
  if (isLegal(arg.type)) return context.single(arg);
  return isConstant(arg) ? arg : rebuildVector(context.emitter, arg.type, context.partsOf(arg));
}
