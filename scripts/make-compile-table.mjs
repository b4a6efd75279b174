// Writes docs/lab/tensor-compile-h200.md from docs/lab/tensor-compile-h200.json, which bench/tensor-compile measured.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const lab = join(import.meta.dirname, "..", "docs", "lab");
const { heddle, torch } = JSON.parse(readFileSync(join(lab, "tensor-compile-h200.json"), "utf8"));

const shown = (value) => (value === undefined ? "" : value.toFixed(1));
const rows = Object.entries(heddle.cases).flatMap(([name, own]) =>
  [
    ["forward", "forward"],
    ["forward and backward", "both"],
  ].map(([what, key]) => {
    const other = torch.cases[name] ?? {};
    const [ours, theirs] = [own[`compiled_${key}`], other[`compiled_${key}`]];
    const floor = own.bytes[key] / 4.8e6;
    const ratio = ours === undefined || theirs === undefined ? "" : `${(theirs / ours).toFixed(2)}x`;
    const cells = [ours, own[`eager_${key}`], theirs, other[`eager_${key}`], floor].map(shown);
    return `| ${name.replaceAll("_", " ")}, ${what} | ${cells.join(" | ")} | ${ratio} |`;
  }),
);

writeFileSync(
  join(lab, "tensor-compile-h200.md"),
  `# Compiled chains of operations beside torch.compile

Measured on 24 November 2026 on an ${heddle.device} with PyTorch ${torch.torch} (inductor), in one run:
\`bench/tensor-compile\`. Shapes are GPT-2's: 8,192 rows of 768 (layer norm), 3,072 (GELU, bias and dropout) and 50,257
(cross entropy). Times are microseconds on the device, of launches in a CUDA graph, the fastest of five rounds of 50.
The floor is what has to be read and written, at 4.8 TB/s. The last column is torch.compile's time by Heddle's.

| case | Heddle compiled | Heddle eager | torch.compile | PyTorch eager | floor | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}

- Layer norm comes within 8 % of torch.compile; cross entropy with its gradient is faster. The forward of cross entropy
  alone is slower: it reads each row twice, where torch.compile keeps a running maximum and sum.
- Dropout is slower. Heddle draws the numbers that PyTorch draws without \`compile\`, of which an element takes one word of
  four; its forward takes as long for float32 as for bfloat16, so it computes, not reads.
`,
);
