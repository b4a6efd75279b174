/** The code that the compiler makes for the GPU, beside the source: a click on a line goes to the source's. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { irLines, ptxLines, withoutGaps, type CodeLine } from "../model/code-lines.ts";
import { activeFile, mainFile } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

export function CodePanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const code = useStore(studio.store, (state) => state.code);
  const path = useStore(studio.store, ({ workspace }) => mainFile(workspace)?.path ?? "");
  const [kind, setKind] = useState<"ptx" | "ir">("ptx");
  const list = useRef<HTMLOListElement>(null);
  /** The editor's line, where the editor shows the file that was compiled; 0: none. */
  const current = useStore(studio.store, ({ workspace, cursorLine }) =>
    activeFile(workspace).path === path ? cursorLine : 0,
  );
  const lines = useMemo(() => {
    if (code === null) return [];
    return withoutGaps(kind === "ptx" ? ptxLines(code.ptx, path) : irLines(code.ir));
  }, [code, kind, path]);
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
        <button aria-pressed={kind === "ptx"} onClick={() => setKind("ptx")}>
          PTX
        </button>
        <button aria-pressed={kind === "ir"} onClick={() => setKind("ir")}>
          LLVM IR
        </button>
      </div>
      <ol class="code" ref={list} aria-label={kind === "ptx" ? "PTX" : "LLVM IR"}>
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
