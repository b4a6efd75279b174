/**
 * Loads of all lanes at once.
 *
 * Where the addresses are contiguous or equal within slices, vector loads stand behind one check. Where nothing is
 * known and all lanes are active, each lane loads in line. Else a function out of line (memory-helpers.ts) goes through
 * the active lanes. All lanes load before anything else happens, as the lanes of a converged warp do.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { LoadInstruction } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { accessBytes, emitAccessTest, emitRawLoad, requiredAlign, splitPointer } from "../../emit/memory.ts";
import { isWide } from "./element.ts";
import { pushMaskVector } from "../control-flow/mask-locals.ts";
import { reloadFromSlot } from "./lane-scratch.ts";
import { SLICES, lanesOfRow } from "../../../analysis/lane-addresses/lane-shape.ts";
import {
  type MemoryContext,
  type Access,
  accessOf,
  pushTestOrFlag,
  isLoadInBounds,
  pushHelperArguments,
  pushLaneTest,
} from "./memory-access.ts";
import { pushSlice, pushGather } from "./slice-loads.ts";
import { type SliceAddresses, sliceAddresses } from "./slice-addresses.ts";

/** From so many active lanes on, all are loaded side by side. */
const MANY_LANES = 8;

/** A load of one value for each row of lanes. The address of a row without active lanes may be illegal. */
export function emitRowUniformLoad(context: MemoryContext, i: LoadInstruction): void {
  const { code, values } = context;
  const location = values.locationOf(i);
  if (location.kind !== "rowUniform") bug("the result of a row-uniform load is kept otherwise");
  const bytes = accessBytes(i.type);
  const align = requiredAlign(i, bytes);
  const isInBounds = context.isProvenInBounds({ pointer: i.pointer, bytes, align }, "all");
  const flag = context.flagOf(i);
  if (isInBounds && !i.volatile) {
    const { base, distance } = splitPointer(i.pointer, i);
    location.locals.forEach((local, g) => {
      emitRawLoad(
        code,
        i.type,
        false,
        Math.min(align, bytes),
        distance + values.pushBaseNear(base, g, location.locals.length, distance),
      );
      code.localSet(local);
    });
    return;
  }
  const address = code.local("i32");
  location.locals.forEach((local, g) => {
    values.pushBase(i.pointer, g, location.locals.length);
    code.localSet(address);
    if (!isInBounds) {
      if (flag !== null) code.localGet(flag).i32Eqz().hint("unlikely").if();
      emitAccessTest(context.scalar(), address, bytes, align);
      code.hint("unlikely").if();
      code.localGet(context.mask);
      code
        .i32Const(lanesOfRow(g, location.locals.length))
        .i32And()
        .localGet(address)
        .i32Const(context.siteOf(i))
        .call(context.helpers.illegalUnlessIdle)
        .localSet(address);
      code.end();
      if (flag !== null) code.end();
    }
    code.localGet(address);
    emitRawLoad(code, i.type, i.volatile && align >= bytes, Math.min(align, bytes));
    code.localSet(local);
  });
  code.free(address);
}

/** Emits a load with a varying address; sets the instruction's locals, or its place in memory. */
export function emitVectorLoad(context: MemoryContext, i: LoadInstruction): void {
  const { code, values } = context;
  const location = values.locationOf(i);
  if (location.kind === "vector") {
    emitVectorLoadTo(context, i, location.locals);
    return;
  }
  if (location.kind !== "memory") bug("load with a varying address has a vector result");
  const locals = Array.from({ length: SLICES }, () => code.local("v128"));
  emitVectorLoadTo(context, i, locals);
  locals.forEach((local, s) => {
    code.localGet(local);
    values.setVector(i, s);
  });
  code.free(...locals);
}

function emitVectorLoadTo(context: MemoryContext, i: LoadInstruction, locals: readonly Local[]): void {
  const { code, values } = context;
  const access = accessOf(i);
  const parts = isWide(access.element) ? 2 : 1;
  const slow = (addresses: SliceAddresses | null = null): void => {
    pushHelperArguments(context, i, access, addresses);
    code.call(context.helpers.gather(access.bytes, access.align, addresses?.offsets ?? "vectors"));
    reloadFromSlot(code, locals, context.scratch, 1);
    if (access.element === "i1") for (const l of locals) code.localGet(l).i32x4Const(0, 0, 0, 0).i32x4Ne().localSet(l);
  };
  if (access.align < access.bytes || access.element === "i1") {
    slow();
    return;
  }
  const addresses = sliceAddresses(context, access);
  addresses?.setBases();
  const isInBounds = isLoadInBounds(context, access);
  if (!isInBounds && addresses === null && !context.isFull) {
    emitMaskedGather(context, i, access, locals, slow);
    return;
  }
  if (!isInBounds) {
    pushTestOrFlag(context, i, () => {
      if (addresses !== null) addresses.pushTest();
      else pushLaneTest(context, access, (s) => values.pushVector(access.pointer, s));
    });
    code.hint("likely").if();
  }
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      if (addresses === null)
        pushGather(
          context,
          access,
          s,
          p,
          (lane) => values.pushLane(access.pointer, lane),
          () => 0,
        );
      else pushSlice(context, access, addresses, s, p);
      code.localSet(locals[s * parts + p]!);
    }
  }
  if (!isInBounds) {
    code.else();
    slow(addresses);
    code.end();
  }
  addresses?.dispose();
}

/**
 * A load of which nothing is known while some lanes may be masked off, and hold any address. With many lanes at work
 * the others read at a harmless place, and no lane needs a test of its own; with few, going through them one by one is
 * quicker.
 */
function emitMaskedGather(
  context: MemoryContext,
  i: LoadInstruction,
  access: Access,
  locals: readonly Local[],
  slow: () => void,
): void {
  const { code, values } = context;
  const parts = isWide(access.element) ? 2 : 1;
  const addresses = Array.from({ length: SLICES }, () => code.local("v128"));
  addresses.forEach((local, s) => {
    values.pushVector(access.pointer, s);
    code.localSet(local);
  });
  pushTestOrFlag(context, i, () => {
    code.localGet(context.mask).i32Popcnt().i32Const(MANY_LANES).i32GeU().if("i32");
    addresses.forEach((local, s) => {
      code.localGet(local);
      values.pushIntegers(USER_BASE);
      pushMaskVector(values, context.mask, s);
      values.selectByMask();
      code.localSet(local);
    });
    pushLaneTest(context, access, (s) => code.localGet(addresses[s]!));
    code.else().i32Const(0).end();
  });
  code.if();
  for (let s = 0; s < SLICES; s++) {
    for (let p = 0; p < parts; p++) {
      pushGather(
        context,
        access,
        s,
        p,
        (lane) => code.localGet(addresses[s]!).i32x4ExtractLane(lane & 3),
        () => 0,
      );
      code.localSet(locals[s * parts + p]!);
    }
  }
  code.else();
  slow();
  code.end();
  code.free(...addresses);
}
