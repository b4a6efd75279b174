/** Where a page finds the files of the two packages. */
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";

export interface PackageLocations {
  /** URL of the directory gen/ of the package @yowasp/clang, relative to the page. */
  readonly clang: string;
  /** URL of dist/ of this package; default: where this module was loaded from. */
  readonly heddle?: string;
}

/** As absolute URLs of directories: a worker resolves relative ones from its script. */
export function absoluteLocations({ clang, heddle }: PackageLocations): BrowserLocations {
  return { clang: directoryUrl(clang), ...(heddle === undefined ? {} : { heddle: directoryUrl(heddle) }) };
}

function directoryUrl(url: string): string {
  const base = typeof document === "undefined" ? globalThis.location.href : document.baseURI;
  return new URL(url.endsWith("/") ? url : `${url}/`, base).href;
}
