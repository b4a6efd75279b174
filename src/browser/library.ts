/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The library in a browser: compile CUDA source, launch kernels, read results, with nothing to install.
 *
 *     import { openHeddle } from "heddle/browser/library";
 *     const { compile, openDevice } = openHeddle({ clang: "/node_modules/@yowasp/clang/gen/" });
 *     const device = await openDevice();
 *     const program = await compile(`__global__ void twice(float* x) { x[threadIdx.x] *= 2; }`, { device });
 *     const twice = await program.kernel("twice");
 *     const x = device.array(new Float32Array([1, 2, 3]));
 *     await twice.launch({ grid: 1, block: 3 }, x);
 *     await x.read(); // Float32Array [2, 4, 6]
 *
 * For dedicated workers: compilations and launches keep the thread that asks for them busy. Where the page is
 * cross-origin isolated (see run-program.ts) blocks run on all cores, elsewhere on one.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { createHeddle, type Heddle } from "../library/heddle.ts";
import { checkBrowserOptions, LOCATION_NAMES } from "./option-names.ts";
import { absoluteLocations } from "./locations.ts";
import { browserEnvironment } from "../library/environment-browser.ts";

export interface BrowserLibraryOptions {
  /** URL of the directory gen/ of the package @yowasp/clang, relative to the worker's script. */
  readonly clang: string;
  /** URL of dist/ of this package; default: where this module was loaded from. */
  readonly heddle?: string;
}

/**
 * `compile`, `load` (of a URL) and `openDevice`, as the package's main entry has them. Nothing is fetched before it is
 * needed.
 */
export function openHeddle(options: BrowserLibraryOptions): Heddle {
  checkBrowserOptions("openHeddle", options, LOCATION_NAMES);
  const environment = browserEnvironment(absoluteLocations(options));
  return createHeddle({
    ...environment,
    includes: null,
    async readSource(path) {
      const response = await fetch(path).catch((cause: unknown) => {
        throw new HeddleError("io-error", `${path} cannot be fetched`, { cause });
      });
      if (!response.ok)
        throw new HeddleError("file-not-found", `${path} cannot be fetched: ${response.status} ${response.statusText}`);
      return { path, text: await response.text() };
    },
  });
}
