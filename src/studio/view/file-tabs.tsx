/** The files of a program, or the versions of a ladder. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { activeFile, freePath, renamed, withFile, withoutFile } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { Icon } from "./icon.tsx";
import { useProblems } from "./use-problems.ts";

export function FileTabs({ studio }: { readonly studio: Studio }): JSX.Element {
  const workspace = useStore(studio.store, (state) => state.workspace);
  const problems = useProblems(studio);
  const active = activeFile(workspace).path;
  const chooser = useRef<HTMLInputElement>(null);
  const faulty = new Set(
    problems.flatMap(({ severity, place }) => (severity === "error" && place !== null ? [place.file] : [])),
  );
  const show = (path: string): void => studio.store.change({ workspace: { ...studio.state.workspace, active: path } });
  const rename = (): void => {
    const name = prompt("New name of the file", active)?.trim();
    if (name !== undefined) studio.change((now) => renamed(now, active, name));
  };
  return (
    <nav class="files" aria-label="Files">
      <ul>
        {workspace.files.map(({ path }) => (
          <li key={path} class={path === active ? "active" : ""}>
            <button
              aria-current={path === active ? "true" : undefined}
              onClick={() => (path === active ? rename() : show(path))}
              title={path === active ? "Rename" : path}
            >
              {path}
              {faulty.has(path) ? (
                <span class="dot" role="img" aria-label="has errors">
                  ●
                </span>
              ) : null}
            </button>
            {path === active && workspace.files.length > 1 ? (
              <button
                class="icon"
                aria-label={`Remove ${path}`}
                title={`Remove ${path}`}
                onClick={() => {
                  if (confirm(`Remove ${path}?`)) studio.change((now) => withoutFile(now, path));
                }}
              >
                <Icon name="close" />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <button
        class="icon"
        aria-label="New file"
        title="New file"
        onClick={() => studio.change((now) => withFile(now, { path: freePath(now, "file.h"), text: "" }))}
      >
        <Icon name="plus" />
      </button>
      <span class="space" />
      <button class="quiet" onClick={() => chooser.current?.click()}>
        Open…
      </button>
      <button class="quiet" onClick={() => downloadFile(activeFile(studio.state.workspace))}>
        Download
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to open"
        onChange={({ currentTarget }) => void openFiles(studio, currentTarget)}
      />
    </nav>
  );
}

async function openFiles(studio: Studio, input: HTMLInputElement): Promise<void> {
  for (const file of input.files ?? []) {
    const text = await file.text();
    studio.change((workspace) => withFile(workspace, { path: file.name, text }));
  }
  input.value = "";
}

export function downloadFile({ path, text }: { readonly path: string; readonly text: string | Uint8Array }): void {
  const url = URL.createObjectURL(new Blob([text as BlobPart]));
  const link = document.createElement("a");
  link.href = url;
  link.download = path.replace(/^.*\//, "");
  link.click();
  URL.revokeObjectURL(url);
}
