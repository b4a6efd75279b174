/** For tests that need a browser: what scripts/chromium.mjs offers, and a loud word where there is none. */
import { CHROMIUM } from "../../scripts/chromium.mjs";

export { CHROMIUM, startBrowser, type TestBrowser } from "../../scripts/chromium.mjs";

if (CHROMIUM === undefined) {
  process.stderr.write(
    "\nSKIPPED: no Chromium was found, so the tests that need a browser do not run (CHROMIUM=path says where one " +
      "is; Debian: apt-get install chromium)\n\n",
  );
}
