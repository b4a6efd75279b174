/** A ladder whose measuring stands still while a test says so: what is finished by then does not depend on speed. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface HeldLadder {
  hold(): void;
  release(): void;
}

/** Edits a ladder that `heddle new ladder` wrote; both ends are this machine and see the same file. */
export function heldLadder(ladders: string, name: string): HeldLadder {
  const source = join(ladders, name, `${name}.ladder.ts`);
  const held = join(ladders, `${name}.held`);
  const text = readFileSync(source, "utf8").replace(
    "reference: ({ x }) => (",
    `reference: ({ x }) => (
    wait(),
    `,
  );
  writeFileSync(
    source,
    `import { existsSync } from "node:fs";
${text}
function wait(): void {
  while (existsSync(${JSON.stringify(held)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
`,
  );
  return { hold: () => writeFileSync(held, ""), release: () => rmSync(held, { force: true }) };
}
