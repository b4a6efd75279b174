/** The head of the page: the program, what can be done with it, and the look. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { shareFragment } from "../model/share-link.ts";
import type { ActionName } from "../model/activity.ts";
import { runsPython } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { Icon } from "./icon.tsx";

const IS_APPLE: boolean = /Mac|iPhone|iPad/.test(navigator.userAgent);
const COMMAND: string = IS_APPLE ? "⌘" : "Ctrl ";

export function Header({ studio }: { readonly studio: Studio }): JSX.Element {
  const title = useStore(studio.store, ({ workspace }) => workspace.title);
  const isLadder = useStore(studio.store, ({ workspace }) => workspace.ladder !== null);
  const isPython = useStore(studio.store, ({ workspace }) => runsPython(workspace));
  const isBusy = useStore(studio.store, ({ startedAt }) => startedAt !== null);
  const main = isLadder ? "race" : "run";
  return (
    <header class="top">
      <h1 class="brand">
        Heddle <span class="wide-only">studio</span>
      </h1>
      <button class="quiet program" onClick={() => studio.store.change({ isGalleryOpen: true })}>
        <span class="hidden">Program: </span>
        <span class="title">{title}</span>
        <span class="muted"> Examples…</span>
      </button>
      <div class="actions" role="group" aria-label="Program">
        {isBusy ? (
          <button class="main stop" onClick={() => studio.stop()} title="Escape">
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button class="main" onClick={() => void studio.start(main)} title={`${COMMAND}Enter`}>
            <Icon name="run" />
            {isLadder ? "Race" : "Run"}
            <kbd class="wide-only">{COMMAND}⏎</kbd>
          </button>
        )}
        {isLadder ? null : (
          <>
            <Action studio={studio} action="check" title="Run it, and look for faults: races, accesses out of bounds">
              Find faults
            </Action>
            <Action studio={studio} action="watch" title="Record a block, and go through it step by step">
              Watch
            </Action>
            <Action studio={studio} action="profile" title="Run it, and say what makes it slow on a GPU">
              Explain speed
            </Action>
          </>
        )}
        {isPython ? null : (
          <Action studio={studio} action="code" title="Show the code for the GPU that the compiler makes">
            GPU code
          </Action>
        )}
      </div>
      <ShareButton studio={studio} />
      <ThemeButton />
    </header>
  );
}

function Action({
  studio,
  action,
  title,
  children,
}: {
  readonly studio: Studio;
  readonly action: ActionName;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <button title={title} onClick={() => void studio.start(action)}>
      {children}
    </button>
  );
}

function ShareButton({ studio }: { readonly studio: Studio }): JSX.Element {
  const share = async (): Promise<void> => {
    const fragment = shareFragment(studio.state.workspace);
    history.replaceState(null, "", fragment);
    const isCopied = await navigator.clipboard.writeText(location.href).then(
      () => true,
      () => false,
    );
    studio.say(isCopied ? "The link is copied. It holds the program." : "The address of this page holds the program.");
    setTimeout(() => studio.say(""), MESSAGE_MS);
  };
  return (
    <button class="quiet" onClick={() => void share()} title="Copy a link that holds this program">
      Share
    </button>
  );
}

const MESSAGE_MS = 4000;

const THEME = "heddle-studio-theme";

/** Follows the system until somebody chooses. */
export function applyTheme(): void {
  const theme = localStorage.getItem(THEME);
  if (theme !== null) document.documentElement.dataset["theme"] = theme;
}

function ThemeButton(): JSX.Element {
  const [isDark, setDark] = useState(() => {
    const chosen = document.documentElement.dataset["theme"];
    return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  });
  const toggle = (): void => {
    const theme = isDark ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(THEME, theme);
    setDark(!isDark);
  };
  const label = isDark ? "Light colours" : "Dark colours";
  return (
    <button class="quiet icon" onClick={toggle} title={label} aria-label={label}>
      <Icon name={isDark ? "sun" : "moon"} />
    </button>
  );
}
