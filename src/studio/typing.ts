/** Compiles a program in the pauses of its typing. */
import { compileAhead } from "./engine.ts";
import { aheadProblems } from "./model/activity.ts";
import { runsPython, type Workspace } from "./model/workspace.ts";
import { requestOf } from "./requests.ts";
import type { Store } from "./store.ts";
import type { StudioState } from "./studio-state.ts";

/** Without a key for so long, somebody reads what they have typed. */
const PAUSE_MS = 400;

export class Typing {
  readonly #store: Store<StudioState>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store<StudioState>) {
    this.#store = store;
  }

  /** A key was pressed. */
  goesOn(): void {
    this.ends();
    this.#timer = setTimeout(() => this.#compile(), PAUSE_MS);
  }

  /** Something else was begun. */
  ends(): void {
    clearTimeout(this.#timer);
  }

  #compile(): void {
    const { workspace, startedAt, choice } = this.#store.state;
    if (startedAt !== null || runsPython(workspace) || workspace.ladder !== null) return;
    void compileAhead(
      () => requestOf(workspace, "run", choice),
      (ahead) => {
        if (isSame(this.#store.state.workspace, workspace)) this.#store.change({ ahead: aheadProblems(ahead) });
      },
    );
  }
}

/** The same program, whichever file is shown. */
function isSame({ files, args, gpu }: Workspace, other: Workspace): boolean {
  return files === other.files && args === other.args && gpu === other.gpu;
}
