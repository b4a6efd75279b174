/** Opens a device as library users see it, with the data model of its kernels. */
import type { DeviceObserver } from "../machine/observer.ts";
import type { DeviceOptions, LibraryEnvironment } from "./environment.ts";
import { Gpu } from "./gpu.ts";
import type { WatchedStreams } from "./watched-streams.ts";

/** @param observer a tool that watches the device @param followsGpu see Gpu */
export async function openGpu(
  environment: LibraryEnvironment,
  options: DeviceOptions,
  { observer, watched = null, followsGpu }: Observed = {},
): Promise<Gpu> {
  const model = options.model ?? (await environment.model?.()) ?? "ilp32";
  const raw = await environment.openDevice(options, observer);
  return new Gpu(raw, options.onPrint ?? printToConsole, watched, followsGpu, model);
}

interface Observed {
  readonly observer?: DeviceObserver;
  readonly watched?: WatchedStreams | null;
  readonly followsGpu?: boolean;
}

function printToConsole(text: string): void {
  console.log(text.replace(/\n$/, ""));
}
