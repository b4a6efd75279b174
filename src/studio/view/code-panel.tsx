/** The code that the compiler makes for the GPU, beside the source: a click on a line goes to the source's. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { irLines, ptxLines, sassLines, withoutGaps, type CodeLine } from "../model/code-lines.ts";
import { activeFile, mainFile } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

type Form = "ptx" | "ir" | "sass";

const FORMS: readonly (readonly [Form, string])[] = [
  ["ptx", "PTX"],
  ["ir", "LLVM IR"],
  ["sass", "SASS"],
];

export function CodePanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const code = useStore(studio.store, (state) => state.code);
  const sass = useStore(studio.store, (state) => (state.sass?.of === state.code ? state.sass : null));
  const path = useStore(studio.store, ({ workspace }) => mainFile(workspace)?.path ?? "");
  const [kind, setKind] = useState<Form>("ptx");
  const list = useRef<HTMLOListElement>(null);
  /** The editor's line, where the editor shows the file that was compiled; 0: none. */
  const current = useStore(studio.store, ({ workspace, cursorLine }) =>
    activeFile(workspace).path === path ? cursorLine : 0,
  );
  const lines = useMemo(() => {
    if (code === null) return [];
    if (kind === "sass") return withoutGaps(sassLines(sass?.text ?? "", path));
    return withoutGaps(kind === "ptx" ? ptxLines(code.ptx, path) : irLines(code.ir));
  }, [code, sass, kind, path]);
  // Code that was made again has other machine code.
  useEffect(() => {
    if (kind === "sass") void studio.showSass();
  }, [code, kind]);
  // The code follows the editor's cursor.
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current, lines]);
  if (code === null)
    return (
      <div class="welcome">
        <p>
          <b>GPU code</b> shows the PTX that a GPU&apos;s driver gets for this program, and the LLVM IR that it is made
          of. Each line leads to its place in the source.
        </p>
      </div>
    );
  return (
    <>
      <div class="choice" role="group" aria-label="Form of the code">
        {FORMS.map(([form, name]) => (
          <button key={form} aria-pressed={kind === form} onClick={() => setKind(form)}>
            {name}
          </button>
        ))}
      </div>
      {kind === "sass" && sass?.text == null ? <SassNote why={sass?.why ?? []} /> : null}
      <ol class="code" ref={list} aria-label={Object.fromEntries(FORMS)[kind]}>
        {lines.map((line, i) => (
          <Line
            key={i}
            line={line}
            previous={lines[i - 1]?.line ?? null}
            isCurrent={line.line !== null && line.line === current}
            onOpen={(row) => open(studio, path, row)}
          />
        ))}
      </ol>
    </>
  );
}

/** While there is no SASS. */
function SassNote({ why }: { readonly why: readonly string[] }): JSX.Element {
  return (
    <div class="welcome" role="status">
      {why.length === 0 ? <p>The server makes SASS …</p> : why.map((line) => <p key={line}>{line}</p>)}
    </div>
  );
}

function open(studio: Studio, path: string, line: number): void {
  studio.reveal({ file: path, line, column: 0 });
}

/** The first of the lines that come from one line of the source names it. */
function Line({
  line: { text, line },
  previous,
  isCurrent,
  onOpen,
}: {
  readonly line: CodeLine;
  readonly previous: number | null;
  readonly isCurrent: boolean;
  readonly onOpen: (line: number) => void;
}): JSX.Element {
  return (
    <li data-shade={line === null ? undefined : line % SHADES} aria-current={isCurrent ? "true" : undefined}>
      {line === null || line === previous ? (
        <span class="from" />
      ) : (
        <button class="from" aria-label={`Line ${line} of the source`} onClick={() => onOpen(line)}>
          {line}
        </button>
      )}
      <code>{text}</code>
    </li>
  );
}

const SHADES = 5;
