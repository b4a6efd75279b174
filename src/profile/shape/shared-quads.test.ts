import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { alignSharedVariables, sharedQuads } from "./shared-quads.ts";

const SHARED = "getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @parts to ptr), i32 OFFSET)";

/** @param loads words of a shared variable of eight; "w" is a store in between */
function quadsOf(...loads: readonly (number | "w")[]): readonly (number | null)[] {
  const code = loads.map((word, n) =>
    word === "w"
      ? "store float 1.0, ptr %out, align 4"
      : `%v${n} = load float, ptr ${SHARED.replace("OFFSET", String(4 * word))}, align 4`,
  );
  const module = parseModule(
    `@parts = internal addrspace(3) global [8 x float] undef, align 4
define ptx_kernel void @k(ptr %out) {
entry:
  ${code.join("\n  ")}
  ret void
}`,
    "quads.ll",
  );
  alignSharedVariables(module);
  const fn = module.functions.get("k");
  if (fn === undefined) throw new Error("no kernel");
  const quads = sharedQuads(fn);
  const all = fn.blocks[0]?.instructions.filter(({ op }) => op === "load") ?? [];
  return all.map((load) => {
    const quad = load.op === "load" ? quads.get(load) : undefined;
    return quad === undefined ? null : quad.offset + (quad.leader === load ? 0.5 : 0);
  });
}

test("three of four words are read at once, from an aligned place on", () => {
  expect(quadsOf(1, 2, 3, 4, 5, 6, 7)).toEqual([0.5, 0, 0, 16.5, 16, 16, 16]);
});

test("two words are not, nor are words that a store parts", () => {
  expect(quadsOf(0, 1, 6, 7)).toEqual([null, null, null, null]);
  expect(quadsOf(0, 1, "w", 2, 3)).toEqual([null, null, null, null]);
  expect(quadsOf(0, 1, 2, "w", 3)).toEqual([0.5, 0, 0, null]);
});
