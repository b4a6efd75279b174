/** The loss of each step as a picture: in a terminal, and in a page. */
import { markup, type Html } from "../../report/markup.ts";
import { page } from "../../report/page.ts";
import type { Measure, Training } from "./training.ts";

/** Means of as many neighbouring values as make `count` of them. */
export function thinned(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, i) => {
    const [begin, end] = [i, i + 1].map((at) => Math.floor((at * values.length) / count)) as [number, number];
    const part = values.slice(begin, end);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

const BLOCKS = " ▁▂▃▄▅▆▇█";

/** Rows of blocks, the greatest value above: each column is the mean of some steps. */
export function terminalCurve(losses: readonly number[], columns: number, rows = 6): string {
  const values = thinned(losses, Math.max(10, columns - 9));
  const most = Math.max(...values, Number.MIN_VALUE);
  const lines: string[] = [];
  for (let row = rows - 1; row >= 0; row--) {
    const cells = values.map((value) => {
      const eighths = Math.round((value / most) * rows * 8) - row * 8;
      return BLOCKS[Math.max(0, Math.min(8, eighths))] as string;
    });
    const label = row === rows - 1 ? most.toFixed(3) : "";
    lines.push(`${(row === 0 ? "0" : label).padStart(7)} ${cells.join("").trimEnd()}`);
  }
  return lines.join("\n");
}

const WIDTH = 760;
const HEIGHT = 260;
const LEFT = 60;
const BOTTOM = 36;

function plot(losses: readonly number[], measures: readonly Measure[]): Html {
  const values = thinned(losses, 700);
  const most = Math.max(...values, Number.MIN_VALUE);
  const px = (part: number): string => (LEFT + part * (WIDTH - LEFT - 20)).toFixed(1);
  const py = (value: number): string => (12 + (1 - value) * (HEIGHT - 12 - BOTTOM)).toFixed(1);
  const path = values
    .map((value, i) => `${i === 0 ? "M" : "L"}${px(i / Math.max(1, values.length - 1))} ${py(value / most)}`)
    .join("");
  const lines = [0, 0.5, 1].map((y) => {
    const at = Number(py(y));
    return markup`<line class="grid" x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}" />
      <text class="muted" x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${(y * most).toFixed(2)}</text> `;
  });
  const dots = measures.map(
    ({ step, accuracy }) =>
      markup`<circle class="dot best" cx="${px(step / Math.max(1, losses.length))}" cy="${py(accuracy)}" r="4">
        <title>${`${(100 * accuracy).toFixed(2)} % after ${step} steps`}</title></circle> `,
  );
  return markup`<div class="wide"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
    aria-label="The loss over the steps, and the accuracy after each epoch">
    ${lines}<path class="curve" d="${path}" />${dots}
    <text x="${(LEFT + WIDTH - 20) / 2}" y="${HEIGHT - 8}" text-anchor="middle">steps</text>
  </svg></div> `;
}

/** One HTML file: the curve, and what was measured after each epoch. */
export function trainingPage({ options, losses, measures }: Training, about: string): string {
  const rows = measures.map(
    ({ epoch, step, accuracy, seconds }) =>
      markup`<tr><td>${epoch}</td><td>${step}</td><td>${(100 * accuracy).toFixed(2)} %</td
        ><td>${seconds.toFixed(1)} s</td></tr> `,
  );
  const last = measures.at(-1);
  return page({
    title: `MNIST, ${options.net === "mlp" ? "two linear layers" : "a convolutional network"}`,
    about,
    links: [
      { id: "loss", text: "Loss" },
      { id: "accuracy", text: "Accuracy" },
    ],
    body: [
      markup`<p>${
        last === undefined
          ? "No epoch is over yet."
          : `${(100 * last.accuracy).toFixed(2)} % of the test images are right.`
      } Dots: the accuracy after an epoch, from 0 to 1 over the height.</p>`,
      markup`<h2 id="loss">Loss</h2>${plot(losses, measures)}`,
      markup`<h2 id="accuracy">Accuracy</h2><table><thead><tr><th>Epoch</th><th>Steps</th><th>Right</th
        ><th>Time of steps</th></tr></thead><tbody>${rows}</tbody></table>`,
    ],
  });
}
