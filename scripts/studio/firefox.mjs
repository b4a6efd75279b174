// The studio's main ways in Debian's Firefox, headless: `npm run test:firefox`, after a build. Where there is no
// Firefox it says so, and fails: apt-get install firefox-esr. FIREFOX names another one.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { studioFolders } from "../../dist/cli/studio-page/studio-folders.js";
import { startStudioServer } from "../../dist/cli/studio-page/studio-server.js";
import { FIREFOX, openFirefox } from "./marionette.mjs";
import { linkOf } from "./studio-page.mjs";

if (FIREFOX === undefined) {
  console.error("!! There is no Firefox on this machine: NOTHING WAS TESTED.");
  console.error("!! apt-get install firefox-esr, or name one: FIREFOX=/path/to/firefox npm run test:firefox");
  process.exit(1);
}
const shots = process.argv[2];
if (shots !== undefined) mkdirSync(shots, { recursive: true });
const CONTROL = "\uE009";
const ENTER = "\uE007";
const END = "\uE010";

const FAULTY = `#include <cstdio>
__global__ void write(int* x) {
  x[threadIdx.x * 1000000] = 1;
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  write<<<1, 32>>>(x);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 1;
}
`;
const SCRIPT = `import torch, triton
import triton.language as tl

@triton.jit
def twice(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at))

x = torch.arange(8, device="cuda")
twice[(1,)](x, BLOCK=8)
print(x.tolist())
`;

const server = await startStudioServer(studioFolders(), 0);
const address = `http://localhost:${server.address().port}/`;
const firefox = await openFirefox();
let failures = 0;
try {
  console.log(`Firefox ${firefox.version}`);
  await step("loads, and is isolated", async () => {
    await firefox.goTo(address);
    await until("[...document.querySelectorAll('button')].some((b) => b.textContent.startsWith('Run'))");
    expect(await firefox.run("return crossOriginIsolated;"), true);
  });
  await step("runs the first example", async () => {
    await click("Run");
    await ended("Ended well");
    expect(/0 wrong/.test(await output()), true);
  });
  await step("edits by keyboard, and runs the edited program", async () => {
    await firefox.run("document.querySelector('.cm-content').focus();");
    await firefox.press([CONTROL, END], ...'// "edited"');
    expect(/edited/.test(await firefox.run("return document.querySelector('.cm-content').textContent;")), true);
    await firefox.press([CONTROL, ENTER]);
    await ended("Ended well");
    expect(/0 wrong/.test(await output()), true);
  });
  await step("an error of the compiler is underlined", async () => {
    await open([{ path: "wrong.cu", text: "int main() { return nothing; }\n" }]);
    await click("Run");
    await ended("Does not compile");
    await until("document.querySelector('.cm-lintRange-error') !== null");
  });
  await step("a fault of a kernel shows its line", async () => {
    await open([{ path: "faulty.cu", text: FAULTY }]);
    await click("Run");
    await ended("A kernel failed");
    await until("document.querySelector('.cm-lintRange-error') !== null");
    const line = "return document.querySelector('.cm-lintRange-error').closest('.cm-line').textContent;";
    expect(await firefox.run(line), "  x[threadIdx.x * 1000000] = 1;");
  });
  await step("finds faults", async () => {
    await click("Find faults");
    await ended("1 fault found");
  });
  await step("runs a Triton script", async () => {
    await open([{ path: "twice.py", text: SCRIPT }]);
    await click("Run");
    await ended("Ended well");
    expect((await output()).trim(), "[0, 2, 4, 6, 8, 10, 12, 14]");
  });
  await step("watches the tiles of a Triton program", async () => {
    await click("Watch");
    await ended("Recorded");
    await until("document.querySelector('table.tile-values') !== null");
  });
  await step("a second visit needs no network", async () => {
    await until("(await caches.keys()).length > 0");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await firefox.goTo(address);
    await until("[...document.querySelectorAll('button')].some((b) => b.textContent.startsWith('Run'))");
    await click("Run");
    await ended("Ended well");
  });
} finally {
  await firefox.close();
  server.closeAllConnections();
  server.close();
}
console.log(failures === 0 ? "all passed" : `${failures} FAILED`);
process.exit(failures === 0 ? 0 : 1);

async function step(name, work) {
  const start = performance.now();
  let problem = "";
  try {
    await work();
  } catch (error) {
    failures++;
    problem = `FAILED: ${error.message}\n  status: ${await statusText().catch(() => "?")}`;
  }
  console.log(
    `${problem === "" ? "ok  " : "    "} ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s ${problem}`,
  );
  if (shots !== undefined)
    writeFileSync(join(shots, `${name.replaceAll(/\W+/g, "-")}.png`), await firefox.screenshot());
}

function expect(seen, wanted) {
  if (seen !== wanted) throw new Error(`${JSON.stringify(seen)} is not ${JSON.stringify(wanted)}`);
}

/** @param condition an expression of the page */
function until(condition) {
  return firefox.run(
    `for (const end = Date.now() + 120000; !(${condition}); ) {
       if (Date.now() > end) throw new Error("never: " + ${JSON.stringify(condition)});
       await new Promise((resolve) => setTimeout(resolve, 50));
     }`,
  );
}

async function click(name) {
  await firefox.run(
    `const button = [...document.querySelectorAll("button")].find((one) => one.textContent.trim().startsWith(args[0]));
     button.click();`,
    name,
  );
}

async function ended(text) {
  await until(`!document.querySelector(".status").classList.contains("busy") &&
    document.querySelector(".status [role=status]").textContent.includes(${JSON.stringify(text)})`);
}

function statusText() {
  return firefox.run("return document.querySelector('.results').innerText.slice(0, 600);");
}

function output() {
  return firefox.run("return document.querySelector('pre.output').textContent;");
}

async function open(files) {
  await firefox.run("location.hash = args[0];", linkOf({ files }));
  await until("location.hash === ''");
}
