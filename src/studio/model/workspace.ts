/** What a person works on: files, and what the program gets. Plain data; functions return what comes next. */

export interface SourceText {
  /** Relative to the program's working directory. */
  readonly path: string;
  readonly text: string;
}

/** What a ladder needs besides its versions, which are the files. */
export interface LadderParts {
  readonly id: string;
  /** A JavaScript module: see LadderTexts. */
  readonly declaration: string;
  readonly headers: readonly SourceText[];
}

export interface Workspace {
  readonly title: string;
  /** At least one. One of them runs (`mainFile`); the others may be included, imported or opened. */
  readonly files: readonly SourceText[];
  /** Path of the file that the editor shows. */
  readonly active: string;
  /** As on a command line. */
  readonly args: string;
  readonly stdin: string;
  /** The GPU to follow. */
  readonly gpu: string;
  /** null: a program. */
  readonly ladder: LadderParts | null;
}

export const DEFAULT_GPU = "a100";
/** As `heddle run script.py` has it: src/python/script-request.ts. */
const PYTHON_GPU = "h100";

export function programWorkspace(title: string, files: readonly SourceText[]): Workspace {
  const [first = { path: "program.cu", text: "" }] = files;
  return {
    title,
    files: files.length === 0 ? [first] : files,
    active: first.path,
    args: "",
    stdin: "",
    gpu: isPython(first) ? PYTHON_GPU : DEFAULT_GPU,
    ladder: null,
  };
}

export function ladderWorkspace(title: string, files: readonly SourceText[], ladder: LadderParts): Workspace {
  return { ...programWorkspace(title, files), ladder };
}

export function activeFile({ files, active }: Workspace): SourceText {
  return files.find(({ path }) => path === active) ?? (files[0] as SourceText);
}

/** The file that runs: the one in the editor if it can, else the first that has main(), else the first of its kind. */
export function mainFile(workspace: Workspace): SourceText | null {
  const shown = activeFile(workspace);
  if (isPython(shown) || (isCuda(shown) && hasMain(shown))) return shown;
  const sources = workspace.files.filter(isCuda);
  return sources.find(hasMain) ?? sources[0] ?? workspace.files.find(isPython) ?? null;
}

/** Whether what runs is a Python script. */
export function runsPython(workspace: Workspace): boolean {
  const file = workspace.ladder === null ? mainFile(workspace) : null;
  return file !== null && isPython(file);
}

function hasMain({ text }: SourceText): boolean {
  return /\bmain\s*\(/.test(text);
}

export function isPython({ path }: SourceText): boolean {
  return path.endsWith(".py");
}

function isCuda({ path }: SourceText): boolean {
  return /\.(cu|cpp|cc|c)$/.test(path);
}

export function edited(workspace: Workspace, path: string, text: string): Workspace {
  return { ...workspace, files: workspace.files.map((file) => (file.path === path ? { path, text } : file)) };
}

/** Adds a file, or replaces the one of that path, and shows it. */
export function withFile(workspace: Workspace, file: SourceText): Workspace {
  const others = workspace.files.filter(({ path }) => path !== file.path);
  const at = workspace.files.findIndex(({ path }) => path === file.path);
  return {
    ...workspace,
    files: at < 0 ? [...others, file] : workspace.files.with(at, file),
    active: file.path,
  };
}

/** The last file stays. */
export function withoutFile(workspace: Workspace, path: string): Workspace {
  const files = workspace.files.filter((file) => file.path !== path);
  const [first] = files;
  if (first === undefined) return workspace;
  return { ...workspace, files, active: workspace.active === path ? first.path : workspace.active };
}

export function renamed(workspace: Workspace, from: string, to: string): Workspace {
  if (to.trim() === "" || workspace.files.some(({ path }) => path === to)) return workspace;
  return {
    ...workspace,
    files: workspace.files.map((file) => (file.path === from ? { ...file, path: to } : file)),
    active: workspace.active === from ? to : workspace.active,
  };
}

/** A name that no file has: "file.h", "file-2.h", … */
export function freePath({ files }: Workspace, wanted: string): string {
  const [, stem = wanted, ending = ""] = /^(.*?)(\.[^.]*)?$/.exec(wanted) ?? [];
  for (let i = 1; ; i++) {
    const path = i === 1 ? wanted : `${stem}-${i}${ending}`;
    if (files.every((file) => file.path !== path)) return path;
  }
}

/** Words of a command line; quotes keep spaces. */
export function splitArguments(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

const COPY = /^(.*)-mine(?:-\d+)?$/;

/** A copy of a ladder's version, to be changed: both race. */
export function withCopy(workspace: Workspace, path: string): Workspace {
  const file = workspace.files.find((one) => one.path === path);
  if (file === undefined) return workspace;
  const [, stem = path, ending = ""] = /^(.*?)(\.[^.]*)?$/.exec(path) ?? [];
  const original = COPY.exec(stem)?.[1] ?? stem;
  return withFile(workspace, { path: freePath(workspace, `${original}-mine${ending}`), text: file.text });
}

/** Names of copies, with those of their originals. */
export function copiesOf(files: readonly SourceText[]): Record<string, string> {
  return Object.fromEntries(
    files.flatMap(({ path }) => {
      const name = path.replace(/\.(?:cu|py)$/, "");
      const original = COPY.exec(name)?.[1];
      return original === undefined || name === path ? [] : [[name, original]];
    }),
  );
}
