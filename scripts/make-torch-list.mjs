// Writes the list of what Python scripts find in torch into docs/triton-torch.md: Python itself says it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs", "triton-torch.md");
const BEGIN = "<!-- from python/modules, by scripts/make-torch-list.mjs -->\n";
const END = "<!-- end -->";

const SCRIPT = `
import types, torch, triton, torch.nn.functional as F

def names(of):
    return sorted(
        name for name in dir(of)
        if not name.startswith("_") and not isinstance(getattr(of, name, None), types.ModuleType)
    )

tensor = [name for name in dir(torch.Tensor) if not name.startswith("_")]
own = [name for name in names(torch) if name not in tensor]
print("in torch", *own)
print("in torch and methods", *[name for name in names(torch) if name in tensor])
print("methods alone", *[name for name in tensor if name not in names(torch)])
print("in torch.nn.functional", *[name for name in names(F) if name not in ("array", "call", "unary", "wrap")])
print("in torch.cuda", *[name for name in names(torch.cuda) if name != "call"])
print("in torch.autograd", "Function")
print("in torch.testing", "assert_close")
`;

/** The list, as the page has it. */
export function torchList() {
  const folder = mkdtempSync(join(tmpdir(), "heddle-torch-list-"));
  writeFileSync(join(folder, "names.py"), SCRIPT);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist", "bin", "main.js"), "run", "names.py"],
    { cwd: folder, encoding: "utf8" },
  );
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(stderr);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [, where, rest] = /^((?:in|methods) (?:\S+ and methods|\S+)) (.*)$/.exec(line);
      return `- ${where}: ${rest
        .split(" ")
        .map((name) => `\`${name}\``)
        .join(" ")}`;
    });
  return `${rows.map(wrapped).join("\n")}\n`;
}

/** Lines of at most 120 columns. */
function wrapped(text) {
  const [first, ...rest] = text.split(" ");
  const lines = [first];
  for (const word of rest) {
    if (`${lines.at(-1)} ${word}`.length > 118) lines.push(`  ${word}`);
    else lines.push(`${lines.pop()} ${word}`);
  }
  return lines.join("\n");
}

/** The list that the page has now. */
export function listOnPage() {
  const text = readFileSync(page, "utf8");
  return text.slice(text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END));
}

if (import.meta.filename === process.argv[1]) {
  const text = readFileSync(page, "utf8");
  const [before, after] = [text.slice(0, text.indexOf(BEGIN) + BEGIN.length), text.slice(text.indexOf(END))];
  writeFileSync(page, `${before}${torchList()}${after}`);
}
