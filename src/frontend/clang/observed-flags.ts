/** How the host side of an observed program is compiled and linked (docs/host-abi.md, "Observed programs"). */
import type { CompileOptions } from "../../program/compiled-program.ts";

/** Functions of the C library that report their accesses. */
const COPIES = ["memcpy", "memmove", "memset"] as const;

const OVERFLOWS = [
  "signed-integer-overflow",
  "unsigned-integer-overflow",
  "shift-base",
  "unsigned-shift-base",
  "implicit-signed-integer-truncation",
  "implicit-unsigned-integer-truncation",
] as const;

/** Results that do not fit their type are reported (hostlib/long_arithmetic.cpp); the runtime picks some. */
function reportFlags(checks: readonly string[]): string[] {
  return [
    `-fsanitize=${checks.join(",")}`,
    `-fsanitize-recover=${checks.join(",")}`,
    "-fsanitize-ignorelist=/heddle/include/heddle/long_arithmetic.ignorelist",
  ];
}

/** Checks of which overflow-checks.ts takes out those in loops: for every program. */
export function overflowFlags(): string[] {
  return reportFlags(OVERFLOWS);
}

/**
 * Units of an observed program report each of their accesses to memory that is not the host's, or not now
 * (hostlib/observed.cpp). Programs with a `long` of 32 bits report results that lose bits, too; with 64 bits all that a
 * 64-bit machine has right is right.
 */
export function observedFlags({ observed, model }: CompileOptions): string[] {
  if (!observed) return [];
  const lost = [...OVERFLOWS, "shift-exponent", "implicit-integer-sign-change", "float-cast-overflow"];
  return [
    ...(model === "lp64" ? [] : reportFlags(lost)),
    "-fsanitize-coverage-type=1",
    "-fsanitize-coverage-trace-loads",
    "-fsanitize-coverage-trace-stores",
    ...COPIES.map((name) => `-fno-builtin-${name}`),
  ];
}

/** Flags of `observedFlags` and of line tables, which precompiled headers do without. */
export function isAboutCode(flag: string): boolean {
  return /^-(?:fsanitize|fno-builtin-mem|debug-info-kind|dwarf-version|disable-llvm-passes)/.test(flag);
}

export const OBSERVED_LINK: readonly string[] = [
  ...["free", ...COPIES].map((name) => `--wrap=${name}`),
  ...["__heddle_observe", "__heddle_watch_host", "__heddle_watch_device"].map((name) => `--export=${name}`),
];
