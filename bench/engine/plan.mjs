// A case, written to a folder for the programs that run it.
//
// A case is what a kernel's `make(size)` returns:
//   buffers   name → { values: typed array, restored: whether every run must begin with them }
//   launches  in order: { kernel, grid, block, args }, where an argument is { int }, { float } or the name of a buffer
//   loopArgs  what the C loop is called with, where not the same as the one launch
//   work      in a thousand-millionth (millionth) of the kernel's unit: bytes, operations, items
//   expected  () → buffer name → what check.mjs compares with
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes plan.json for our engine, plan.txt for OpenCL, loop.txt for C loops, and a file for each buffer. */
export function writePlan(folder, case_) {
  const buffers = Object.entries(case_.buffers).map(([name, { values, restored = false }]) => {
    const file = join(folder, `${name}.bin`);
    writeFileSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return { name, file, restored, type: values.constructor.name };
  });
  writeFileSync(join(folder, "plan.json"), JSON.stringify({ buffers, launches: case_.launches }));
  writeFileSync(join(folder, "plan.txt"), formatPlan(buffers, case_.launches));
  const call = { kernel: "loop", grid: [1], block: [1], args: case_.loopArgs ?? case_.launches[0].args };
  writeFileSync(join(folder, "loop.txt"), formatPlan(buffers, [call]));
}

/**
 * The text that rivals/plan.c reads:
 *
 *     buffer NAME RESTORED FILE
 *     launch KERNEL global x y z, local x y z
 *     int VALUE | float VALUE | at INDEX-OF-BUFFER      the arguments of the launch before
 *
 * A template's arguments are left out of KERNEL: OpenCL C gets them as macros.
 */
export function formatPlan(buffers, launches) {
  const lines = buffers.map(({ name, restored, file }) => `buffer ${name} ${Number(restored)} ${file}`);
  for (const { kernel, grid, block, args } of launches) {
    const [g, b] = [threeOf(grid), threeOf(block)];
    lines.push(["launch", kernel.replace(/<.*/, ""), ...g.map((blocks, i) => blocks * b[i]), ...b].join(" "));
    for (const argument of args) {
      if (typeof argument !== "string")
        lines.push("int" in argument ? `int ${argument.int}` : `float ${argument.float}`);
      else {
        const index = buffers.findIndex(({ name }) => name === argument);
        if (index < 0) throw new Error(`${kernel}: there is no buffer ${argument}`);
        lines.push(`at ${index}`);
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

function threeOf(sizes) {
  return [0, 1, 2].map((axis) => sizes[axis] ?? 1);
}
