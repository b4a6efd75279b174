import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { sinkHalves } from "./pass-sink-halves.ts";

/** The blocks in which halves are taken. */
function placesOf(end: string, inLoop = ""): string[] {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i32 [ 1, %entry ], [ %y, %loop ]
  %y = mul i32 %x, 3
  %upper = lshr i32 %y, 16
  %half = trunc i32 %upper to i16
  ${inLoop}
  %c = icmp slt i32 %y, %n
  br i1 %c, label %loop, label %end
end:
  ${end}
}`,
    "k.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  sinkHalves(fn);
  assertValid(module, "sinkHalves");
  return fn.blocks.flatMap(({ name, instructions }) =>
    instructions.flatMap((i) => (["upper", "half"].includes(i.name) ? [`${i.name} ${name}`] : [])),
  );
}

test("a half that only the end reads is taken there, with what it is made of", () => {
  expect(placesOf("store i16 %half, ptr %out\n ret void")).toEqual(["upper end", "half end"]);
  const merged = "br label %last\nlast:\n %m = phi i16 [ %half, %end ]\n store i16 %m, ptr %out\n ret void";
  expect(placesOf(merged)).toEqual(["upper end", "half end"]);
});

test("a half that the loop reads stays, and one that another loop would take again and again", () => {
  expect(placesOf("store i16 %half, ptr %out\n ret void", "store volatile i32 %upper, ptr %out")).toEqual([
    "upper loop",
    "half end",
  ]);
  const again = "store volatile i16 %half, ptr %out\n %d = icmp eq i32 %n, 7\n br i1 %d, label %end, label %last";
  expect(placesOf(`${again}\nlast:\n ret void`)).toEqual(["upper loop", "half loop"]);
});
