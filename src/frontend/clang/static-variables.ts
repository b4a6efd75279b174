/**
 * Static variables of code that a program loads while it runs, and that it sets by name. NVIDIA's compilers keep such a
 * variable under its plain name. Clang mangles it (Itanium C++ ABI: `_ZL`, the length, the name), and takes a constant
 * that nothing in the source sets for its first value.
 */
import type { SourceFile } from "../../program/compiled-program.ts";

/** LLVM's address space of `__constant__`. */
const CONSTANT = 4;
const VARIABLE = /^@_ZL\d+([A-Za-z_]\w*) = internal addrspace\((\d)\)/gm;

/** The names of a program's static variables if some are constants, else none: Clang keeps the others as they are. */
export function staticsWithConstants(ir: string): readonly string[] {
  const found = [...ir.matchAll(VARIABLE)];
  const isAny = found.some(([, , space]) => Number(space) === CONSTANT);
  return isAny ? found.map(([, name]) => name as string) : [];
}

/** Clang leaves a static variable that host code names to the host, and reads its value where the kernel does. */
export function namedByHost(source: SourceFile, variables: readonly string[]): SourceFile {
  const lines = variables.map(
    (name, i) =>
      `# 1 "static variables"\n__attribute__((host)) static void __heddle_names_${i}() { (void)&::${name}; }\n`,
  );
  return { path: source.path, text: `${source.text}\n${lines.join("")}` };
}

/** With the plain names of static variables, but those that another symbol has. */
export function withPlainNames(ir: string): string {
  const isTaken = (name: string): boolean =>
    new RegExp(`^(?:@|define [^\\n]*@|declare [^\\n]*@)${name}\\b`, "m").test(ir);
  const plain = [...ir.matchAll(/^@(_ZL(\d+)([A-Za-z_]\w*)) = [^\n]*?addrspace\(\d\)/gm)]
    .map(([, mangled, length, name]) => ({ mangled: mangled as string, length: Number(length), name: name as string }))
    .filter(({ length, name }) => name.length === length && !isTaken(name));
  if (plain.length === 0) return ir;
  const names = new Map(plain.map(({ mangled, name }) => [mangled, name]));
  return ir.replace(/@(_ZL\d+\w+)/g, (text, mangled: string) => {
    const name = names.get(mangled);
    return name === undefined ? text : `@${name}`;
  });
}
