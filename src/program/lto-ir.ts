/**
 * What stands for the LTO-IR of NVIDIA's compilers: a text that carries a program's IR, for linking with others. It has
 * no zeros, so that programs may keep it in files, and load it in another process.
 */
import type { TextProgram } from "./device-program.ts";

/** A version: what another version of Heddle wrote may have another form. */
const HEAD = "// Heddle LTO-IR 1\n";

export function ltoIrOf({ ir, name, options }: TextProgram): string {
  return `${HEAD}${JSON.stringify({ name, options: { fmad: options.fmad }, ir })}\n`;
}

/** Null: the text is something else. */
export function programOfLtoIr(text: string): TextProgram | null {
  if (!text.startsWith(HEAD)) return null;
  try {
    const { name, options, ir } = JSON.parse(text.slice(HEAD.length)) as TextProgram;
    return { name, options, ir };
  } catch {
    return null;
  }
}
