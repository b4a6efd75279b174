/** From the sources of an extension to a host module with its device code. */
import { HeddleError } from "../base/diagnostics.ts";
import type { CompiledObject, Compiler } from "../frontend/clang/compiler.ts";
import type { CompileOptions, CompiledProgram, SourceFile } from "../program/compiled-program.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { mergeOptions } from "./compiler-flags.ts";
import { withWideLongs, withWideLongsIn } from "./long-words.ts";

/** A source file of an extension, with the flags that it is compiled with. */
export interface ExtensionSource extends SourceFile {
  readonly options: Partial<CompileOptions>;
}

export interface ExtensionSources {
  readonly name: string;
  readonly sources: readonly ExtensionSource[];
  /** The same extension in one file, which compiles in half the time, if it compiles; null: there is none. */
  readonly joined: ExtensionSource | null;
  /** What the sources include; null: nothing of the user's. */
  readonly reader: SourceReader | null;
}

/** What every extension is linked with: its table of functions, and its half of the calls. */
const UNITS = ["libraries/torch/tensors.cpp", "libraries/torch/extension.cpp"];

/** The parts of an extension's library, by path in the package. */
export type LibraryTexts = (path: string) => Promise<string>;

/**
 * @param form of the code, and its data model. @throws HeddleError "compile-error", "link-error" with the compiler's
 * report in `notes`
 */
export async function compileExtension(
  compiler: Compiler,
  { name, sources, joined, reader }: ExtensionSources,
  library: LibraryTexts,
  form: Partial<CompileOptions>,
): Promise<CompiledProgram> {
  const isNarrow = (form.model ?? "ilp32") === "ilp32";
  const included = reader !== null && isNarrow ? withWideLongsIn(reader) : reader;
  const own = { defines: [`TORCH_EXTENSION_NAME=${identifier(name)}`, "TORCH_API_INCLUDE_EXTENSION_H"] };
  const compile = ({ path, text, options }: ExtensionSource): Promise<CompiledObject> => {
    const isCuda = /\.cuh?$/.test(path);
    const all = mergeOptions(own, form, options, { language: "cuda", hostOnly: !isCuda });
    return compiler.compileObject({ path, text: isNarrow ? withWideLongs(text) : text }, all, included);
  };
  const objects = (joined === null ? null : await compiledAlone(() => compile(joined))) ?? [];
  if (objects.length === 0) for (const source of sources) objects.push(await compile(source));
  const model = form.model === undefined ? {} : { model: form.model };
  for (const path of UNITS)
    objects.push(await compiler.compileObject({ path: `/heddle/${path}`, text: await library(path) }, model, null));
  return compiler.linkObjects(objects, model);
}

/** null: it does not compile so. The files one by one say why, or do compile. */
async function compiledAlone(compile: () => Promise<CompiledObject>): Promise<CompiledObject[] | null> {
  try {
    return [await compile()];
  } catch (error) {
    if (error instanceof HeddleError && error.code === "compile-error") return null;
    throw error;
  }
}

function identifier(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

const NO_MEMBER = /error: no member named '(\w+)' in (?:namespace )?'((?:at|torch|c10)(?:::\w+)*)/;

/** A compile error with what it means where a function of PyTorch's is missing. */
export function explained(error: unknown): unknown {
  if (!(error instanceof HeddleError) || error.code !== "compile-error") return error;
  const found = NO_MEMBER.exec(error.notes.join("\n"));
  if (found === null) return error;
  const [, member, owner] = found;
  return new HeddleError(error.code, error.summary, {
    notes: [...error.notes, `${owner}::${member} is not supported yet by heddle; docs/extensions.md says what is`],
    cause: error,
  });
}
