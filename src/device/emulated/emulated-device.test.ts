import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCompiler } from "../../frontend/clang/compile.ts";
import { clangForTests } from "../../frontend/clang/clang-resources.test-helper.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import { deviceContract } from "../device.contract.ts";
import { openNodeDevice } from "./open-device-node.ts";

let compiled: Promise<DeviceProgram> | null = null;
const compile = (source: string): Promise<DeviceProgram> =>
  (compiled ??= createCompiler({ resources: clangForTests() }).then(
    async (compiler) => (await compiler.compileDevice({ path: "contract.cu", text: source }, {}, null)).program,
  ));

const watchedBy = (observer?: DeviceObserver): { observer?: DeviceObserver } =>
  observer === undefined ? {} : { observer };

const framework = { describe, it, beforeAll, afterAll, expect };
deviceContract(
  {
    name: "emulated, interpreter",
    open: (observer) => openNodeDevice({ engine: "interpreter", ...watchedBy(observer) }),
    compile,
  },
  framework,
);
deviceContract(
  {
    name: "emulated, interpreter, without launch reuse",
    open: (observer) => openNodeDevice({ engine: "interpreter", reuse: false, ...watchedBy(observer) }),
    compile,
  },
  framework,
);
for (const engine of ["auto", "thread"] as const) {
  deviceContract(
    {
      name: `emulated, ${engine}, inline`,
      open: (observer) => openNodeDevice({ engine, workers: 1, ...watchedBy(observer) }),
      compile,
    },
    framework,
  );
}
deviceContract(
  {
    name: "emulated, auto, workers",
    open: (observer) => openNodeDevice({ engine: "auto", workers: 2, ...watchedBy(observer) }),
    compile,
  },
  framework,
);
