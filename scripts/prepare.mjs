// Builds dist/ with all that makes first starts fast, unless nothing has changed since it last did: npm prepares this
// folder for `npm ci`, and once more for the first `npx heddle` in it.
import { execSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const stamp = join(root, "dist/.prepared");
const SOURCES = ["src", "scripts", "hostlib", "include", "libdevice", "libraries", "kernels", "examples", "python"];
const FILES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stats.mtimeMs);
}

function isPrepared() {
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== process.version) return false;
  const since = statSync(stamp).mtimeMs;
  return [...SOURCES, ...FILES]
    .map((name) => join(root, name))
    .every((path) => !existsSync(path) || newest(path) < since);
}

if (!isPrepared()) {
  const run = (command) => execSync(command, { cwd: root, stdio: "inherit" });
  run("npm run build");
  run("node scripts/prebuild.mjs");
  run("node scripts/studio/build.mjs --without-clang");
  writeFileSync(stamp, process.version);
}
