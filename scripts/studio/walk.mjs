// Walks through the studio as somebody who sees only what is there: after each step it writes a screenshot and the
// accessibility tree, and prints the last tree. For readers with fresh eyes: give them nothing but these.
//
//   node scripts/studio/walk.mjs FOLDER [STEP…]
//   node scripts/studio/walk.mjs /tmp/walk 'click Examples…' 'click Find the fault: a wrong sum' 'click Run'
//
// Steps: `click NAME` (a button, tab, link or field by a part of its name), `press KEYS` (Control+Enter), `type TEXT`,
// `wait` (until nothing runs). Each walk begins with an empty browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStudio } from "./studio-page.mjs";

const [folder, ...steps] = process.argv.slice(2);
const HELP = `node scripts/studio/walk.mjs FOLDER [STEP…]

Writes a screenshot and the accessibility tree to FOLDER after each step. Steps:
  click NAME   a button, tab, link or field by a part of its name
  press KEYS   Control+Enter
  type TEXT
  wait         until nothing runs`;
if (folder === "--help") {
  console.log(HELP);
  process.exit(0);
}
if (folder === undefined || folder.startsWith("-")) {
  console.error(HELP);
  process.exit(64);
}
mkdirSync(folder, { recursive: true });
const studio = await openStudio();
const { page } = studio;
const ROLES = ["button", "tab", "link", "textbox", "combobox", "checkbox", "slider", "spinbutton"];
let tree = "";
try {
  await page.getByRole("button", { name: /Examples…/ }).waitFor();
  await page.waitForTimeout(500);
  await record(0, "the first page");
  for (const [i, step] of steps.entries()) {
    const [, verb, rest = ""] = /^(\w+) ?([\s\S]*)$/.exec(step) ?? [];
    if (verb === "click") await click(rest);
    else if (verb === "press") await page.keyboard.press(rest);
    else if (verb === "type") await page.keyboard.type(rest);
    else if (verb !== "wait") throw new Error(`no such step: ${step}`);
    await page.waitForTimeout(300);
    await page.locator(".status:not(.busy)").waitFor();
    await page.waitForTimeout(300);
    await record(i + 1, step);
  }
} finally {
  await studio.close();
}
console.log(tree);

async function click(name) {
  const inside = (await page.getByRole("dialog").isVisible()) ? page.getByRole("dialog") : page;
  for (const exact of [true, false])
    for (const role of ROLES) {
      const found = inside.getByRole(role, { name, exact }).first();
      if (await found.isVisible()) return found.click();
    }
  await inside.getByText(name).first().click({ timeout: 5000 });
}

async function record(number, step) {
  const name = String(number).padStart(2, "0");
  const source = await page.locator(".cm-content").innerText();
  tree = `${await page.locator("body").ariaSnapshot()}\n\n# The text in the editor\n\n${source}`;
  writeFileSync(join(folder, `${name}.txt`), `# ${step}\n\n${tree}\n`);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
