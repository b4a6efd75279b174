/** A ladder with its versions, as it was found on disk or handed over. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Ladder, VersionDeclaration } from "./ladder.ts";

/** A version of a ladder, as it lies on disk. */
export interface LadderVersion {
  readonly name: string;
  readonly path: string;
  readonly idea: string;
  /** SHA-256 of the source and what it includes. */
  readonly hash: string;
  readonly declaration: VersionDeclaration<Record<string, number>>;
}

export interface LoadedLadder {
  readonly name: string;
  readonly ladder: Ladder;
  readonly versions: readonly LadderVersion[];
}

/** A version's source, before it is known to belong to a ladder. */
export interface VersionSource {
  /** As the ladder declares it. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** Of the text and what it includes. */
  readonly hash: string;
}

/**
 * Joins a declaration with its sources, which come in their order.
 * @param pathOf where the source of a version would lie.
 * @throws HeddleError "bad-arguments" where the two do not belong together.
 */
export function assembleLadder(
  { name, ladder, file }: { readonly name: string; readonly ladder: Ladder; readonly file: string },
  sources: readonly VersionSource[],
  pathOf: (version: string) => string,
): LoadedLadder {
  const missing = Object.keys(ladder.versions).find((version) => !sources.some((source) => source.name === version));
  if (missing !== undefined)
    throw new HeddleError(
      "bad-arguments",
      `${file} declares a version "${missing}", and there is no ${pathOf(missing)}`,
    );
  const versions = sources.map((source): LadderVersion => {
    const declaration = ladder.versions[source.name];
    if (declaration === undefined)
      throw new HeddleError("bad-arguments", `${file} does not declare the version "${source.name}" (${source.path})`, {
        notes: [`versions: { "${source.name}": { parameters: …, launch: … } }`],
      });
    const { path, hash } = source;
    return { name: source.name, path, declaration, idea: ideaOf(path, source.text), hash };
  });
  return { name, ladder, versions };
}

/** The comment on top of a version, without its marks. @throws HeddleError "bad-arguments" where there is none. */
export function ideaOf(path: string, text: string): string {
  const comment = path.endsWith(".py")
    ? /^\s*()((?:[ \t]*#[^\n]*\n)+)/.exec(text)
    : /^\s*(?:\/\*([\s\S]*?)\*\/|((?:[ \t]*\/\/[^\n]*\n)+))/.exec(text);
  const idea = (comment?.[1] || comment?.[2] || "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\/|\*|#)?\s?/, "").trim())
    .filter((line) => line !== "")
    .join(" ");
  if (idea === "")
    throw new HeddleError("bad-arguments", `${path} does not say what it changes`, {
      notes: ["a comment on top of each version says what it changes and why that should help"],
    });
  return idea;
}
