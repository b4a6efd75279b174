/** A kernel's text, from the lines of its body. */
export function tritonFunction(name: string, parameters: readonly string[], lines: readonly string[]): string {
  return `@triton.jit\ndef ${name}(${parameters.join(", ")}):\n${lines.map((line) => `    ${line}\n`).join("")}`;
}
