/** What the page does: it holds the state that the views show, and starts the work that people ask for. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import { FIRST_BLOCK } from "../recording/recording-choice.ts";
import type { BlockRecording } from "../recording/recording.ts";
import type { SessionEvent } from "../session/events.ts";
import type { SessionRequest } from "../session/request.ts";
import type { ResultOf } from "../session/session.ts";
import type { SessionRun } from "../session/session-run.ts";
import { engineIsReady, forgetWarmUp, isWarm, openEngine, prepare, prepareOnce, teach, warmedUp } from "./engine.ts";
import * as activities from "./model/activity.ts";
import { explanationOf } from "./model/explanation.ts";
import type { Place, Race } from "./model/problems.ts";
import { isUnchanged } from "./model/gallery.ts";
import type { Watched } from "./model/watch.ts";
import { fileName } from "./model/problems.ts";
import { withRace } from "./model/leaderboard.ts";
import { NO_RACE, raceProblems, raceTable } from "./model/race.ts";
import { openTiles, type Tiles } from "./model/tiles.ts";
import { runsPython, type Workspace } from "./model/workspace.ts";
import { OutputBatch } from "./output-batch.ts";
import { partsOf, raceRequest, requestOf, serverProgram } from "./requests.ts";
import { openScripts, prepareScript, scriptRequest } from "./scripts.ts";
import { loadGallery } from "./site-files.ts";
import { saveLeaders } from "./saved-leaders.ts";
import { saveWork } from "./saved-work.ts";
import { ServerSession } from "./server-session.ts";
import { Store } from "./store.ts";
import { Typing } from "./typing.ts";
import { firstState, NOTHING_DONE, type Panel, type SassState, type StudioState } from "./studio-state.ts";

const PANELS: Readonly<Record<activities.ActionName, Panel>> = {
  run: "output",
  check: "problems",
  profile: "profile",
  watch: "watch",
  code: "code",
  race: "race",
};

export class Studio {
  readonly store: Store<StudioState>;
  readonly #typing: Typing;
  #run: SessionRun<unknown> | null = null;
  #server: ServerSession | null = null;
  /** A race whose blocks are recorded, one after another. */
  #racing: { readonly race: Race; readonly recordings: BlockRecording[] } | null = null;
  /** Counts works: events of one that was stopped are not shown. */
  #work = 0;

  constructor(workspace: Workspace | null) {
    this.store = new Store<StudioState>(firstState(workspace));
    this.#typing = new Typing(this.store);
  }

  /** @param token of the page's address. */
  connect(token: string): void {
    this.#server = new ServerSession(token, (server) =>
      this.store.change(server === null ? { server, runsOnServer: false } : { server }),
    );
  }

  get state(): StudioState {
    return this.store.state;
  }

  /** Another program: what was found in the last one goes. */
  open(workspace: Workspace): void {
    this.stop();
    this.#work++;
    const panel = workspace.ladder === null ? "output" : "race";
    const activity = activities.NOTHING_YET;
    this.store.change({ ...NOTHING_DONE, workspace, activity, panel, isGalleryOpen: false });
    saveWork(workspace);
  }

  /** The person has changed something. */
  change(step: (workspace: Workspace) => Workspace): void {
    const workspace = step(this.state.workspace);
    if (workspace === this.state.workspace) return;
    this.store.change({ workspace });
    saveWork(workspace);
    if (this.state.startedAt !== null) return;
    if (runsPython(workspace)) return prepareScript();
    prepareOnce(() => requestOf(workspace, "run", this.state.choice));
    this.#typing.goesOn();
  }

  /** @param takesCursor somebody asked for it; else they may be typing elsewhere. */
  reveal(place: Place, takesCursor = true): void {
    const { workspace } = this.state;
    if (!workspace.files.some(({ path }) => path === place.file)) return;
    this.store.change({ workspace: { ...workspace, active: place.file }, jump: { place, takesCursor } });
  }

  say(message: string): void {
    this.store.change({ message });
  }

  /** What the big button does. */
  get mainAction(): activities.ActionName {
    return this.state.workspace.ladder === null ? "run" : "race";
  }

  start(action: activities.ActionName): Promise<void> {
    this.#racing = null;
    return this.#start(action);
  }

  /** Records the blocks of a race, and shows both accesses on a time line. */
  async showRace(race: Race): Promise<void> {
    this.#racing = { race, recordings: [] };
    await this.#recordRacing(race.parties[0].block);
  }

  async #recordRacing(block: Dim3): Promise<void> {
    const launch = this.#racing?.race.launch ?? 1;
    this.store.change({ choice: { ...FIRST_BLOCK, launch, block } });
    await this.#start("watch");
  }

  async #start(action: activities.ActionName): Promise<void> {
    this.#typing.ends();
    this.stop();
    const work = ++this.#work;
    const { workspace } = this.state;
    this.store.change({
      activity: activities.begun(action, engineIsReady(), this.state.activity),
      panel: PANELS[action],
      startedAt: performance.now(),
      elapsedMs: null,
      ahead: null,
      ...(action === "profile" ? { explanation: null } : {}),
      ...(action === "watch" ? { watch: null, raceTime: null, tiles: null } : {}),
      ...(action === "code" ? { code: null } : {}),
      ...(action === "race" ? { race: { ...NO_RACE, part: 0, what: "loading" } } : {}),
    });
    try {
      await this.#perform(action, workspace, work);
    } catch (error) {
      if (work !== this.#work) return;
      const [message, notes] =
        error instanceof Error ? [summaryOf(error), (error as Partial<HeddleError>).notes ?? []] : [String(error), []];
      this.store.change(({ activity }) => ({ activity: activities.failed(activity, message, notes) }));
      if (action !== "race") this.store.change({ panel: "problems" });
      this.#showFirst();
    } finally {
      if (work === this.#work) {
        const { startedAt, race } = this.state;
        const elapsedMs = startedAt === null ? null : performance.now() - startedAt;
        this.store.change({ startedAt: null, elapsedMs, race: { ...race, part: null } });
        this.#run = null;
      }
    }
    if (work === this.#work) await this.#getReady(action, work);
  }

  /** The person reads, or edits: what is started next waits less. */
  async #getReady(action: activities.ActionName, work: number): Promise<void> {
    // When the program did not need the compiler.
    const isIdle = (): boolean => work === this.#work && this.state.startedAt === null;
    await afterPaint();
    if (!isIdle()) return;
    if (runsPython(this.state.workspace)) return prepareScript();
    await teach(isIdle);
    const { workspace, choice } = this.state;
    if (!isIdle() || action === "code" || action === "race") return;
    await prepare(() => requestOf(workspace, action, choice));
  }

  stop(): void {
    if (this.#run === null) {
      if (this.state.startedAt !== null) {
        // It waits for the compiler.
        this.#work++;
        const activity = { ...activities.NOTHING_YET, phase: "ended" } as const;
        this.store.change({ startedAt: null, activity, race: { ...this.state.race, part: null } });
      }
      return;
    }
    forgetWarmUp();
    this.#run.stop();
    this.#run = null;
  }

  async #perform(action: activities.ActionName, workspace: Workspace, work: number): Promise<void> {
    if (runsPython(workspace)) return this.#performScript(action, workspace, work);
    const listen = this.#listener(work);
    if (action === "run" && this.state.runsOnServer && this.#server !== null) {
      this.#phase("compiling");
      const run = this.#server.start(serverProgram(workspace), listen);
      this.#run = run;
      await run.result;
      if (work === this.#work) this.#showFirst();
      return;
    }
    const session = await openEngine();
    // A worker that loads the compiler is worth waiting for, unless none is needed.
    if (!isUnchanged(await loadGallery(), workspace)) {
      await warmedUp();
      // This program loads it, if nothing has: what comes behind it is warm.
      isWarm();
    }
    if (work !== this.#work) return;
    this.#phase("compiling");
    const begin = async <R extends SessionRequest>(request: R): Promise<ResultOf<R>> => {
      const run = session.start(request, listen);
      this.#run = run;
      return run.result;
    };
    if (action === "race") {
      await begin(raceRequest(workspace, this.state.sweeps));
      if (work === this.#work) this.store.change(({ activity }) => ({ activity: activities.raced(activity) }));
      return;
    }
    if (action === "code") {
      const { file: source, files } = partsOf(workspace);
      const code = await begin({ kind: "code", source, files, compile: {} });
      if (work !== this.#work) return;
      return this.store.change(({ activity }) => ({ code, activity: activities.compiled(activity) }));
    }
    await begin(requestOf(workspace, action, this.state.choice));
    if (work === this.#work && this.state.watch === null) this.#showFirst();
  }

  async #performScript(action: activities.ActionName, workspace: Workspace, work: number): Promise<void> {
    if (action === "code" || action === "race")
      throw new HeddleError("unsupported", "the studio shows GPU code of CUDA programs only", {
        notes: ["heddle compile --emit ptx kernel.py shows the code of a Triton kernel"],
      });
    const scripts = await openScripts();
    if (work !== this.#work) return;
    const run = scripts.start(scriptRequest(workspace, action, this.state.choice), this.#listener(work));
    this.#run = run;
    await run.result;
    if (work === this.#work && this.state.tiles === null) this.#showFirst();
  }

  /** Has the page's server make SASS of the program's GPU code. */
  async showSass(): Promise<void> {
    const { workspace, code } = this.state;
    if (code === null || this.state.sass?.of === code) return;
    const show = (found: Omit<SassState, "of">): void => {
      if (this.state.code === code) this.store.change({ sass: { of: code, ...found } });
    };
    if (this.#server === null || this.state.server === null) return show({ text: null, why: SASS_NEEDS });
    show({ text: null, why: [] });
    try {
      show({ text: await this.#server.sass(serverProgram(workspace)), why: [] });
    } catch (error) {
      const { notes = [] } = error as Partial<HeddleError>;
      show({ text: null, why: [error instanceof Error ? summaryOf(error) : String(error), ...notes] });
    }
  }

  #phase(phase: activities.Phase): void {
    this.store.change(({ activity }) => ({ activity: { ...activity, phase } }));
  }

  /** Shows the events of a work, while it is the one that is shown. */
  #listener(work: number): (event: SessionEvent) => void {
    const output = new OutputBatch((pieces) => {
      if (work !== this.#work) return;
      this.store.change(({ activity }) => ({ activity: activities.withOutput(activity, pieces) }));
    });
    return (event) => {
      if (work !== this.#work) return;
      if (event.kind === "output") return output.add(event.stream, event.bytes);
      output.flush();
      this.#take(event);
    };
  }

  /** Opens the recording. */
  async #watch(recording: BlockRecording, work: number): Promise<void> {
    const [{ openWatched, moved }, { blocksOf, raceTime }] = await Promise.all([
      import("./model/watch.ts"),
      import("./model/race-time.ts"),
    ]);
    if (work !== this.#work) return;
    const racing = this.#racing;
    racing?.recordings.push(recording);
    const next = racing === null ? undefined : blocksOf(racing.race)[racing.recordings.length];
    if (next !== undefined) return this.#recordRacing(next);
    this.#work++;
    const run = this.#run;
    // The rest of the program is of no interest. If it ends soon, its worker keeps the compiler.
    const timer = setTimeout(() => this.#run === run && this.stop(), REST_MS);
    void run?.result
      .catch(() => undefined)
      .then(() => {
        clearTimeout(timer);
        if (this.#run === run) this.#run = null;
      });
    const watch = openWatched(recording);
    const { startedAt } = this.state;
    this.store.change(({ activity }) => ({
      watch,
      raceTime: racing === null ? null : raceTime(racing.race, racing.recordings),
      activity: activities.recorded(activity, watch.end),
      startedAt: null,
      elapsedMs: startedAt === null ? null : performance.now() - startedAt,
    }));
    const access = this.state.raceTime?.rows.find(({ block }) => block === watch.block);
    this.look((one) => (access?.step == null ? one : moved(one, { kind: "to", step: access.step })));
  }

  /** Goes elsewhere in the recording. */
  look(step: (watched: Watched) => Watched): void {
    const { watch } = this.state;
    if (watch === null) return;
    const next = step(watch);
    this.store.change({ watch: next });
    const { line } = next.view;
    if (line !== null) this.reveal({ file: fileName(line.file), line: line.line, column: 0 }, false);
  }

  /** Goes elsewhere in the recorded program. */
  lookAtTiles(step: (tiles: Tiles) => Tiles): void {
    const { tiles } = this.state;
    if (tiles === null) return;
    const next = step(tiles);
    this.store.change({ tiles: next });
    const at = next.recording.steps[next.step];
    if (at !== undefined) this.reveal({ file: fileName(at.file), line: at.line, column: 0 }, false);
  }

  /** The rest of the script is of no interest. */
  #watchTiles(tiles: Tiles): void {
    this.#work++;
    const { startedAt } = this.state;
    this.#run?.stop();
    this.#run = null;
    this.store.change(({ activity }) => ({
      tiles,
      activity: activities.recorded(activity, tiles.recording.endedEarly),
      startedAt: null,
      elapsedMs: startedAt === null ? null : performance.now() - startedAt,
    }));
    this.lookAtTiles((one) => one);
  }

  #take(event: SessionEvent): void {
    if (event.kind === "tiles") return this.#watchTiles(openTiles(event.recording));
    this.store.change(({ activity }) => ({ activity: activities.withEvent(activity, event) }));
    if (event.kind === "recorded") void this.#watch(event.recording, this.#work);
    if (event.kind === "progress") this.store.change(({ race }) => ({ race: { ...race, ...event } }));
    if (event.kind === "result") {
      const table = raceTable(event.record);
      const { files, gpu } = this.state.workspace;
      const leaders = withRace(this.state.leaders, table, { files, gpu, when: new Date().toISOString() });
      saveLeaders(leaders);
      this.store.change(({ race, activity }) => ({
        leaders,
        race: { ...race, tables: [...race.tables, table] },
        activity: activities.withProblems(activity, raceProblems(event.record)),
      }));
    }
    if (event.kind !== "exit" || event.end.how !== "exited") return;
    const { profiled } = event.end;
    if (profiled !== null) this.store.change({ explanation: explanationOf(profiled) });
  }

  #showFirst(): void {
    const { problems } = this.state.activity;
    const first = problems.find(({ severity, place }) => severity === "error" && place !== null);
    if (first?.place != null) this.reveal(first.place, false);
  }
}

/** The compiler's threads would keep the page from showing the result: they begin when it is seen. */
function afterPaint(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAINT_MS));
}

const SASS_NEEDS: readonly string[] = [
  "SASS is made by NVIDIA’s ptxas and nvdisasm, which a page cannot run.",
  "On a machine that has them: npx heddle studio --device cuda, or --device emulated. Open the address that it prints.",
];

function summaryOf(error: Error): string {
  return (error as Partial<HeddleError>).summary ?? error.message;
}

/** How long a program may go on when its block is recorded: it may never end. */
const REST_MS = 2000;
/** Long enough for a page to show what has changed, and shorter than it takes anybody to read it. */
const PAINT_MS = 150;
