/** Benches in a dedicated worker of a page: ladders come as texts, and there are no rivals. */
import { bug, HeddleError } from "../base/diagnostics.ts";
import { tritonVersion } from "../bench/version-program.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import type { Ladder } from "../kernel-library/ladder.ts";
import { assembleLadder, type LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import type { BrowserEnvironment } from "../library/environment-browser.ts";
import { Gpu } from "../library/gpu.ts";
import { createHeddle } from "../library/heddle.ts";
import { sha256 } from "../store/sha256.ts";
import { memorySourceReader } from "../frontend/clang/memory-source-reader.ts";
import type { BenchPlatform } from "./perform-bench.ts";
import type { LadderSource, LadderTexts } from "./request.ts";

export async function openBrowserBench(
  { heddle }: BrowserLocations,
  environment: BrowserEnvironment,
): Promise<BenchPlatform> {
  const version = await packageVersion(new URL("../package.json", heddle).href);
  /** Sources and headers of the ladders, by path. */
  const files: Record<string, string> = {};
  let reader = memorySourceReader(files);
  const cores = navigator.hardwareConcurrency;
  const library = createHeddle({
    ...environment,
    includes: { readFile: (path) => reader.readFile(path), isDirectory: (path) => reader.isDirectory(path) },
    readSource: async (path) => ({ path, text: files[path] ?? "" }),
  });
  return {
    heddle: library,
    async loadVersion(path, options) {
      if (!path.endsWith(".py")) return library.load(path, options);
      const { device } = options;
      if (device === undefined) return bug("a version without a device");
      const { createOpenTriton } = await import("../library/load-triton.ts");
      const open = createOpenTriton(() => Promise.resolve(device));
      return tritonVersion(await open(new SourceText(path, files[path] ?? ""), () => null, { device }), options);
    },
    cores,
    async loadLadder(source) {
      const texts = textsOf(source);
      for (const [path, text] of Object.entries(texts.files ?? {})) files[`${texts.name}/${path}`] = text;
      const ladder = await importDeclaration(texts, new URL("ladder.js", heddle).href);
      const loaded = loadTexts(texts, ladder);
      for (const { name, path } of loaded.versions) files[path] = texts.versions[name] ?? texts.triton?.[name] ?? "";
      reader = memorySourceReader(files);
      return loaded;
    },
    openRegisters: async () => null,
    openObserved: async (options, observer) =>
      new Gpu(await environment.openDevice(options, observer), options.onPrint ?? console.log, null),
    openRival: async () => ({ absent: "a browser runs no rivals" }),
    surroundings: ({ properties, raw }) => ({
      time: new Date().toISOString(),
      heddle: version,
      commit: null,
      dirty: false,
      machine: { host: globalThis.location.host, cpu: navigator.userAgent, cores },
      device: { kind: raw.kind, name: properties.name, driver: null, engine: "auto" },
    }),
    clocks: () => null,
    sweepMemory: () => null,
    close: () => undefined,
  };
}

function textsOf(source: LadderSource): LadderTexts {
  if ("declaration" in source) return source;
  throw new HeddleError("unsupported", `a browser cannot open the file ${source.file}: a ladder is given as texts`);
}

async function packageVersion(url: string): Promise<string> {
  try {
    return ((await (await fetch(url)).json()) as { readonly version: string }).version;
  } catch {
    // The page serves dist/ alone.
    return "unknown";
  }
}

async function importDeclaration({ name, declaration }: LadderTexts, ladderUrl: string): Promise<Ladder> {
  const text = declaration.replaceAll(/(["'])heddle\/ladder\1/g, JSON.stringify(ladderUrl));
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    const module = (await import(url)) as { readonly default?: Ladder };
    if (module.default?.versions !== undefined) return module.default;
  } catch (error) {
    if (error instanceof HeddleError) throw error;
    throw new HeddleError("bad-arguments", `the declaration of ${name} cannot be loaded: ${String(error)}`, {
      cause: error,
    });
  } finally {
    URL.revokeObjectURL(url);
  }
  throw new HeddleError("bad-arguments", `the declaration of ${name} has no default export that defineLadder made`);
}

function loadTexts(
  { name, versions, triton = {}, like = {}, files = {} }: LadderTexts,
  declared: Ladder,
): LoadedLadder {
  const copies = Object.entries(like).flatMap(([version, other]) => {
    const declaration = declared.versions[other];
    return declaration === undefined ? [] : [[version, declaration] as const];
  });
  const ladder = { ...declared, versions: { ...declared.versions, ...Object.fromEntries(copies) } };
  const pathOf = (version: string): string => `${name}/${version}.${version in triton ? "py" : "cu"}`;
  const headers = JSON.stringify(files);
  return assembleLadder(
    { name, ladder, file: name },
    Object.entries({ ...versions, ...triton })
      .sort(byName)
      .map(([version, text]) => ({
        name: version,
        path: pathOf(version),
        text,
        hash: sha256(new TextEncoder().encode(`${version}\0${text}\0${headers}`)),
      })),
    pathOf,
  );
}

/** A copy stands behind its original. */
function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
