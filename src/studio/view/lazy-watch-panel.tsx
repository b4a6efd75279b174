/** The view of recordings, loaded when it is first shown: it brings the interpreter along. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Studio } from "../studio.ts";

type Panel = (props: { readonly studio: Studio }) => JSX.Element;

export function LazyWatchPanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const [loaded, setLoaded] = useState<{ readonly Panel: Panel } | null>(null);
  useEffect(() => void import("./watch-panel.tsx").then(({ WatchPanel }) => setLoaded({ Panel: WatchPanel })), []);
  return loaded === null ? <p class="muted">Loading…</p> : <loaded.Panel studio={studio} />;
}
