/**
 * Builds the C and C++ library of 64-bit programs with our own Clang, on as many threads as there are: an archive with
 * headers and libraries, which the compiler reads beside the one of its package.
 */
import { HeddleError, bug } from "../../../base/diagnostics.ts";
import type { Clang, ClangParts } from "../clang.ts";
import { LP64_FOLDER } from "../targets.ts";
import { readTar, writeTar } from "../tar.ts";
import { ToolThread, type ToolPort } from "../tool-thread.ts";
import { cppHeader, editedSource, wideHeader } from "./headers.ts";
import { SOURCE_FOLDERS, SOURCE_ROOT, libraryUnits, type LibraryUnit } from "./library-plan.ts";

const OUTPUT = "/heddle/out/unit.o";
const C_LIBRARY = "lib/wasm32-wasip1/libc.a";
const CPP_HEADERS = "package/lib/libcxx/include/";

export interface LibraryBuild {
  /** Of the package with the sources, unpacked. */
  readonly sources: Uint8Array;
  readonly parts: ClangParts;
  /** Makes a Clang in this thread: for the archiver. */
  readonly clang: (parts: ClangParts) => Clang;
  readonly startThread: () => ToolPort;
  readonly threads: number;
  /** So that threads share the archives. */
  readonly share: (bytes: Uint8Array) => Uint8Array;
  readonly onProgress: (done: number, all: number) => void;
  /** Objects of former builds, by what they are made of: flags and the source. */
  readonly kept: {
    get(flags: string, source: Uint8Array): Promise<Uint8Array | null>;
    put(flags: string, source: Uint8Array, object: Uint8Array): Promise<void>;
  };
}

/** The archive. */
export async function buildLibrary(build: LibraryBuild): Promise<Uint8Array> {
  const headers = [...wideHeaders(build.parts.archives)];
  const sources: { name: string; bytes: Uint8Array }[] = [];
  for (const { name, bytes } of readTar(build.sources)) {
    if (name.startsWith(CPP_HEADERS)) headers.push(cppHeader(name.slice(CPP_HEADERS.length), bytes));
    else if (SOURCE_FOLDERS.some((folder) => name.startsWith(folder))) {
      const path = name.slice("package/lib/".length);
      sources.push({ name: `lp64/${path}`, bytes: editedSource(path, bytes) });
    }
  }
  const parts: ClangParts = {
    ...build.parts,
    archives: [...build.parts.archives, build.share(writeTar([...headers, ...sources]))],
  };
  const clang = build.clang(parts);
  const units = libraryUnits(
    sources.map(({ name }) => `${SOURCE_ROOT}/${name.slice("lp64/".length)}`),
    membersOfCLibrary(build.parts.archives, clang),
  );
  const objects = await compileAll(units, { parts, clang }, build);
  const libraries = new Map<string, Map<string, Uint8Array>>();
  units.forEach((unit, i) => {
    const library = libraries.get(unit.archive) ?? new Map<string, Uint8Array>();
    libraries.set(
      unit.archive,
      library.set(`/heddle/out/${i}-${unit.path.split("/").at(-1)}.o`, objects[i] as Uint8Array),
    );
  });
  const archives = [...libraries].map(([name, members]) => ({
    name: `lib/${LP64_FOLDER}/${name}`,
    bytes: archiveOf(clang, members),
  }));
  return writeTar([...headers, ...archives]);
}

function* wideHeaders(archives: readonly Uint8Array[]): Generator<{ name: string; bytes: Uint8Array }> {
  for (const archive of archives)
    for (const { name, bytes } of readTar(archive)) {
      const header = wideHeader(name, bytes);
      if (header !== null) yield header;
    }
}

/** Names of the sources that the 32-bit library was made of. */
function membersOfCLibrary(archives: readonly Uint8Array[], clang: Clang): string[] {
  for (const archive of archives)
    for (const { name, bytes } of readTar(archive)) {
      if (name !== C_LIBRARY) continue;
      const { stdout } = clang.run(["ar", "t", "/heddle/out/libc.a"], {
        files: new Map([["/heddle/out/libc.a", bytes]]),
      });
      return new TextDecoder()
        .decode(stdout)
        .split("\n")
        .map((line) => line.trim().replace(/\.(obj|o)$/, ""))
        .filter((member) => member !== "");
    }
  return bug("the compiler's package has no C library");
}

/** The objects, in the order of the units. */
async function compileAll(
  units: readonly LibraryUnit[],
  { parts, clang }: { readonly parts: ClangParts; readonly clang: Clang },
  { startThread, threads, onProgress, kept }: LibraryBuild,
): Promise<Uint8Array[]> {
  const objects: Uint8Array[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    const thread = new ToolThread(startThread(), () => () => {});
    thread.load(parts);
    for (let at = next++; at < units.length; at = next++) {
      const unit = units[at] as LibraryUnit;
      const flags = [unit.path, ...unit.flags].join("\n");
      const source = sourceOf(clang, unit.path);
      const found = await kept.get(flags, source);
      if (found !== null) {
        objects[at] = found;
        onProgress(++done, units.length);
        continue;
      }
      const run = await thread.start({
        args: [...unit.flags, "-emit-obj", "-o", OUTPUT, unit.path],
        files: new Map(),
        later: [],
        reads: "nothing",
        output: OUTPUT,
      });
      const result = await (run ?? bug("a thread of the compiler is busy")).result;
      if (result.exitCode !== 0)
        throw new HeddleError("compile-error", `${unit.path} of the 64-bit library does not compile`, {
          notes: [result.stderr],
        });
      const object = result.output(OUTPUT) ?? bug("Clang wrote nothing");
      objects[at] = object;
      await kept.put(flags, source, object);
      onProgress(++done, units.length);
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  return objects;
}

function sourceOf({ system }: Clang, path: string): Uint8Array {
  const entry = system.files.get(path.slice(1));
  return entry?.kind === "file" ? entry.bytes : bug(`${path} is not there`);
}

function archiveOf(clang: Clang, members: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const result = clang.run(["ar", "rcs", "/heddle/out/library.a", ...members.keys()], { files: members });
  if (result.exitCode !== 0) bug(`the archiver failed: ${result.stderr}`);
  return result.output("/heddle/out/library.a") ?? bug("the archiver wrote nothing");
}
