/** Times and parts as text. */
export function formatMs(ms: number): string {
  if (ms >= 1) return `${ms.toPrecision(4)} ms`;
  return `${(ms * 1000).toPrecision(4)} µs`;
}

export const percent = (part: number): string => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
