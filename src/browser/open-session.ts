/** Sessions of a page. */
import { openBrowserSession } from "../session/session-browser.ts";
import type { Session } from "../session/session.ts";
import { absoluteLocations, type PackageLocations } from "./locations.ts";

/**
 * A session of the page, for what `runProgram`, `checkProgram` and `benchLadder` do not offer: it takes requests as
 * plain data, and yields everything that happens as typed events.
 *
 *     const run = openSession({ clang }).start(request);
 *     for await (const event of run) log(event);
 *     const end = await run.result;
 */
export function openSession(locations: PackageLocations): Session {
  return openBrowserSession(absoluteLocations(locations));
}
