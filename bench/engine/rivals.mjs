// The native rivals: built from what is installed, and said loudly what is not.
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";

const KERNELS = join(import.meta.dirname, "kernels");
const HOSTS = join(import.meta.dirname, "rivals");
const CLANG_FLAGS = ["-O3", "-march=native"];
/** One thread: POCL_MAX_PTHREAD_COUNT until PoCL 3, POCL_CPU_MAX_CU_COUNT since 4. */
const POCL_ONE_THREAD = { POCL_MAX_PTHREAD_COUNT: "1", POCL_CPU_MAX_CU_COUNT: "1" };
const OPENBLAS_ONE_THREAD = { OPENBLAS_NUM_THREADS: "1" };

/**
 * What this machine has.
 *
 * @param folder where programs are built
 * @returns `rivals`: name → { description, command(kernel, case, folder of the plan) → what Contestant.start takes, or
 * null where the
 *   kernel has no version for it }; `missing`: for each rival that is not there, why and how to get it.
 */
export function findRivals(folder) {
  const rivals = {};
  const missing = [];
  const attempt = (name, advice, find) => {
    try {
      rivals[name] = find();
    } catch (error) {
      missing.push(`${error.message}\n    ${advice}`);
    }
  };
  attempt("PoCL", "apt-get install pocl-opencl-icd ocl-icd-opencl-dev opencl-headers clang", () => pocl(folder));
  attempt("clang", "apt-get install clang", () => loops(folder));
  attempt("OpenBLAS", "apt-get install libopenblas-dev clang", () => openblas(folder));
  return { rivals, missing };
}

/** The same kernel in OpenCL C. */
function pocl(folder) {
  const program = join(folder, "opencl-main");
  build("PoCL", program, ["-O2", join(HOSTS, "opencl-main.c"), join(HOSTS, "plan.c"), "-lOpenCL"]);
  const probe = spawnSync(program, [], { encoding: "utf8", env: { ...process.env, ...POCL_ONE_THREAD } });
  if (probe.status !== 0) throw new Error(`PoCL is not installed: ${probe.stderr.trim()}`);
  return {
    description: probe.stdout.trim(),
    command: (kernel, case_, at) => ({
      program,
      args: [join(at, "plan.txt"), join(KERNELS, kernel.opencl), case_.openclOptions ?? ""],
      env: POCL_ONE_THREAD,
    }),
  };
}

/** A plain C loop. */
function loops(folder) {
  const version = /version (\S+)/.exec(spawnSync("clang", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
  if (version === undefined) throw new Error("clang is not installed");
  return {
    description: `clang ${version} ${CLANG_FLAGS.join(" ")}`,
    command: (kernel, _case, at) => ({
      program: loopProgram("clang", folder, kernel.loop, []),
      args: [join(at, "loop.txt"), "loop"],
      env: {},
    }),
  };
}

/** What experts have made for this one function. */
function openblas(folder) {
  const version = spawnSync("pkg-config", ["--modversion", "openblas"], { encoding: "utf8" }).stdout?.trim() ?? "";
  loopProgram("OpenBLAS", folder, "matmul/sgemm.c", ["-lopenblas"]);
  return {
    description: `OpenBLAS ${version}`.trim(),
    command: (kernel, _case, at) =>
      kernel.blas === undefined
        ? null
        : {
            program: loopProgram("OpenBLAS", folder, kernel.blas, ["-lopenblas"]),
            args: [join(at, "loop.txt"), "sgemm"],
            env: OPENBLAS_ONE_THREAD,
          },
  };
}

function loopProgram(rival, folder, source, libraries) {
  const program = join(folder, basename(source, ".c"));
  build(rival, program, [
    ...CLANG_FLAGS,
    "-I",
    HOSTS,
    join(KERNELS, source),
    join(HOSTS, "loop-main.c"),
    join(HOSTS, "plan.c"),
    ...libraries,
    "-lm",
  ]);
  return program;
}

function build(rival, program, args) {
  const { status, stderr, error } = spawnSync("clang", ["-std=c11", "-o", program, ...args], { encoding: "utf8" });
  if (error !== undefined) throw new Error(`${rival} cannot be measured: clang is not installed`);
  if (status !== 0)
    throw new Error(
      `${rival} is not installed, or its program does not compile: ` +
        `${stderr.split("\n").find((line) => /error/.test(line)) ?? stderr}`,
    );
}
