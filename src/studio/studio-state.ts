/** What the views show. */
import { FIRST_BLOCK, type RecordingChoice } from "../recording/recording-choice.ts";
import type { CodeTexts } from "../session/request.ts";
import * as activities from "./model/activity.ts";
import type { ExplanationView } from "./model/explanation.ts";
import type { Leader } from "./model/leaderboard.ts";
import type { Place, Problem } from "./model/problems.ts";
import type { RaceTime } from "./model/race-time.ts";
import { NO_RACE, type RaceState } from "./model/race.ts";
import type { Tiles } from "./model/tiles.ts";
import type { Watched } from "./model/watch.ts";
import { programWorkspace, type Workspace } from "./model/workspace.ts";
import type { StudioServer } from "./server-session.ts";
import { savedLeaders } from "./saved-leaders.ts";

export type Panel = "output" | "problems" | "profile" | "watch" | "code" | "race";

/** Machine code of the program. */
export interface SassState {
  /** The code that it belongs to. */
  readonly of: CodeTexts;
  /** null: it is not there, or not yet. */
  readonly text: string | null;
  /** Why it cannot be shown; empty: it can, or is being made. */
  readonly why: readonly string[];
}

export interface StudioState {
  readonly workspace: Workspace;
  readonly activity: activities.ActivityState;
  /** What the compiler says of what was typed since; null: nothing was typed. */
  readonly ahead: readonly Problem[] | null;
  readonly panel: Panel;
  /** performance.now() when the work that goes on was started; null: nothing goes on. */
  readonly startedAt: number | null;
  /** Of the last work. */
  readonly elapsedMs: number | null;
  readonly explanation: ExplanationView | null;
  /** null: nothing was recorded. */
  readonly watch: Watched | null;
  /** The race that the blocks were recorded for; null: none. */
  readonly raceTime: RaceTime | null;
  /** A recorded program of a Triton kernel; null: none. */
  readonly tiles: Tiles | null;
  /** Which block is recorded next. */
  readonly choice: RecordingChoice;
  readonly code: CodeTexts | null;
  /** null: nobody has asked for it. */
  readonly sass: SassState | null;
  readonly race: RaceState;
  /** A race tries all configurations of each version. */
  readonly sweeps: boolean;
  readonly leaders: readonly Leader[];
  /** What the editor shall show; each request is another object. With `takesCursor` the cursor goes there. */
  readonly jump: { readonly place: Place; readonly takesCursor: boolean } | null;
  /** Of the active file. */
  readonly cursorLine: number;
  /** Where the page's server runs programs; null: it runs none. */
  readonly server: StudioServer | null;
  /** Whether programs run there. Another program starts in the browser again: it may be a stranger's. */
  readonly runsOnServer: boolean;
  readonly isGalleryOpen: boolean;
  /** For a moment, at the foot of the page. */
  readonly message: string;
}

/** Nothing was found in a program yet. */
export const NOTHING_DONE: Pick<
  StudioState,
  | "runsOnServer"
  | "ahead"
  | "explanation"
  | "watch"
  | "raceTime"
  | "tiles"
  | "choice"
  | "code"
  | "sass"
  | "race"
  | "elapsedMs"
  | "startedAt"
> = {
  runsOnServer: false,
  ahead: null,
  explanation: null,
  watch: null,
  raceTime: null,
  tiles: null,
  choice: FIRST_BLOCK,
  code: null,
  sass: null,
  race: NO_RACE,
  elapsedMs: null,
  startedAt: null,
};

export function firstState(workspace: Workspace | null): StudioState {
  return {
    ...NOTHING_DONE,
    workspace: workspace ?? programWorkspace("", []),
    activity: activities.NOTHING_YET,
    panel: "output",
    sweeps: false,
    leaders: savedLeaders(),
    jump: null,
    cursorLine: 1,
    server: null,
    isGalleryOpen: false,
    message: "",
  };
}
