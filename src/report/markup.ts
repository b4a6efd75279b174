/** HTML as values: text that is put into it is escaped, HTML is not. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/** markup`<p>${text}</p>`: strings and numbers are escaped; null is nothing; lists are put together. */
export function markup(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, i) => part + (i < values.length ? textOf(values[i] ?? null) : "")).join(""));
}

function textOf(value: HtmlValue): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(textOf).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
