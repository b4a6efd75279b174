import { describe, expect, test } from "vitest";
import { ILP32, type DataModel } from "../../base/data-model.ts";
import { CStruct } from "./c-struct.ts";
import { HostMemory } from "./host-memory.ts";

const LP64: DataModel = { name: "lp64", pointerBytes: 8, longBytes: 8 };
const DIM3 = new CStruct({ x: "uint", y: "uint", z: "uint" });
const LAUNCH = new CStruct({ grid: DIM3, shared: "size", stream: "pointer", ids: ["int", 3], scale: "float" });

function memoryOf(model: DataModel): HostMemory {
  const memory = new HostMemory(model);
  memory.attach(new WebAssembly.Memory({ initial: 1 }));
  return memory;
}

describe("structures of C", () => {
  test("layouts follow from the data model", () => {
    const offsets = (model: DataModel): number[] =>
      (["grid", "shared", "stream", "ids", "scale"] as const).map((name) => LAUNCH.offset(model, name));
    expect([offsets(ILP32), LAUNCH.size(ILP32)]).toEqual([[0, 12, 16, 20, 32], 36]);
    expect([offsets(LP64), LAUNCH.size(LP64)]).toEqual([[0, 16, 24, 32, 44], 48]);
  });

  test.each([ILP32, LP64])("fields are written and read: $name", (model) => {
    const memory = memoryOf(model);
    LAUNCH.write(memory, 64, { shared: 0xffff_fff0, stream: 3, scale: 0.5 });
    const { grid, shared, stream, ids, scale } = LAUNCH.read(memory, 64);
    expect([shared, stream, scale]).toEqual([0xffff_fff0, 3, 0.5]);
    expect([grid, ids]).toEqual([64, 64 + LAUNCH.offset(model, "ids")]);
    DIM3.write(memory, grid, { y: 7 });
    expect(DIM3.read(memory, grid)).toEqual({ x: 0, y: 7, z: 0 });
  });

  test("lists of pointers", () => {
    const memory = memoryOf(LP64);
    memory.setPointerAt(128, 2, 4096);
    expect([memory.pointerAt(128, 2), memory.pointer(144)]).toEqual([4096, 4096]);
    expect(memory.pointers(128, 3)).toEqual([0, 0, 4096]);
  });
});
