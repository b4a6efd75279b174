// Drives Debian's Firefox over its own protocol, Marionette (firefox-source-docs.mozilla.org/testing/marionette):
// messages [type, id, name, parameters] as JSON, each behind its length and a colon. It is what geckodriver speaks.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PLACES = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"];
export const FIREFOX = PLACES.find((path) => path !== undefined && existsSync(path));
const START_MS = 120_000;

export async function openFirefox() {
  const profile = mkdtempSync(join(tmpdir(), "heddle-firefox-"));
  const port = 20_000 + (process.pid % 20_000);
  const preferences = {
    "marionette.port": port,
    "browser.shell.checkDefaultBrowser": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "app.normandy.enabled": false,
    "browser.startup.homepage_override.mstone": "ignore",
    "dom.serviceWorkers.testing.enabled": true,
  };
  writeFileSync(
    join(profile, "user.js"),
    Object.entries(preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(""),
  );
  const firefox = spawn(FIREFOX, ["--headless", "--marionette", "--no-remote", "--profile", profile], {
    stdio: "ignore",
    env: { ...process.env, MOZ_HEADLESS_WIDTH: "1200", MOZ_HEADLESS_HEIGHT: "800" },
  });
  const client = await connected(port);
  const { value: session } = await client
    .call("WebDriver:NewSession", { capabilities: {} })
    .then((value) => ({ value }));
  await client.call("WebDriver:SetTimeouts", { script: 300_000, pageLoad: 120_000 });
  return {
    version: session.capabilities.browserVersion,
    goTo: (url) => client.call("WebDriver:Navigate", { url }),
    /** The body of an async function, with `args`. */
    async run(body, ...args) {
      const script = `const done = arguments[arguments.length - 1]; const args = [...arguments].slice(0, -1);
        (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value } = await client.call("WebDriver:ExecuteAsyncScript", { script, args, newSandbox: false });
      if (value?.error !== undefined) throw new Error(value.error);
      return value?.value;
    },
    async screenshot() {
      const { value } = await client.call("WebDriver:TakeScreenshot", { full: false });
      return Buffer.from(value, "base64");
    },
    /** Keys as a person presses them, one after another; a list is pressed together. */
    async press(...keys) {
      const actions = keys.flatMap((key) => {
        const all = [key].flat();
        return [
          ...all.map((value) => ({ type: "keyDown", value })),
          ...all.toReversed().map((value) => ({ type: "keyUp", value })),
        ];
      });
      await client.call("WebDriver:PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
    },
    async close() {
      await client.call("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
      client.end();
      if (firefox.exitCode === null) {
        const ended = new Promise((resolve) => firefox.once("exit", resolve));
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
        firefox.kill("SIGKILL");
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function connected(port) {
  for (const end = Date.now() + START_MS; ;) {
    try {
      return await new Promise((resolve, reject) => {
        const socket = connect(port, "127.0.0.1");
        socket.once("error", reject);
        // Firefox speaks first.
        socket.once("data", (first) => resolve(clientOf(socket, first)));
      });
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function clientOf(socket, first) {
  const waiting = new Map();
  let received = Buffer.alloc(0);
  let next = 1;
  const take = (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(":");
      const length = Number(received.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || received.length < colon + 1 + length) return;
      const message = JSON.parse(received.subarray(colon + 1, colon + 1 + length).toString());
      received = received.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === null) resolve(result);
      else reject(new Error(`${error.error}: ${error.message}`));
    }
  };
  take(first);
  socket.on("data", take);
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox has ended"));
  });
  return {
    call(name, parameters) {
      const id = next++;
      const text = JSON.stringify([0, id, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    end: () => socket.destroy(),
  };
}
