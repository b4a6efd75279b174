/** PTX → a module: as it is, or linked with NVIDIA's device runtime. The driver is one that notes its calls. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { Driver } from "./driver.ts";
import { addressOf } from "./foreign-library.ts";
import { DEVICE_RUNTIME_FILE, deviceRuntimeFiles } from "./library-search.ts";
import { encodePtx } from "./link-ptx.ts";
import { loadProgram } from "./load-program.ts";

let folder = "";
let library = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-load-program-"));
  library = join(folder, DEVICE_RUNTIME_FILE);
  writeFileSync(library, "!<arch>\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const CUBIN = new Uint8Array([1, 2, 3, 4, 5]);
const CODE = { name: "program.cu", ptx: encodePtx(".version 9.0\n"), lineInfo: false };
const CAPABILITY = { major: 9, minor: 0 };

class LinkingDriver {
  readonly version = { major: 13, minor: 0 };
  readonly calls: string[] = [];
  /** The function that fails. */
  failing = "";
  loaded: Uint8Array | null = null;

  status(name: string, ...values: unknown[]): number {
    this.calls.push(name);
    const [first, second, third] = values;
    if (name === "cuLinkAddFile_v2") this.calls.push(`${String(second)} ${String(third)}`);
    if (name === this.failing) return 218;
    if (name === "cuLinkComplete") {
      (second as BigUint64Array)[0] = BigInt(addressOf(CUBIN));
      (third as BigUint64Array)[0] = BigInt(CUBIN.length);
    }
    if (name === "cuModuleLoadDataEx") {
      (first as BigUint64Array)[0] = 77n;
      this.loaded = second as Uint8Array;
    }
    return 0;
  }
  call(name: string, ...values: unknown[]): void {
    this.status(name, ...values);
    if (name === "cuLinkCreate_v2") (values[3] as BigUint64Array)[0] = 5n;
  }
  errorName(): string {
    return "CUDA_ERROR_INVALID_PTX";
  }
  errorPhrase(): string {
    return "a PTX JIT compilation failed";
  }
}

class Store {
  readonly entries: Map<string, Uint8Array> = new Map();
  get(key: string): Uint8Array | null {
    return this.entries.get(key) ?? null;
  }
  put(key: string, value: Uint8Array): void {
    this.entries.set(key, value);
  }
}

function load(driver: LinkingDriver, callsDeviceRuntime: boolean, store: Store | null = null): number {
  return loadProgram(
    driver as unknown as Driver,
    { ...CODE, callsDeviceRuntime },
    store as unknown as SyncStore | null,
    CAPABILITY,
    () => [library],
  );
}

test("a program that launches nothing is handed over as PTX", () => {
  const driver = new LinkingDriver();
  expect(load(driver, false)).toBe(77);
  expect(driver.calls).toEqual(["cuModuleLoadDataEx"]);
  expect(driver.loaded).toBe(CODE.ptx);
});

test("one that launches is linked with NVIDIA's library, once", () => {
  const [driver, store] = [new LinkingDriver(), new Store()];
  expect(load(driver, true, store)).toBe(77);
  expect(driver.calls).toEqual([
    "cuLinkCreate_v2",
    "cuLinkAddData_v2",
    "cuLinkAddFile_v2",
    `4 ${library}`,
    "cuLinkComplete",
    "cuLinkDestroy",
    "cuModuleLoadDataEx",
  ]);
  expect(driver.loaded).toEqual(CUBIN);
  driver.calls.length = 0;
  expect(load(driver, true, store)).toBe(77);
  expect(driver.calls).toEqual(["cuModuleLoadDataEx"]);
  expect(driver.loaded).toEqual(CUBIN);
});

test.each([
  ["cuLinkAddData_v2", /does not compile the PTX of program\.cu: a PTX JIT compilation failed/],
  ["cuLinkAddFile_v2", /does not link .*cudadevrt\.\w+: /],
  ["cuLinkComplete", /does not link program\.cu, .*cudadevrt\.\w+: /],
  ["cuModuleLoadDataEx", /program\.cu, linked with .*cudadevrt\.\w+/],
])("what %s refuses is named, with the library", (failing, message) => {
  const driver = new LinkingDriver();
  driver.failing = failing;
  expect(() => load(driver, true)).toThrow(message);
});

describe("the search for NVIDIA's library", () => {
  test("looks in the user's folders, in toolkits, beside nvcc", () => {
    const [chosen, toolkit, other] = ["chosen", "toolkit", "other"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const places = [chosen, join(toolkit, "lib64"), join(other, "targets", "x86_64-linux", "lib")];
    if (process.platform !== "linux" || process.arch !== "x64") return;
    for (const place of places) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, DEVICE_RUNTIME_FILE), "");
    }
    mkdirSync(join(other, "bin"), { recursive: true });
    writeFileSync(join(other, "bin", "nvcc"), "");
    const found = deviceRuntimeFiles({ HEDDLE_CUDA_LIBRARIES: chosen, CUDA_HOME: toolkit, PATH: join(other, "bin") });
    const expected = places.map((place) => join(place, DEVICE_RUNTIME_FILE));
    expect(found.filter((path) => path.startsWith(folder))).toEqual(expected);
    expect(found[0]).toBe(expected[0]);
  });

  test("without it a program is refused by the file's name", () => {
    let error: unknown = null;
    try {
      const code = { ...CODE, callsDeviceRuntime: true };
      loadProgram(new LinkingDriver() as unknown as Driver, code, null, CAPABILITY, () => []);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(HeddleError);
    expect(error).toMatchObject({ code: "unsupported", summary: expect.stringContaining(DEVICE_RUNTIME_FILE) });
  });
});
