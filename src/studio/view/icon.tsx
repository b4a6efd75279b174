/** Small pictures beside words. */
import type { JSX } from "preact";

const PATHS = {
  run: "M4 2.5v11l9-5.5z",
  stop: "M3.5 3.5h9v9h-9z",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.3 1h1.4v2H7.3zM7.3 13h1.4v2H7.3zM1 7.3h2v1.4H1zM13 7.3h2v1.4h-2z",
  close: "M4.2 3.2 8 7l3.8-3.8 1 1L9 8l3.8 3.8-1 1L8 9l-3.8 3.8-1-1L7 8 3.2 4.2z",
  plus: "M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z",
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
