/**
 * Static variables of code that a program loads while it runs, and that it sets by name. NVIDIA's compilers keep such a
 * variable under its plain name. Clang mangles it (Itanium C++ ABI: `_ZL`, the length, the name), and takes a constant
 * that nothing in the source sets for its first value.
 */
import type { SourceFile } from "../../program/compiled-program.ts";

/** LLVM's address space of `__constant__`. */
const CONSTANT = 4;
const VARIABLE = /^@_Z(?:L(\d+\w+)|N(\w+)E) = internal addrspace\((\d)\)/gm;
/** As the ABI mangles an anonymous namespace, which names in it go without. */
const ANONYMOUS = "_GLOBAL__N_1";

/** `1b1a`, `1bL1a`: `b::a`; null: it is no sequence of plain names. */
function qualified(mangled: string): string | null {
  const names: string[] = [];
  let rest = mangled;
  while (rest !== "") {
    const [head, digits] = /^L?(\d+)/.exec(rest) ?? [];
    if (head === undefined) return null;
    const end = head.length + Number(digits);
    const name = rest.slice(head.length, end);
    if (name.length !== Number(digits)) return null;
    if (name !== ANONYMOUS) names.push(name);
    rest = rest.slice(end);
  }
  return names.join("::");
}

/**
 * The names of a program's variables that only it sees, if some are constants, else none: Clang keeps the others as
 * they are.
 */
export function staticsWithConstants(ir: string): readonly string[] {
  const found = [...ir.matchAll(VARIABLE)];
  const isAny = found.some((match) => Number(match[3]) === CONSTANT);
  return isAny ? found.flatMap(([, plain, nested]) => qualified(plain ?? nested ?? "") ?? []) : [];
}

/** Clang leaves a static variable that host code names to the host, and reads its value where the kernel does. */
export function namedByHost(source: SourceFile, variables: readonly string[]): SourceFile {
  const lines = variables.map(
    (name, i) =>
      `# 1 "static variables"\n__attribute__((host)) static void __heddle_names_${i}() { (void)&::${name}; }\n`,
  );
  return { path: source.path, text: `${source.text}\n${lines.join("")}` };
}

/** With the plain names of static variables, but those that another symbol has, and without Clang's list of them. */
export function withPlainNames(ir: string): string {
  const lines = ir.split("\n").filter((line) => !line.startsWith("@llvm.compiler.used ="));
  const text = lines.join("\n");
  const isTaken = (name: string): boolean => text.includes(`\n@${name} =`) || text.includes(` @${name}(`);
  const plain = [...text.matchAll(/^@(_ZL(\d+)([A-Za-z_]\w*)) = [^\n]*?addrspace\(\d\)/gm)]
    .map(([, mangled, length, name]) => ({ mangled: mangled as string, length: Number(length), name: name as string }))
    .filter(({ length, name }) => name.length === length && !isTaken(name));
  if (plain.length === 0) return text;
  const names = new Map(plain.map(({ mangled, name }) => [mangled, name]));
  return text.replace(/@(_ZL\d+\w+)/g, (symbol, mangled: string) => {
    const name = names.get(mangled);
    return name === undefined ? symbol : `@${name}`;
  });
}
