/** The device library as one text: what `openEmulatedDevice({ library })` takes. */
import type { DataModel } from "../../base/data-model.ts";
import type { BlobStore, Hash } from "../../store/store.ts";
import type { Compiler } from "./compiler.ts";
import { linkModules } from "../../ir/link.ts";
import { printModule } from "../../ir/text/print.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { moduleOf } from "../../program/program-ir.ts";

/** Joins the library's units, so that functions of one may call those of another. Takes a while: cache the result. */
export function joinDeviceLibrary(units: readonly DeviceProgram[]): string {
  return printModule(
    linkModules(
      units.map((unit) => moduleOf(unit)),
      null,
    ),
  );
}

/** The library's units as `compiler` makes them, joined; cached in `store`. */
export async function cachedDeviceLibrary(
  compiler: Pick<Compiler, "compileDeviceLibrary" | "deviceLibraryKey">,
  store: BlobStore,
  hash: Hash,
  model: DataModel["name"] = "ilp32",
): Promise<string> {
  const key = hash(new TextEncoder().encode(`joined device library 2\0${await compiler.deviceLibraryKey(model)}`));
  const kept = await store.get(key);
  if (kept !== null) return new TextDecoder().decode(kept);
  const joined = joinDeviceLibrary(await compiler.compileDeviceLibrary(model));
  await store.put(key, new TextEncoder().encode(joined));
  return joined;
}
