#!/usr/bin/env node
/**
 * Measures the device mathematics library on the host: compiles libdevice/ with g++ as plain C++ and compares every
 * function of libdevice/error-bounds.json with quad precision (libquadmath).
 *
 *   node scripts/measure-libdevice.mjs [--stride N] [--samples N] [--only NAME] [--checksums] [--fused]
 *
 * --stride: every N-th float for functions of one float (default 997; 1 is every float, some minutes a function).
 * --samples: random arguments of all other functions (default 100000). --checksums: writes libdevice/checksums.json,
 * the results' bits over a fixed set of arguments, which the emulated device must
 *   reproduce exactly (src/frontend/clang/libdevice.test.ts).
 * --fused: the functions of double as GPUs have them (libdevice/gpu-f64.cu), on a processor with fused multiply-add.
 * Exits with 1 when a bound does not hold.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: {
    stride: { type: "string", default: "997" },
    samples: { type: "string", default: "100000" },
    only: { type: "string", default: "" },
    checksums: { type: "boolean", default: false },
    fused: { type: "boolean", default: false },
  },
});
const bounds = JSON.parse(readFileSync(join(root, "libdevice/error-bounds.json"), "utf8"));
const cases = ["float", "double"].flatMap((type) =>
  Object.entries(bounds[type]).map(([name, { args, ulp, low, high }]) => {
    const reference = type === "float" ? name.slice(0, -1) : name;
    return (
      `CASE_${type.toUpperCase()}_${args}(${name}, ${reference}, ${ulp}, ${low ?? "-INFINITY"}, ` +
      `${high ?? "INFINITY"})`
    );
  }),
);

const directory = mkdtempSync(join(tmpdir(), "measure-libdevice-"));
try {
  writeFileSync(join(directory, "cases.inc"), `${cases.join("\n")}\n`);
  const binary = join(directory, "measure");
  execFileSync(
    "g++",
    [
      "-O2",
      "-std=gnu++17",
      "-ffp-contract=off",
      ...(values.fused ? ["-DHEDDLE_FUSED_DOUBLE", "-mfma"] : []),
      "-w",
      "-I",
      join(root, "libdevice"),
      "-I",
      directory,
      join(root, "scripts/measure-libdevice.cpp"),
      "-o",
      binary,
      "-lquadmath",
    ],
    { stdio: "inherit" },
  );
  const mode = values.checksums ? ["checksums"] : [values.stride, values.samples, values.only];
  const { stdout, status } = spawnSync(binary, mode, {
    encoding: "utf8",
    stdio: ["ignore", values.checksums ? "pipe" : "inherit", "inherit"],
  });
  if (values.checksums) writeFileSync(join(root, "libdevice/checksums.json"), stdout);
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true });
}
