/** The device library as one text: what `openEmulatedDevice({ library })` takes. */
import type { DataModel } from "../../base/data-model.ts";
import type { BlobStore, Hash } from "../../store/store.ts";
import type { Compiler } from "./compiler.ts";
import { linkModules } from "../../ir/link.ts";
import { printModule } from "../../ir/text/print.ts";
import type { LibraryText } from "../../program/library-text.ts";
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

type LibraryCompiler = Pick<Compiler, "compileDeviceLibrary" | "deviceLibraryKey">;

/** The library's units as `compiler` makes them, joined; cached in `store`. */
export async function cachedDeviceLibrary(
  compiler: LibraryCompiler,
  store: BlobStore,
  hash: Hash,
  model: DataModel["name"] = "ilp32",
): Promise<string> {
  return (await deviceLibraryText(compiler, store, hash, model)).text();
}

/** The same, where the text may not be needed. */
export async function deviceLibraryText(
  compiler: LibraryCompiler,
  store: BlobStore,
  hash: Hash,
  model: DataModel["name"] = "ilp32",
): Promise<LibraryText> {
  const key = hash(new TextEncoder().encode(`joined device library 2\0${await compiler.deviceLibraryKey(model)}`));
  const bytes = await store.get(key);
  let text: string | null = null;
  if (bytes !== null) return { key, text: () => (text ??= new TextDecoder().decode(bytes)) };
  const joined = joinDeviceLibrary(await compiler.compileDeviceLibrary(model));
  await store.put(key, new TextEncoder().encode(joined));
  return { key, text: () => joined };
}
