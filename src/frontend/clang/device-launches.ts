/**
 * Kernels that launch kernels. Clang compiles such a launch only as relocatable device code (-fgpu-rdc), in both
 * passes: a kernel's body is read by the host pass, too. A source that Clang refuses for that reason is compiled again
 * as such.
 *
 * In device code Clang then writes a launch as the CUDA device runtime has it ("Device-side Launch from PTX" in the
 * CUDA C++ Programming Guide): cudaGetParameterBuffer, stores of the arguments, cudaLaunchDevice. Two more things
 * change, and are undone here, so that these programs are like all others: names of static variables and kernels get
 * a suffix, and the host module registers its device code under a name of its own.
 */

const REFUSED = "kernel launch from __device__ or __global__ function requires relocatable device code";

/** Whether Clang's report says that a kernel launches a kernel. */
export function refusesDeviceLaunches(report: string): boolean {
  return report.includes(REFUSED);
}

/** A unit's name in suffixes, which are removed. */
const RELOCATABLE: readonly string[] = ["-fgpu-rdc", "-cuid=heddle"];

/** The arguments of a pass that accepts launches in device code. */
export function relocatableFlags(flags: readonly string[]): string[] {
  const cc1 = flags.indexOf("-cc1") + 1;
  // Not an object: what the host module registers is changed in its IR.
  const toIr = flags.map((flag) => (flag === "-emit-obj" ? "-emit-llvm" : flag));
  return [...toIr.slice(0, cc1), ...RELOCATABLE, ...toIr.slice(cc1)];
}

/** IR in bytes, changed as text. */
export function rewritten(ir: Uint8Array, change: (text: string) => string): Uint8Array {
  return new TextEncoder().encode(change(new TextDecoder().decode(ir)));
}

const SUFFIX = /__(?:static|intern)__[0-9a-f]{16}/g;
const SUFFIXED_STRING = /\[(\d+) x i8\] c"([^"]*__(?:static|intern)__[0-9a-f]{16}[^"]*)"/g;

/** The IR of a pass with relocatable device code, as that of other programs. */
export function plainNames(ir: string): string {
  const strings = ir.replaceAll(SUFFIXED_STRING, (_, bytes: string, text: string) => {
    const plain = text.replaceAll(SUFFIX, "");
    return `[${Number(bytes) - (text.length - plain.length)} x i8] c"${plain}"`;
  });
  const plain = strings.replaceAll(SUFFIX, "");
  if (plain === ir) return ir;
  // Clang declares a static variable under its own name where a kernel uses it before its definition.
  const defined = new Set([...plain.matchAll(/^(@[\w.$]+) = (?!external )/gm)].map(([, name]) => name));
  return plain.replaceAll(/^(@[\w.$]+) = external .*\n/gm, (line: string, name: string) =>
    defined.has(name) ? "" : line,
  );
}

const LINKED =
  /(?:tail )?call void @__cudaRegisterLinkedBinary__nv_\w+\(ptr(?: \w+)* (@[\w.]+), ptr(?: \w+)* (@[\w.]+),[^)]*\)/;

/** A host module's IR that registers its device code as other programs do. */
export function registerAlone(ir: string): string {
  const register = (_: string, globals: string, wrapper: string): string =>
    [
      `%heddle.code = call ptr @__cudaRegisterFatBinary(ptr ${wrapper})`,
      `  call void ${globals}(ptr %heddle.code)`,
      "  call void @__cudaRegisterFatBinaryEnd(ptr %heddle.code)",
    ].join("\n");
  const declared = /^declare void @__cudaRegisterLinkedBinary__nv_\w+\(.*\n/gm;
  const registered = plainNames(ir)
    .replace(LINKED, register)
    .replaceAll(declared, "")
    .replaceAll(/^@__fatbinwrap__nv_\w+ = .*\n/gm, "");
  // Unoptimized IR declares what Clang might have called.
  const missing = [
    ["__cudaRegisterFatBinary", "declare ptr @__cudaRegisterFatBinary(ptr)\n"],
    ["__cudaRegisterFatBinaryEnd", "declare void @__cudaRegisterFatBinaryEnd(ptr)\n"],
  ].filter(([name]) => !new RegExp(`^declare .*@${name}\\(`, "m").test(registered));
  return registered + missing.map(([, declaration]) => declaration).join("");
}
