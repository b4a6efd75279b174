/** CUDA's words in the editor: completion, and their form with a sentence, by the mouse or by F1. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { BUILT_INS, cudaWord, type Word } from "../model/cuda-reference.ts";

/** Functions of the runtime API that Heddle has, with their signatures; put in by the build. */
declare const STUDIO_FUNCTIONS: Readonly<Record<string, string>>;

const OPTIONS: readonly Completion[] = [...BUILT_INS.keys(), ...Object.keys(STUDIO_FUNCTIONS)].flatMap((label) => {
  const word = cudaWord(label, STUDIO_FUNCTIONS);
  if (word === null) return [];
  const boost = { variable: 2, keyword: 1, function: BUILT_INS.has(label) ? 1 : 0 }[word.kind];
  return [{ label, type: word.kind, boost, info: () => wordElement(word) }];
});

export function cudaCompletions(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/\w+/);
  if (word === null || (word.to - word.from < 3 && !context.explicit)) return null;
  return { from: word.from, options: OPTIONS, validFor: /^\w*$/ };
}

function wordElement({ form, about }: Word): HTMLElement {
  const element = document.createElement("div");
  element.className = "cm-word";
  const code = document.createElement("code");
  code.textContent = form;
  const text = document.createElement("p");
  text.textContent = about;
  element.append(code, ...(about === "" ? [] : [text]));
  return element;
}

interface FoundWord extends Word {
  readonly from: number;
  readonly to: number;
}

function wordAt(state: EditorState, position: number): FoundWord | null {
  const range = state.wordAt(position);
  if (range === null) return null;
  const word = cudaWord(state.sliceDoc(range.from, range.to), STUDIO_FUNCTIONS);
  return word === null ? null : { ...word, from: range.from, to: range.to };
}

function tooltipOf(word: FoundWord | null): Tooltip | null {
  if (word === null) return null;
  return { pos: word.from, end: word.to, above: true, create: () => ({ dom: wordElement(word) }) };
}

const setHelp = StateEffect.define<Tooltip | null>();

/** What F1 has opened; it closes when the cursor leaves. */
const help = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, { effects, docChanged, selection }) {
    const effect = effects.find((one) => one.is(setHelp));
    if (effect !== undefined) return effect.value as Tooltip | null;
    return docChanged || selection !== undefined ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

function openHelp(view: EditorView): boolean {
  const word = wordAt(view.state, view.state.selection.main.head);
  const spoken = word === null ? "No word of CUDA" : `${word.form}. ${word.about}`;
  view.dispatch({ effects: [setHelp.of(tooltipOf(word)), EditorView.announce.of(spoken)] });
  return true;
}

function closeHelp(view: EditorView): boolean {
  if (view.state.field(help) === null) return false;
  view.dispatch({ effects: setHelp.of(null) });
  return true;
}

/** For CUDA sources. */
export const cudaHelp: Extension = [
  help,
  hoverTooltip((view, position) => tooltipOf(wordAt(view.state, position))),
  keymap.of([
    { key: "F1", run: openHelp, preventDefault: true },
    { key: "Escape", run: closeHelp },
  ]),
];
