import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import { functionsByName } from "./functions-by-name.ts";

type Import = readonly [name: string, parameters: readonly ("i32" | "i64" | "f64")[], results: ["i32"] | []];
const LOOK_UP: Import = ["dlsym", ["i64", "i64"], ["i32"]];

/** An object with these imports, and with these strings in a section of its own. */
function object(imports: readonly Import[], ...strings: readonly string[]): Uint8Array {
  const module = new ModuleBuilder();
  for (const [name, parameters, results] of imports) module.importFunction("env", name, parameters, results);
  const content = new TextEncoder().encode(`\u0004data\0${strings.map((text) => `${text}\0`).join("")}`);
  return Uint8Array.of(...module.finish(), 0, content.length, ...content);
}
const noHeader = (): string => "";

test("a row for each function of a library that the program names, by the type that an object has of it", () => {
  const program = object([LOOK_UP], "nvmlInit_v2", "nvmlDeviceGetName", "nvmlNoSuchFunction", "mine", "some text");
  const library = object([
    ["nvmlInit_v2", [], ["i32"]],
    ["nvmlDeviceGetName", ["i64", "i64", "i32"], ["i32"]],
    ["nvmlShutdown", [], ["i32"]],
    ["mine", [], []],
  ]);
  const source = functionsByName([program], [program, library], noHeader) ?? "";
  expect(source).toMatch(/^int function\d+\(void\) __asm__\("nvmlInit_v2"\);$/m);
  expect(source).toMatch(/^int function\d+\(long long a0, long long a1, int a2\) __asm__\("nvmlDeviceGetName"\);$/m);
  expect(source.match(/"nvidia-ml", \(void \*\)function\d+/g)).toHaveLength(2);
  for (const name of ["nvmlShutdown", "nvmlNoSuchFunction", "mine"]) expect(source).not.toContain(name);
  expect(source).toContain('{"libnvidia-ml.so", "nvidia-ml"}');
  expect(source).not.toContain("libnvjpeg.so");
});

test("a byte before the name that looks like a letter", () => {
  const program = object([LOOK_UP], "AnvmlInit_v2");
  const library = object([["nvmlInit_v2", [], ["i32"]]]);
  expect(functionsByName([program], [library], noHeader)).toContain('{"nvmlInit_v2", "nvidia-ml"');
});

test("the runtime's functions by their header", () => {
  const program = object([LOOK_UP], "nvrtcVersion", "nvrtcNoSuchFunction");
  const header = (name: string): string => (name === "nvrtc.h" ? "nvrtcResult nvrtcVersion(int *, int *);" : "");
  const source = functionsByName([program], [program], header) ?? "";
  expect(source).toContain("#include <nvrtc.h>\n");
  expect(source).toContain('{"nvrtcVersion", "nvrtc", (void *)nvrtcVersion}');
  expect(source).not.toContain("nvrtcNoSuchFunction");
});

test("none where a program looks for nothing by name", () => {
  expect(functionsByName([object([], "nvmlInit_v2")], [], noHeader)).toBeNull();
});
