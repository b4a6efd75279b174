/** Extensions in a page: from strings, on emulated devices. */
import { HeddleError } from "../base/diagnostics.ts";
import type { BrowserEnvironment } from "../library/environment-browser.ts";
import type { Gpu } from "../library/gpu.ts";
import type { LoadedParts } from "./loaded-extension.ts";
import { createExtensions, sharedDevice, type Extensions } from "./extensions.ts";

export interface BrowserExtensionParts {
  /** Where the compiler is, at the time of a call. */
  environment(): BrowserEnvironment;
  openDevice(): Promise<Gpu>;
}

export function browserExtensions({ environment, openDevice }: BrowserExtensionParts): Extensions {
  return createExtensions({
    compiler: () => environment().compiler(),
    library: (path) => environment().ownFile(path),
    sharedDevice: sharedDevice(openDevice),
    includes: null,
    programs: null,
    model: async ({ model }) => model.name,
    extensionDevice: async ({ raw }): Promise<LoadedParts["device"]> => ({
      tensors: raw,
      kernels: raw,
      address: (tensor) => tensor.pointer,
    }),
    folderSources: () =>
      Promise.reject(
        new HeddleError("unsupported", "loadExtension reads folders, and a page has none", {
          notes: ["loadInline takes the sources as strings"],
        }),
      ),
    writeError: (text) => console.error(text.replace(/\n$/, "")),
  });
}
