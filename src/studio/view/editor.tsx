/** The editor: CodeMirror, with the problems of the shown file as underlines and the heat of its lines beside them. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, forEachDiagnostic, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Prec, StateEffect, StateField, type Extension, type Text } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { COMPILER, fileName, type Place, type Problem } from "../model/problems.ts";
import { activeFile, edited } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { cudaCompletions, cudaHelp } from "./cuda-words.ts";

type LineHeat = Readonly<Record<number, number>>;

const setHeat = StateEffect.define<LineHeat>();

const heatField = StateField.define<LineHeat>({
  create: () => ({}),
  update: (heat, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(setHeat) ? effect.value : now), heat),
});

class HeatMarker extends GutterMarker {
  readonly #part: number;

  constructor(part: number) {
    super();
    this.#part = part;
  }

  override eq(other: HeatMarker): boolean {
    return other.#part === this.#part;
  }

  override toDOM(): Node {
    const element = document.createElement("span");
    element.className = "heat";
    element.style.setProperty("--h", this.#part.toFixed(3));
    element.textContent = `${Math.round(100 * this.#part)} %`;
    element.title = "part of the kernel's instructions, or of its transactions with memory";
    return element;
  }
}

const heatGutter: Extension = [
  heatField,
  gutter({
    class: "cm-heat",
    lineMarker(view, block) {
      const part = view.state.field(heatField)[view.state.doc.lineAt(block.from).number] ?? 0;
      return part < 0.005 ? null : new HeatMarker(part);
    },
    lineMarkerChange: (update) => update.startState.field(heatField) !== update.state.field(heatField),
  }),
];

/** The line of the step that is watched; 0: none. */
const setWatched = StateEffect.define<number>();

const watchedField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { effects, state, changes }) {
    const effect = effects.find((one) => one.is(setWatched));
    if (effect === undefined) return lines.map(changes);
    const line = effect.value as number;
    if (line < 1 || line > state.doc.lines) return Decoration.none;
    return Decoration.set(Decoration.line({ class: "cm-watched" }).range(state.doc.line(line).from));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: "var(--syntax-keyword)" },
  { tag: [tags.typeName, tags.standard(tags.name), tags.className], color: "var(--syntax-type)" },
  { tag: [tags.string, tags.character], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--syntax-number)" },
  { tag: [tags.comment], color: "var(--syntax-comment)", fontStyle: "italic" },
  { tag: [tags.processingInstruction, tags.meta], color: "var(--syntax-meta)" },
]);

export function Editor({ studio }: { readonly studio: Studio }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const states = useRef<Map<string, EditorState>>(new Map());
  const title = useStore(studio.store, ({ workspace }) => workspace.title);
  const path = useStore(studio.store, ({ workspace }) => activeFile(workspace).path);
  const text = useStore(studio.store, ({ workspace }) => activeFile(workspace).text);
  const problems = useStore(studio.store, ({ activity }) => activity.problems);
  const ahead = useStore(studio.store, (state) => state.ahead);
  const heat = useStore(studio.store, ({ explanation }) => explanation?.heat);
  const jump = useStore(studio.store, (state) => state.jump);
  const watchedLine = useStore(studio.store, ({ watch }) => watch?.view.line ?? null);
  const shown = useRef("");

  useEffect(() => {
    if (place.current === null) return;
    view.current = new EditorView({ parent: place.current });
    return () => view.current?.destroy();
  }, []);

  // Another file, or another program: each file keeps its history while its program is open.
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const key = `${title}\n${path}`;
    if (shown.current !== key) {
      if (shown.current !== "") states.current.set(shown.current, editor.state);
      shown.current = key;
      const kept = states.current.get(key);
      editor.setState(kept !== undefined && kept.doc.toString() === text ? kept : newState(studio, path, text));
      if (kept === undefined) editor.scrollDOM.scrollTop = 0;
    } else {
      // What is drawn may be older than what was typed since.
      const now = activeFile(studio.state.workspace);
      if (now.path === path && editor.state.doc.toString() !== now.text)
        editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: now.text } });
    }
  }, [title, path, text]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(problems, path, editor.state.doc)));
  }, [problems, path, title]);

  // The others stay where they are now: lines have moved since they were found.
  useEffect(() => {
    const editor = view.current;
    if (editor === null || ahead === null) return;
    const others: Diagnostic[] = [];
    forEachDiagnostic(editor.state, (one, from, to) => {
      if (one.source !== COMPILER) others.push({ ...one, from, to });
    });
    const fresh = diagnosticsOf(ahead, path, editor.state.doc);
    editor.dispatch(
      setDiagnostics(
        editor.state,
        [...others, ...fresh].toSorted((a, b) => a.from - b.from),
      ),
    );
  }, [ahead, path, title]);

  useEffect(() => {
    view.current?.dispatch({ effects: setHeat.of(heat?.[path] ?? {}) });
  }, [heat, path, title]);

  useEffect(() => {
    const line = watchedLine !== null && fileName(watchedLine.file) === path ? watchedLine.line : 0;
    view.current?.dispatch({ effects: setWatched.of(line) });
  }, [watchedLine, path, title]);

  useEffect(() => {
    if (jump !== null && view.current !== null && jump.place.file === path) revealPlace(view.current, jump);
  }, [jump, path]);

  return <div class="editor" ref={place} />;
}

