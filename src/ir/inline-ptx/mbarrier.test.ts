/** An arrival gives the barrier's state to who asks for it, and the wait is for that state. */
import { expect, test } from "vitest";
import type { IrFunction, IrValue } from "../model/ir.ts";
import { parseModule } from "../text/parse.ts";
import { assertValid } from "../verify.ts";
import { lowerInlinePtx } from "./pass-inline-ptx.ts";

/** The function that the returned value is the result of. */
function returned(template: string, constraints: string): string | undefined {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define i64 @f(i32 %p, i32 %n) {
  %r = call i64 asm sideeffect "${template}", "${constraints}"(i32 %p, i32 %n)
  ret i64 %r
}`,
    "barrier.ll",
  );
  lowerInlinePtx(module);
  assertValid(module, "lowerInlinePtx");
  const last = (module.functions.get("f") as IrFunction).blocks.at(-1)?.instructions.at(-1);
  const value: IrValue | null = last?.op === "ret" ? last.value : null;
  return value?.kind === "instruction" && value.op === "call" && value.callee.kind === "function"
    ? value.callee.name
    : undefined;
}

test.each(["arrive", "arrive_drop"])("mbarrier.%s", (operation) => {
  const own = `__heddle_mbarrier_${operation}`;
  expect(returned(`mbarrier.${operation}.shared.b64 $0, [$1];`, "=l,r,r")).toBe(own);
  expect(returned(`mbarrier.${operation}.shared.b64 $0, [$1], $2;`, "=l,r,r")).toBe(own);
});
