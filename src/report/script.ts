/**
 * What moves in a report: tables that are sorted by a click on a heading, the choice of what a source's heat shows, and
 * light or dark. Everything is readable without it.
 */
export const SCRIPT = `
for (const heading of document.querySelectorAll("table.sortable th")) {
  const button = heading.querySelector("button");
  button?.addEventListener("click", () => {
    const table = heading.closest("table"), body = table.tBodies[0];
    const at = [...heading.parentNode.children].indexOf(heading);
    const up = heading.getAttribute("aria-sort") === "descending";
    for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyOf = (row) => row.cells[at]?.dataset.sort ?? row.cells[at]?.textContent ?? "";
    const order = (a, b) => {
      const [x, y] = [keyOf(a), keyOf(b)], [m, n] = [Number(x), Number(y)];
      return x !== "" && y !== "" && !Number.isNaN(m) && !Number.isNaN(n) ? m - n : x.localeCompare(y);
    };
    body.append(...[...body.rows].sort((a, b) => (up ? order(a, b) : order(b, a))));
  });
}
for (const group of document.querySelectorAll(".choice[data-of]")) {
  const source = document.getElementById(group.dataset.of);
  const buttons = [...group.querySelectorAll("button")];
  const choose = (chosen) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button === chosen));
    for (const row of source.querySelectorAll("tr[data-heat]")) {
      const heat = JSON.parse(row.dataset.heat)[Number(chosen.dataset.index)];
      row.classList.toggle("hot", heat > 0);
      row.style.setProperty("--h", heat);
    }
  };
  for (const button of buttons) button.addEventListener("click", () => choose(button));
}
const theme = document.getElementById("theme");
theme?.addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});`;