function newState(studio: Studio, path: string, text: string): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lintGutter(),
      lineNumbers(),
      heatGutter,
      history(),
      drawSelection(),
      highlightSpecialChars(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      search({ top: true }),
      syntaxHighlighting(colours),
      languageOf(path),
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => true }])),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({
        tabindex: "0",
        "aria-label": `Source of ${path}. Escape, then Tab, leaves the editor.`,
      }),
      watchedField,
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged || selectionSet)
          studio.store.change({ cursorLine: state.doc.lineAt(state.selection.main.head).number });
        if (docChanged) studio.change((workspace) => edited(workspace, path, state.doc.toString()));
      }),
    ],
  });
}

function languageOf(path: string): Extension {
  if (path.endsWith(".py")) return [python(), autocompletion()];
  if (!/\.(cu|cuh|cpp|cc|c|h|hpp|cxx)$/.test(path)) return [];
  return [cpp(), autocompletion({ override: [cudaCompletions] }), cudaHelp];
}

function diagnosticsOf(problems: readonly Problem[], path: string, doc: Text): Diagnostic[] {
  return problems
    .flatMap((problem) => {
      const { severity, source, place, title, details, related } = problem;
      const own = place?.file === path ? [{ severity, source, message: [title, ...details].join("\n"), place }] : [];
      const others = related
        .filter((other) => other.place.file === path && !samePlace(other.place, place))
        .map((other) => ({
          severity: severity === "error" ? ("warning" as const) : severity,
          source,
          message: `${other.text}\n(belongs to: ${title})`,
          place: other.place,
        }));
      return [...own, ...others];
    })
    .map(({ place, ...rest }) => ({ ...rest, ...rangeOf(place, doc) }))
    .sort((a, b) => a.from - b.from);
}

function samePlace(a: Place, b: Place | null): boolean {
  return b !== null && a.file === b.file && a.line === b.line && a.column === b.column;
}

/** From a place to the end of the word there, or the whole line. */
function rangeOf({ line, column }: Place, doc: Text): { readonly from: number; readonly to: number } {
  const row = doc.line(Math.min(Math.max(line, 1), doc.lines));
  if (column < 1 || column > row.length) {
    const indent = /^\s*/.exec(row.text)?.[0].length ?? 0;
    return { from: row.from + indent, to: row.to };
  }
  const word = /^(?:\w+|[^\w\s]+)/.exec(row.text.slice(column - 1))?.[0] ?? " ";
  const from = row.from + column - 1;
  return { from, to: Math.min(row.to, from + word.length) };
}

function revealPlace(
  editor: EditorView,
  { place, takesCursor }: { readonly place: Place; readonly takesCursor: boolean },
): void {
  const { from } = rangeOf(place, editor.state.doc);
  const row = editor.state.doc.lineAt(from);
  const effects = EditorView.scrollIntoView(takesCursor ? from : row.from, { y: takesCursor ? "center" : "nearest" });
  editor.dispatch(takesCursor ? { selection: { anchor: from }, effects } : { effects });
  if (takesCursor) editor.focus();
}
