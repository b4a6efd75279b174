/** A program's own PTX on a GPU. The driver is one that notes what it is given. */
import { expect, test } from "vitest";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { GpuContext } from "./context.ts";
import type { FlatMemory } from "./flat-memory.ts";
import { addressOf } from "./foreign-library.ts";
import { loadOwnPtx } from "./own-ptx.ts";

const ADD = `// .entry not_this(.param .u64 a)
.version 7.0
.target sm_52
.address_size 64
.global .u32 counter;
.visible .entry _Z3addPii(.param .u64 out, /* .param .u8 none, */ .param .u32 n) { ret; }
.entry bare { ret; }
.entry four(.param .align 8 .b8 all[24], .param .f32 x)
.reqnctapercluster 2, 2
{ ret; }
`;
const CUBIN = new Uint8Array([1, 2, 3, 4]);

class NotingDriver {
  readonly version = { major: 13, minor: 0 };
  readonly texts: string[] = [];
  loaded: Uint8Array | null = null;
  status(name: string, ...values: unknown[]): number {
    const [first, second, third] = values;
    if (name === "cuLinkAddData_v2") this.texts.push(new TextDecoder().decode(third as Uint8Array));
    if (name === "cuLinkComplete") {
      (second as BigUint64Array)[0] = BigInt(addressOf(CUBIN));
      (third as BigUint64Array)[0] = BigInt(CUBIN.length);
    }
    if (name === "cuModuleLoadDataEx") {
      this.loaded = (second as Uint8Array).slice();
      if (new TextDecoder().decode(this.loaded).includes("broken")) return 218;
      (first as BigUint64Array)[0] = 7n;
    }
    return 0;
  }
  call(name: string, ...values: unknown[]): void {
    this.status(name, ...values);
  }
  errorName(): string {
    return "CUDA_ERROR_INVALID_PTX";
  }
  errorPhrase(): string {
    return "a PTX JIT compilation failed";
  }
}

const program = (name: string, ptx?: string): DeviceProgram => ({
  ir: "",
  name,
  options: { fmad: true },
  ...(ptx === undefined ? {} : { ptx }),
});

function load(driver: NotingDriver, ...programs: DeviceProgram[]): ReturnType<typeof loadOwnPtx> {
  const parts = {
    context: { driver } as unknown as GpuContext,
    memory: {} as FlatMemory,
    properties: { computeCapability: { major: 9, minor: 0 } } as Parameters<typeof loadOwnPtx>[0]["properties"],
    store: null,
    lineInfo: false,
  };
  return loadOwnPtx(parts, programs, () => {});
}

test("one text is loaded as it is, and its kernels are known by what it declares", () => {
  const driver = new NotingDriver();
  const module = load(driver, program("add.ptx", ADD));
  expect(new TextDecoder().decode(driver.loaded as Uint8Array)).toBe(`${ADD}\0`);
  expect(module.kernelNames()).toEqual(["_Z3addPii", "bare", "four"]);
});

test("several texts are linked", () => {
  const driver = new NotingDriver();
  const module = load(driver, program("a", ADD), program("b", ".version 8.0\n.entry other() { ret; }\n"));
  expect(driver.texts).toEqual([`${ADD}\0`, ".version 8.0\n.entry other() { ret; }\n\0"]);
  expect(driver.loaded).toEqual(CUBIN);
  expect(module.kernelNames()).toContain("other");
});

test("what the driver refuses has its status", () => {
  const attempt = (): unknown => load(new NotingDriver(), program("b", ".version 8.0 broken"));
  expect(attempt).toThrow(
    /does not compile the PTX of b: a PTX JIT compilation failed \(CUDA_ERROR_INVALID_PTX, 218\)/,
  );
  expect(attempt).toThrow(expect.objectContaining({ status: 218 }));
});

test("PTX and NVRTC's code are not linked", () => {
  const attempt = (): unknown => load(new NotingDriver(), program("a", ADD), program("made"));
  expect(attempt).toThrow(/linking PTX with what NVRTC made of made, on a GPU is not supported yet/);
});
