/** Sessions of a page. */
import type { OptionNames } from "../base/options.ts";
import { openBrowserSession, type BrowserSession, type BrowserSessionOptions } from "../session/session-browser.ts";
import { absoluteLocations, type PackageLocations } from "./locations.ts";
import { checkBrowserOptions, LOCATION_NAMES } from "./option-names.ts";

/**
 * A session of the page, for what `runProgram`, `checkProgram` and `benchLadder` do not offer: it takes requests as
 * plain data, and yields everything that happens as typed events.
 *
 *     const run = openSession({ clang }).start(request);
 *     for await (const event of run) log(event);
 *     const end = await run.result;
 */
export function openSession(options: BrowserSessionLocations): BrowserSession {
  checkBrowserOptions("openSession", options, SESSION_NAMES);
  const { keepsWorker = false } = options;
  return openBrowserSession(absoluteLocations(options), { keepsWorker });
}

export interface BrowserSessionLocations extends PackageLocations, BrowserSessionOptions {}

const SESSION_NAMES: OptionNames<BrowserSessionLocations> = { ...LOCATION_NAMES, keepsWorker: true };
