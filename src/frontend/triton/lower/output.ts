/** device_print and device_assert. */
import { constI32, newInstruction } from "../../../ir/model/build.ts";
import type { AllocaInstruction, IrGlobal, IrType, IrValue } from "../../../ir/model/ir.ts";
import { F64, I1, I32, I64, I8, PTR, VOID, arrayType } from "../../../ir/model/types.ts";
import { alignUp } from "../../../base/align.ts";
import type { AssertOp, PrintOp } from "../blocks/model.ts";
import { registerCount, registerOffset, type Layout } from "./layout.ts";
import type { Lowering } from "./lowering.ts";

/** A text that ends with a zero byte, in the program's constants. */
function text(l: Lowering, words: string): IrGlobal {
  const bytes = new TextEncoder().encode(`${words}\0`);
  const name = `text.${l.module.globals.size}`;
  const type = arrayType(I8, bytes.length);
  const global: IrGlobal = {
    kind: "global",
    name,
    type: PTR,
    valueType: type,
    isConstant: true,
    align: 1,
    initializer: { kind: "const-bytes", type, bytes } as IrGlobal["initializer"],
    linkage: "private",
  };
  l.module.globals.set(name, global);
  return global;
}

interface PrintfArgument {
  readonly format: string;
  readonly value: IrValue;
}

function printfArgument(l: Lowering, value: IrValue, isSigned: boolean, hex: boolean): PrintfArgument {
  const { e } = l;
  const { type } = value;
  if (type.kind === "ptr") return { format: "0x%llx", value: e.cast("ptrtoint", value, I64) };
  if (type.kind === "float") return { format: "%f", value: e.cast("fpext", value, F64) };
  const isLong = type.kind === "int" && type.bits > 32;
  const hasSign = isSigned && type !== I1;
  const decimal = hasSign ? "d" : "u";
  const letter = hex ? "x" : decimal;
  const extend = hasSign ? "sext" : "zext";
  return { format: `%${isLong ? "ll" : ""}${letter}`, value: isLong ? value : e.cast(extend, value, I32) };
}

function printf(l: Lowering, format: string, args: readonly IrValue[]): void {
  const { e } = l;
  const bytesOf = (type: IrType): number => (type === F64 || type === I64 ? 8 : 4);
  let size = 0;
  const places = args.map(({ type }) => {
    const at = alignUp(size, bytesOf(type));
    size = at + bytesOf(type);
    return at;
  });
  const buffer = e.append(
    newInstruction<AllocaInstruction>(e, {
      op: "alloca",
      type: PTR,
      name: e.name(),
      allocatedType: arrayType(I8, Math.max(8, size)),
      count: null,
      align: 8,
    }),
  );
  for (const [i, value] of args.entries())
    e.store(value, e.offset(buffer, constI32(places[i] as number)), bytesOf(value.type));
  e.intrinsic("vprintf", I32, [text(l, format), buffer]);
}

const SREG = "llvm.nvvm.read.ptx.sreg";

/** As Triton prints: `pid (0, 0, 0) idx (3) x: 1.5`. */
export function lowerPrint(l: Lowering, op: PrintOp): void {
  const { e } = l;
  const [first] = op.operands;
  const layout: Layout = first === undefined ? l.layouts.blocked([]) : l.layouts.preferred(first);
  const values = op.operands.map((value) => l.get(value, layout));
  const program = ["x", "y", "z"].map((axis) => e.intrinsic(`${SREG}.ctaid.${axis}`, I32, []));
  const prefix = op.prefix.replaceAll("%", "%%");
  l.where(l.isOwner(layout), () => {
    for (let r = 0; r < registerCount(layout); r++) {
      const index = layout.shape.map((_, d) => e.add(l.threadIndex(layout, d), constI32(registerOffset(layout, r, d))));
      const head = `pid (%u, %u, %u) idx (${index.map(() => "%d").join(", ")})${prefix === "" ? "" : ` ${prefix}`}`;
      if (values.length === 0) printf(l, `${head}\n`, [...program, ...index]);
      for (const [i, registers] of values.entries()) {
        const argument = printfArgument(l, registers[r] as IrValue, op.isSigned[i] ?? true, op.hex);
        const operand = values.length > 1 ? ` (operand ${i})` : "";
        printf(l, `${head}${operand}${argument.format}\n`, [...program, ...index, argument.value]);
      }
    }
  });
}

export function lowerAssert(l: Lowering, op: AssertOp): void {
  const { e } = l;
  const layout = l.layouts.own(op.condition) ?? l.layouts.blocked(op.condition.type.shape);
  const masks = op.mask === null ? null : l.get(op.mask, layout);
  let fails: IrValue | null = null;
  for (const [r, condition] of l.get(op.condition, layout).entries()) {
    const isFalse = e.xor(condition, e.like(condition, 1));
    const counts = masks === null ? isFalse : e.and(isFalse, masks[r] as IrValue);
    fails = fails === null ? counts : e.or(fails, counts);
  }
  const { location } = op;
  l.where(fails, () => {
    e.intrinsic("__assertfail", VOID, [
      text(l, op.message === "" ? "device_assert" : op.message),
      text(l, location?.file ?? ""),
      constI32(location?.line ?? 0),
      text(l, location?.functionName ?? l.name),
      constI32(1),
    ]);
  });
}
