/** Calls of the functions that multiply (warpgroup-products.ts): operands and results go through scratch memory. */
import { unsupported } from "../../../base/diagnostics.ts";
import type { CallInstruction } from "../../../ir/model/ir.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { accumulatorsOf, warpgroupShapeOf } from "../planning/warpgroup-products.ts";
import type { CrossLaneContext } from "./shuffles-and-votes.ts";
import { A_REGISTERS, REGISTER_BYTES, SUMS, VECTOR_BYTES } from "./warpgroup-layout.ts";
import type { WarpgroupProducts } from "./warpgroup-products.ts";

/** Emits a product; true if the instruction was one. */
export function emitWarpgroupProduct(
  context: CrossLaneContext & { readonly warpgroups: WarpgroupProducts; readonly warp: Local; readonly site: number },
  i: CallInstruction,
  name: string,
): boolean {
  const { code, values, scratch } = context;
  const shape = warpgroupShapeOf(name);
  if (shape === null) return false;
  const sums = accumulatorsOf(shape);
  const place = (n: number, offset: number): void => {
    for (let s = 0; s < SLICES; s++) {
      code.globalGet(scratch);
      values.pushVector(i.args[n]!, s, 0);
      code.v128Store(offset + s * VECTOR_BYTES);
    }
  };
  for (let n = 0; n < sums; n++) place(n, SUMS + n * REGISTER_BYTES);
  if (shape.aInRegisters) for (let n = 0; n < 4; n++) place(sums + n, A_REGISTERS + n * REGISTER_BYTES);
  const scalars = i.args.slice(shape.aInRegisters ? sums + 4 : sums);
  if (!scalars.every((value) => values.isUniform(value)))
    throw unsupported("a product of a warpgroup whose descriptors differ within a warp", i.location ?? undefined);
  if (shape.aInRegisters) code.i64Const(0n);
  for (const value of scalars) values.pushScalar(value);
  code.localGet(context.warp).i32Const(context.site);
  code.call(context.warpgroups.product(name, shape));
  for (let n = 0; n < sums; n++) {
    const location = context.resultLocation(i, n);
    if (location?.kind !== "vector") continue;
    location.locals.forEach((local, s) =>
      code
        .globalGet(scratch)
        .v128Load(SUMS + n * REGISTER_BYTES + s * VECTOR_BYTES)
        .localSet(local),
    );
  }
  return true;
}
