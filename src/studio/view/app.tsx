/** The page: source on the left, what came of it on the right. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { Editor } from "./editor.tsx";
import { FileTabs } from "./file-tabs.tsx";
import { GalleryDialog } from "./gallery-dialog.tsx";
import { Header } from "./header.tsx";
import { Inputs } from "./inputs.tsx";
import { Results } from "./results.tsx";

export function App({ studio }: { readonly studio: Studio }): JSX.Element {
  useShortcuts(studio);
  const message = useStore(studio.store, (state) => state.message);
  return (
    <>
      <Header studio={studio} />
      <main class="desk">
        <section class="source" aria-label="Source">
          <FileTabs studio={studio} />
          <Editor studio={studio} />
          <Inputs studio={studio} />
        </section>
        <Results studio={studio} />
      </main>
      <GalleryDialog studio={studio} />
      <div class="toast" role="status" hidden={message === ""}>
        {message}
      </div>
    </>
  );
}

/** Everything that the header's buttons do. */
function useShortcuts(studio: Studio): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { key, shiftKey } = event;
      const isCommand = event.ctrlKey || event.metaKey;
      if (key === "Escape" && studio.state.startedAt !== null) return studio.stop();
      if (!isCommand) return;
      if (key === "Enter" || key.toLowerCase() === "s") {
        event.preventDefault();
        void studio.start(shiftKey ? "check" : studio.mainAction);
      }
      if (key.toLowerCase() === "o") {
        event.preventDefault();
        studio.store.change({ isGalleryOpen: true });
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [studio]);
}
