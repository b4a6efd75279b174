/** The checkers of one run. They load only where they are asked for. */
import { demangle } from "../base/demangle.ts";
import type { Checks } from "../check/checks.ts";
import type { CheckerName } from "../check/finding.ts";
import type { ApiChecks } from "../runtime/cuda/api-checks/api-checks.ts";

export interface OpenChecks {
  readonly checks: Checks;
  readonly api: ApiChecks;
}

/** @param wasm the program, where it is known already. */
export async function openChecks(names: readonly CheckerName[], wasm: Uint8Array | null): Promise<OpenChecks> {
  const [{ Checks }, { createCheckers }, { ApiChecks }] = await Promise.all([
    import("../check/checks.ts"),
    import("../check/checkers.ts"),
    import("../runtime/cuda/api-checks/api-checks.ts"),
  ]);
  const streams = wasm !== null && hasConcurrentWork(wasm);
  const checks: Checks = new Checks(createCheckers(names, { streams }), {
    readable: demangle,
    here: (launched) => api.here(launched === null ? null : demangle(launched)),
  });
  const api = new ApiChecks(checks, { silent: !names.includes("api") });
  return { checks, api };
}

/**
 * Whether a host program can put work on streams of its own, or on branches of a graph. V8 compiles the same bytes
 * once.
 */
function hasConcurrentWork(wasm: Uint8Array): boolean {
  return WebAssembly.Module.imports(new WebAssembly.Module(wasm as BufferSource)).some(
    ({ name }) => name.startsWith("cudaStreamCreate") || name.startsWith("cudaGraphLaunch"),
  );
}
