/**
 * Kernels by C++ name, as nvrtcAddNameExpression has them: `reduce<float, 256>` is instantiated by taking its address
 * in a variable appended to the source, from which the mangled name is read in the IR. The variable is then removed.
 */
import { bug } from "../../base/diagnostics.ts";
import type { SourceFile } from "../../program/compiled-program.ts";

const PREFIX = "__heddle_name_";

export function appendNameExpressions(source: SourceFile, expressions: readonly string[]): SourceFile {
  if (expressions.length === 0) return source;
  const lines = expressions.map(
    (expression, i) =>
      `# 1 "kernel name"\nextern "C" __device__ const void *${PREFIX}${i} = (const void *)&${expression};\n`,
  );
  return { path: source.path, text: `${source.text}\n${lines.join("")}` };
}

export function takeNameExpressions(
  ir: string,
  expressions: readonly string[],
): { ir: string; names: Map<string, string> } {
  const names = new Map<string, string>();
  if (expressions.length === 0) return { ir, names };
  const kept = ir.split("\n").filter((line) => {
    if (!line.startsWith(`@${PREFIX}`)) return true;
    const match =
      /^@__heddle_name_(\d+) = .*@(?:"([^"]+)"|([\w$.]+))/.exec(line) ?? bug(`an unexpected line in the IR: ${line}`);
    names.set(expressions[Number(match[1])] as string, (match[2] ?? match[3]) as string);
    return false;
  });
  return { ir: kept.join("\n"), names };
}
