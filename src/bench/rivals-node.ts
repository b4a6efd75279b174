/**
 * What else does a ladder's work, measured beside its versions: the matrix products of `openBlas` (on a GPU NVIDIA's
 * cuBLAS or cuBLASLt), functions of PyTorch beside a GPU (python-rival-node.ts), and on an emulated device plain C,
 * compiled by the compiler of this machine. All but Python work on the same arrays; all are prepared, checked and timed
 * as a version is.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { addressOf, ForeignLibrary, type ForeignType, type ForeignValue } from "../device/cuda/foreign-library.ts";
import { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import type { Blas } from "../library/blas.ts";
import type { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { BlasRival, LaunchArgument, NativeRival, RivalDeclaration, Shape } from "../kernel-library/ladder.ts";
import { runOn } from "./timed-run.ts";
import type { Python } from "./python-process-node.ts";
import { openPythonRival } from "./python-rival-node.ts";
import type { Bench } from "./subject.ts";
import { flushBytes } from "../measure/stopwatch.ts";
import type { Workspace } from "./workspace.ts";
import type { OpenRival, Absent } from "./rival.ts";

export interface RivalSurroundings {
  readonly bench: Bench;
  /** The ladder's. */
  readonly folder: string;
  readonly openBlas: (gpu: Gpu) => Promise<Blas>;
  readonly python: Python;
}

/** null: it is not for this device. @throws HeddleError "compile-error" with what the C compiler says. */
export async function openRival(
  declaration: RivalDeclaration<Record<string, number>>,
  around: RivalSurroundings,
): Promise<OpenRival | Absent | null> {
  if ("matmul" in declaration) return openBlasRival(declaration, around);
  if ("source" in declaration) return openNative(declaration, around);
  const { gpu } = around.bench;
  // Beside an emulated device it would be another machine's rival.
  return gpu.raw.kind === "cuda"
    ? openPythonRival(declaration, {
        python: around.python,
        folder: around.folder,
        device: "cuda",
        flushBytes: flushBytes(gpu),
      })
    : null;
}

const noArray = (name: string): never => {
  throw new HeddleError("bad-arguments", `a rival names an array "${name}" that the ladder does not have`);
};

async function openBlasRival(
  { matmul, library = "cublas" }: BlasRival<Shape>,
  { bench: { gpu, stopwatch }, openBlas }: RivalSurroundings,
): Promise<OpenRival | Absent | null> {
  if (library === "cublasLt") {
    if (gpu.raw.kind === "emulated") return null;
    const missing = gpu.raw.library?.("cublasLt").missing ?? null;
    if (missing !== null) return { absent: `cuBLASLt: ${missing}` };
  }
  let blas: Blas;
  try {
    blas = await openBlas(gpu);
  } catch (error) {
    if (error instanceof HeddleError && error.code === "unsupported") return { absent: error.summary };
    throw error;
  }
  return {
    description:
      blas.maker === "NVIDIA" ? `NVIDIA ${library === "cublas" ? "cuBLAS" : "cuBLASLt"}` : "Heddle's own kernel",
    note: "",
    with: async (workspace, use) => {
      const { a, b, c, ...rest } = matmul(workspace.shape);
      const [left, right, result] = workspace.resolve([a, b, c], noArray) as [DeviceArray, DeviceArray, DeviceArray];
      return use(runOn(workspace, stopwatch, [await blas.prepare({ ...rest, a: left, b: right, c: result }, library)]));
    },
    close: () => blas.close(),
  };
}

const C_FLAGS = ["-O3", "-march=native", "-shared", "-fPIC"];

async function openNative(
  { source, function: name, args }: NativeRival<Shape>,
  { bench: { gpu, stopwatch }, folder }: RivalSurroundings,
): Promise<OpenRival | Absent | null> {
  const { raw } = gpu;
  if (!(raw instanceof EmulatedDevice)) return null;
  if (process.platform === "win32") return { absent: "C is compiled on Linux and macOS only" };
  const compiler = findCompiler();
  if (compiler === null) return { absent: "there is no C compiler (cc, clang or gcc; CC names another one)" };
  const library = compileC(compiler.command, join(folder, source));
  return {
    description: `${compiler.version} -O3, 1 thread`,
    note: "",
    with: async (workspace, use) => {
      const call = bind(library, name, args(workspace.shape), workspace, raw);
      return use(runOn(workspace, stopwatch, [call]));
    },
    close: () => undefined,
  };
}

/** Arrays are passed as pointers, whole numbers as int, bigints as long long, other numbers as double. */
function bind(
  library: ForeignLibrary,
  name: string,
  args: readonly LaunchArgument[],
  workspace: Workspace,
  { memory }: EmulatedDevice,
): () => void {
  const base = addressOf(memory.bytes);
  const types: ForeignType[] = [];
  const values = workspace.resolve(args, noArray).map((value): ForeignValue => {
    if (typeof value === "bigint") return (types.push("uint64"), BigInt.asUintN(64, value));
    if (typeof value === "number") return (types.push(Number.isInteger(value) ? "int" : "double"), value);
    if (value instanceof Uint8Array) throw new HeddleError("bad-arguments", "a rival on the host takes no tensor maps");
    return (types.push("ptr"), base + value.pointer);
  });
  const found = library.find(name, "void", types);
  if (found === null) throw new HeddleError("bad-arguments", `${library.path} has no function ${name}`);
  return () => void found(...values);
}

function findCompiler(): { readonly command: string; readonly version: string } | null {
  for (const command of [process.env["CC"], "cc", "clang", "gcc"]) {
    if (command === undefined || command === "") continue;
    const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8", timeout: 10_000 });
    if (status === 0) return { command, version: (stdout.split("\n")[0] ?? command).replace(/\s*\(.*\)/, "").trim() };
  }
  return null;
}

function compileC(compiler: string, source: string): ForeignLibrary {
  const folder = mkdtempSync(join(tmpdir(), "heddle-rival-"));
  try {
    const path = join(folder, `${basename(source, ".c")}.so`);
    const { status, stderr } = spawnSync(compiler, [...C_FLAGS, "-o", path, source, "-lm"], {
      encoding: "utf8",
      timeout: 120_000,
    });
    if (status !== 0)
      throw new HeddleError("compile-error", `${source} does not compile (${compiler})`, {
        notes: stderr.trim().split("\n"),
      });
    return new ForeignLibrary(path);
  } finally {
    // It stays in this process; its file is not needed any more.
    rmSync(folder, { recursive: true });
  }
}
