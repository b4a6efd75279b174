// For browsers, which cannot list directories: dist/resources.json, Heddle's own headers and libraries, and
// dist/fingerprints.json, which is enough to find what was prebuilt. See src/frontend/clang/clang-loader-browser.ts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeClangResources, packageRoot } from "../dist/frontend/clang/clang-loader-node.js";

const resources = nodeClangResources();
const fingerprints = {};
for (const directory of ["include", "hostlib", "libdevice", "libraries"])
  fingerprints[directory] = await resources.fingerprint(directory);
const decoder = new TextDecoder("utf-8", { fatal: true });
const files = Object.fromEntries(
  [...(await resources.ownFiles())].map(([path, bytes]) => [path, decoder.decode(bytes)]),
);
const write = (name, content) => writeFileSync(join(packageRoot(), "dist", name), JSON.stringify(content));
write("fingerprints.json", fingerprints);
write("resources.json", files);
