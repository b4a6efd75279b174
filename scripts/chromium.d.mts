import type { IncomingMessage, ServerResponse } from "node:http";

/** Path of the browser; undefined where there is none. */
export const CHROMIUM: string | undefined;

export interface TestPage {
  /** Runs the body of an async function on the page and returns its result, as JSON can carry it. */
  run(body: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface TestBrowser {
  /** The browser's version, such as "156.0.8078.79". */
  readonly version: string;
  /**
   * A fresh, bare page, cross-origin isolated or not; its workers must have been started before a page of the other
   * kind is opened.
   */
  openPage(isolated: boolean): Promise<TestPage>;
  /** Runs the body of an async function on a page of its own. */
  onPage(isolated: boolean, body: string): Promise<unknown>;
  close(): Promise<void>;
}

/** @param handle answers requests for paths that are no files of the repository: true when it does. */
export function startBrowser(
  handle?: (path: string, request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<TestBrowser>;
