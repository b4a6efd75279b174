/** `loadInline` and `loadExtension` of an environment: compile, keep what has not changed, load. */
import type { DataModel } from "../base/data-model.ts";
import { fromCallSite } from "../base/call-site.ts";
import { once } from "../base/once.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import type { Gpu } from "../library/gpu.ts";
import { isRecording } from "../library/recording.ts";
import { compileExtension, explained, type ExtensionSources, type LibraryTexts } from "./compile-extension.ts";
import { inlineSources, type LoadInlineOptions } from "./load-inline.ts";
import { LoadedExtension, type ExtensionDevice } from "./loaded-extension.ts";
import type { CompileOptions, CompiledProgram } from "../program/compiled-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import type { ContentCache } from "../store/store.ts";
import { asOperation } from "../tensor/operation-names.ts";
import { cachedProgram } from "./cached-program.ts";

/** An extension: its functions by name. They take and give tensors, synchronously. */
export type Extension = Disposable & Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** What loading extensions needs of the place it runs in. */
export interface ExtensionEnvironment {
  compiler(): Promise<Compiler>;
  readonly library: LibraryTexts;
  /** The device of extensions that name none. */
  sharedDevice(): Promise<Gpu>;
  readonly includes: SourceReader | null;
  /** Where whole extensions are kept from run to run; null: nowhere. */
  readonly programs: ContentCache | null;
  /** The data model of extensions on a device. */
  model(gpu: Gpu): Promise<DataModel["name"]>;
  /** How kernels of extensions with this data model reach the tensors of a device. */
  extensionDevice(gpu: Gpu, compiler: Compiler, model: DataModel["name"]): Promise<ExtensionDevice>;
  /** The sources of a folder with a setup.py. @throws HeddleError where there are no files */
  folderSources(folder: string, name: string | null): Promise<ExtensionSources>;
  readonly writeError: (text: string) => void;
}

/** Options of `loadExtension`. */
export interface LoadExtensionOptions {
  readonly device?: Gpu;
  /** Which of the folder's extensions; not needed where it has one. */
  readonly name?: string;
}

/** The device of those that name none: opened when it is first needed, and again when it is broken. */
export function sharedDevice(open: () => Promise<Gpu>): () => Promise<Gpu> {
  let shared = once(open);
  const device = async (): Promise<Gpu> => {
    const gpu = await shared();
    if (!gpu.isBroken) return gpu;
    shared = once(open);
    return device();
  };
  return device;
}

export interface Extensions {
  loadInline<E extends object = Extension>(options: LoadInlineOptions): Promise<E & Disposable>;
  loadExtension<E extends object = Extension>(folder: string, options?: LoadExtensionOptions): Promise<E & Disposable>;
}

export function createExtensions(environment: ExtensionEnvironment): Extensions {
  /** What is loaded, by device and by content. */
  const loaded = new WeakMap<Gpu, Map<string, Promise<Extension>>>();
  const devices = new WeakMap<Gpu, Promise<ExtensionDevice>>();

  const load = async (sources: ExtensionSources, device: Gpu | undefined): Promise<Extension> => {
    const gpu = device ?? (await environment.sharedDevice());
    const model = await environment.model(gpu);
    const form = { nvccForm: gpu.raw.kind === "cuda", model };
    try {
      const compiler = await environment.compiler();
      const program = await programOf(environment, compiler, sources, form);
      let view = devices.get(gpu);
      if (view === undefined) devices.set(gpu, (view = environment.extensionDevice(gpu, compiler, model)));
      const extension = new LoadedExtension({
        name: sources.name,
        program,
        device: await view,
        print: (text, stream) => (stream === "stdout" ? gpu.onPrint(text) : environment.writeError(text)),
      });
      return objectOf(extension);
    } catch (error) {
      throw explained(error);
    }
  };

  /** The same sources on the same device are the same extension, as in PyTorch. */
  const loadOnce = async (sources: ExtensionSources, device: Gpu | undefined): Promise<Extension> => {
    const gpu = device ?? (await environment.sharedDevice());
    let known = loaded.get(gpu);
    if (known === undefined) loaded.set(gpu, (known = new Map()));
    // What a header has become is the compiler's cache's business.
    if (sources.reader !== null) return load(sources, gpu);
    const key = JSON.stringify([sources.name, sources.sources]);
    const before = known.get(key);
    if (before !== undefined) {
      const extension = await before.catch(() => null);
      if (extension !== null && !isGone(extension, gpu)) return extension;
    }
    const loading = load(sources, gpu);
    known.set(key, loading);
    loading.catch(() => void known.delete(key));
    return loading;
  };

  const extensions: Extensions = {
    loadInline: <E extends object>(options: LoadInlineOptions) =>
      fromCallSite(extensions.loadInline, () =>
        loadOnce(inlineSources(options, environment.includes), options.device),
      ) as Promise<unknown> as Promise<E & Disposable>,
    loadExtension: <E extends object>(folder: string, { device, name }: LoadExtensionOptions = {}) =>
      fromCallSite(extensions.loadExtension, async () =>
        loadOnce(await environment.folderSources(folder, name ?? null), device),
      ) as Promise<unknown> as Promise<E & Disposable>,
  };
  return extensions;
}

/** @throws HeddleError as compileExtension */
async function programOf(
  { library, programs }: ExtensionEnvironment,
  compiler: Compiler,
  sources: ExtensionSources,
  form: Partial<CompileOptions>,
): Promise<CompiledProgram> {
  const make = (): Promise<CompiledProgram> => compileExtension(compiler, sources, library, form);
  // Headers of the user's are looked up anew for each object.
  const headers = programs === null || sources.reader !== null ? null : await compiler.headersKey();
  if (programs === null || headers === null) return make();
  const { name, sources: all, joined } = sources;
  return cachedProgram(programs, [headers, name, all, joined, form], make);
}

const parts = new WeakMap<Extension, LoadedExtension>();

/** @internal What an extension's object stands for. */
export function partsOf(extension: object): LoadedExtension | undefined {
  return parts.get(extension as Extension);
}

function isGone(extension: Extension, gpu: Gpu): boolean {
  return gpu.isClosed || (parts.get(extension)?.isClosed ?? true);
}

function objectOf(loaded: LoadedExtension): Extension {
  const object: Record<string | symbol, unknown> = {
    [Symbol.dispose]: () => loaded.close(),
  };
  for (const [index, { name }] of loaded.callables.entries())
    object[name] = Object.defineProperty(
      (...given: unknown[]) =>
        isRecording() ? asOperation(name, given, () => loaded.call(index, given)) : loaded.call(index, given),
      "name",
      { value: name },
    );
  const extension = Object.freeze(object) as Extension;
  parts.set(extension, loaded);
  return extension;
}
