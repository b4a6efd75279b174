// Heddle in headless Chromium as a contestant: on a page that is cross-origin isolated, with one thread or two, and on
// any other page.
import { join } from "node:path";
import { CHROMIUM, startBrowser } from "../../scripts/chromium.mjs";
import { IN_BROWSER, IN_BROWSER_TWO_WORKERS, IN_PLAIN_PAGE } from "./report.mjs";

const RUNNER = join(import.meta.dirname, "page-runner.mjs");

/** { description } of the browser, or { missing }: why it cannot be measured. */
export async function findBrowser() {
  if (CHROMIUM === undefined)
    return {
      missing:
        "in a browser: no Chromium was found (CHROMIUM=path says where one is; Debian: apt-get install chromium)",
    };
  const browser = await startBrowser();
  await browser.close();
  return { description: `Chromium ${browser.version} (V8 ${v8Of(browser.version)})` };
}

/** V8's version follows Chromium's: milestone 156 has V8 15.6 (v8.dev/docs/version-numbers). */
function v8Of(version) {
  const milestone = Number.parseInt(version, 10);
  return `${Math.floor(milestone / 10)}.${milestone % 10}`;
}

/** What takes part in a row beside Node.js. */
export function browserEngines({ kernel, computeBound }, { engine, twoWorkers, folder }) {
  const pages = [
    { label: IN_BROWSER, isolated: true, workers: 1 },
    { label: IN_PLAIN_PAGE, isolated: false, workers: 2 },
    ...(twoWorkers && computeBound ? [{ label: IN_BROWSER_TWO_WORKERS, isolated: true, workers: 2 }] : []),
  ];
  return pages.map(({ label, isolated, workers }) => {
    const task = {
      source: join(import.meta.dirname, "kernels", kernel.cuda),
      plan: join(folder, "plan.json"),
      engine,
      workers,
      isolated,
    };
    return { label, command: { program: process.execPath, args: [RUNNER, JSON.stringify(task)] } };
  });
}
