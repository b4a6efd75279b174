/**
 * Host programs with setjmp. LLVM lowers longjmp to an exception of WebAssembly, and the destructors of a function to
 * code that takes every exception: the variables of a function that calls setjmp would be destroyed by a longjmp to it,
 * while it goes on using them. So such code asks first whether a jump is on its way (hostlib/long_jumps.cpp).
 */

const FLAG = "__heddle_jumping";

/** The IR of a host program, as the front end wrote it. It is the same where nothing calls setjmp. */
export function keepVariablesOfJumps(ir: string): string {
  if (!/\b(?:call|invoke)\b[^\n]*@_?(?:sig)?setjmp\(/.test(ir)) return ir;
  const functions = ir.split(/^(?=define )/m);
  const [head = "", ...bodies] = functions;
  return `${head}@${FLAG} = external global i32, align 4\n\n${bodies.map(skipCleanups).join("")}`;
}

/** Of a function: each cleanup begins with a branch to its end, which is taken during a jump. */
function skipCleanups(body: string): string {
  let count = 0;
  const renamed = new Map<string, string>();
  let label = "";
  const lines: string[] = [];
  for (const line of body.split("\n")) {
    lines.push(line);
    label = /^([-\w.$"]+):/.exec(line)?.[1] ?? label;
    const [, pad] = /^\s+(%[-\w.$]+) = cleanuppad within /.exec(line) ?? [];
    if (pad === undefined) continue;
    const end = body.split("\n").find((other) => other.trimStart().startsWith(`cleanupret from ${pad} `));
    // A cleanup without an end calls std::terminate.
    if (end === undefined) continue;
    const n = count++;
    lines.push(
      `  %jump.flag.${n} = load volatile i32, ptr @${FLAG}, align 4`,
      `  %jump.on.${n} = icmp ne i32 %jump.flag.${n}, 0`,
      `  br i1 %jump.on.${n}, label %jump.skip.${n}, label %jump.none.${n}`,
      "",
      `jump.skip.${n}:`,
      end.replace(/, !dbg ![0-9]+/, ""),
      "",
      `jump.none.${n}:`,
    );
    renamed.set(`%${label}`, `%jump.none.${n}`);
  }
  if (count === 0) return body;
  return lines
    .map((line) =>
      / = phi /.test(line)
        ? line.replace(/, (%[-\w.$"]+) \]/g, (whole, from: string) => `, ${renamed.get(from) ?? from} ]`)
        : line,
    )
    .join("\n");
}
