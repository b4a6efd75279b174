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
  return { clang: directoryUrl(clang), heddle: heddle === undefined ? ownDistribution() : directoryUrl(heddle) };
}

/** Of packages where npm puts them: side by side in node_modules, or Clang in the node_modules of a clone. */
export function installedLocations({ clang, heddle }: Partial<PackageLocations>): BrowserLocations {
  const dist = heddle === undefined ? ownDistribution() : directoryUrl(heddle);
  const beside = /\/node_modules\/heddle\/dist\/$/.test(dist) ? "../../" : "../node_modules/";
  return {
    heddle: dist,
    clang: clang === undefined ? new URL(`${beside}@yowasp/clang/gen/`, dist).href : directoryUrl(clang),
  };
}

/** This file is one folder below dist/, and so is its bundle. */
const ownDistribution = (): string => new URL("../", import.meta.url).href;

function directoryUrl(url: string): string {
  const base = typeof document === "undefined" ? globalThis.location.href : document.baseURI;
  return new URL(url.endsWith("/") ? url : `${url}/`, base).href;
}
