/** `heddle python`: the user's own Python, with our modules `triton` and `torch`, which reach Heddle through a pipe. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { parseDeviceKind } from "../../device/common/device-kind.ts";
import { gpuProperties } from "../../device/emulated/gpus.ts";
import { packageRoot } from "../../frontend/clang/clang-loader-node.ts";

interface Options {
  /** Only the folder is asked for. */
  readonly printsPath: boolean;
  /** Variables for our modules. */
  readonly environment: Readonly<Record<string, string>>;
  /** For Python. */
  readonly args: readonly string[];
}

/** Options of ours stand before those of Python. */
function parse(args: readonly string[]): Options {
  const environment: Record<string, string> = {};
  let printsPath = false;
  let i = 0;
  for (; i < args.length; i++) {
    const [, flag = args[i] as string, given] = /^(--[\w-]+)=([\s\S]*)$/.exec(args[i] as string) ?? [];
    if (flag === "--path") {
      printsPath = true;
      continue;
    }
    if (flag !== "--device" && flag !== "--gpu") break;
    const value = given ?? args[++i] ?? "";
    if (value === "") throw new HeddleError("bad-arguments", `${flag} needs a value`);
    if (flag === "--device") environment["HEDDLE_DEVICE"] = parseDeviceKind(value);
    else {
      // An unknown name is an error here, with the names that are known.
      gpuProperties(value);
      environment["HEDDLE_GPU"] = value;
    }
  }
  return { printsPath, environment, args: args.slice(i) };
}

export async function pythonCommand(given: readonly string[]): Promise<number> {
  const { printsPath, environment, args } = parse(given);
  const folder = join(packageRoot(), "python", "modules");
  if (printsPath) {
    process.stdout.write(`${folder}\n`);
    return 0;
  }
  const python = process.env["HEDDLE_PYTHON"] || (process.platform === "win32" ? "python" : "python3");
  const path = [folder, process.env["PYTHONPATH"]].filter((part) => part !== undefined && part !== "");
  const child = spawn(python, args, {
    stdio: "inherit",
    env: { ...process.env, ...environment, PYTHONPATH: path.join(delimiter), HEDDLE_NODE: process.execPath },
  });
  // Ctrl-C reaches Python as well, which decides what comes of it.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  return new Promise((settle, fail) => {
    child.on("error", () =>
      fail(
        new HeddleError("file-not-found", `there is no ${python}`, {
          notes: ["HEDDLE_PYTHON names a Python", "heddle run FILE.py needs none"],
        }),
      ),
    );
    child.on("exit", (code, signal) => {
      process.off("SIGINT", ignore);
      settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
