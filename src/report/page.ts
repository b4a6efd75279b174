/** A report: one HTML file that needs nothing else. */
import { Html, markup } from "./markup.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export interface PageParts {
  readonly title: string;
  /** Under the title: where and when. */
  readonly about: string;
  /** Links to sections of the page. */
  readonly links: readonly { readonly id: string; readonly text: string }[];
  readonly body: readonly Html[];
}

export function page({ title, about, links, body }: PageParts): string {
  const navigation = links.map(({ id, text }) => markup`<a href="#${id}">${text}</a>`);
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <div class="top">
          <b>Heddle</b>
          <nav aria-label="Sections">${navigation}</nav>
          <button id="theme">Light or dark</button>
        </div>
        <main>
          <h1>${title}</h1>
          <p class="muted">${about}</p>
          ${body}
        </main>
        <script>
          ${new Html(SCRIPT)}
        </script>
      </body>
    </html> `.text;
}
