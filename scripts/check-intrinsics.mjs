// Nobody but the table in src/ir/intrinsics takes names of intrinsics apart: `npm run layers` runs this check.
// Exact names are fine; regular expressions and prefixes are not: what they look for is a field of intrinsicOf(name).
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const src = resolve(import.meta.dirname, "../src");
/** The table itself, and what reads and rewrites names as text: the parser, and the pass that removes overloads. */
const ALLOWED = ["ir/intrinsics/", "ir/text/", "ir/passes/legalize-intrinsics.ts"];
const PATTERNS = [
  [/\/[^/\n]*llvm\\\./, "a regular expression"],
  [/(?:startsWith|includes|slice|replace|indexOf)\(\s*["'`]llvm\./, "a prefix"],
  [/["'`]llvm\.["'`](?:\.length)/, "a prefix"],
];

const problems = [];
for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const file = relative(src, path).replaceAll("\\", "/");
  if (!entry.isFile() || !file.endsWith(".ts") || /\.(test|generator|test-[a-z-]+)\.ts$/.test(file)) continue;
  if (ALLOWED.some((prefix) => file.startsWith(prefix))) continue;
  readFileSync(path, "utf8")
    .split("\n")
    .forEach((line, index) => {
      for (const [pattern, what] of PATTERNS)
        if (pattern.test(line)) problems.push(`${file}:${index + 1}: ${what} looks for names of intrinsics`);
    });
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error("Ask intrinsicOf(name) in src/ir/intrinsics/lookup.ts instead.");
process.exit(problems.length > 0 ? 1 : 0);
