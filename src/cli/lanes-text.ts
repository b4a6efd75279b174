/** Lanes of a warp, in words. */
export function lanesText(mask: number): string {
  const lanes = Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => ((mask >>> lane) & 1) === 1);
  if (lanes.length === 32) return "all 32 lanes";
  if (lanes.length === 1) return `lane ${lanes[0]}`;
  const runs: string[] = [];
  for (let i = 0; i < lanes.length;) {
    let end = i;
    while (lanes[end + 1] === (lanes[end] as number) + 1) end++;
    runs.push(end === i ? `${lanes[i]}` : `${lanes[i]}–${lanes[end]}`);
    i = end + 1;
  }
  return runs.length > 6 ? `${lanes.length} lanes: ${runs.slice(0, 5).join(", ")} …` : `lanes ${runs.join(", ")}`;
}
