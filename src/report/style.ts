/** The look of every report. Colours have a value for light and one for dark; on paper reports are light. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e3e6ea); --muted: light-dark(#5c6672, #98a2ae);
  --paper: light-dark(#ffffff, #14171b); --panel: light-dark(#f5f6f8, #1d2127); --line: light-dark(#d9dde2, #343a42);
  --accent: light-dark(#1f5fbf, #79aef5); --bar: light-dark(#5b8fd6, #4a7fc4); --heat: light-dark(#e4572e, #ff8a5c);
  --good: light-dark(#1d7a46, #5ec98b); --bad: light-dark(#b3261e, #ff8a80); --limit: light-dark(#b3261e, #ff8a80);
}
:root[data-theme="light"] { color-scheme: light }
:root[data-theme="dark"] { color-scheme: dark }
* { box-sizing: border-box }
html { scroll-padding-top: 3.5rem }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 76rem; margin: 0 auto; padding: 1rem 1.25rem 4rem }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1.2rem 0 .2rem }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .4rem; overflow-wrap: anywhere }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem }
p { margin: .3rem 0 .7rem; max-width: 70ch; overflow-wrap: anywhere }
a { color: var(--accent) }
code, pre, .mono { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .88em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px }
.muted { color: var(--muted) }
.bad { color: var(--bad) }
.good { color: var(--good) }
.top { position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; padding: .4rem 1.25rem;
  background: var(--paper); border-bottom: 1px solid var(--line) }
.top nav { display: flex; gap: .2rem 1rem; overflow-x: auto; flex: 1; white-space: nowrap }
.top b { white-space: nowrap }
.top button, .choice button { font: inherit; font-size: .85rem; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; padding: .2rem .7rem; cursor: pointer }
.choice { display: flex; flex-wrap: wrap; gap: .4rem; margin: .4rem 0 }
.choice button[aria-pressed="true"] { background: var(--accent); color: var(--paper); border-color: var(--accent) }
.wide { overflow-x: auto; margin: .4rem 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem }
table.full { width: 100% }
caption { text-align: left; white-space: normal; color: var(--muted); padding-bottom: .3rem; position: sticky; left: 0;
  width: fit-content; max-width: min(70ch, calc(100vw - 2rem)) }
th, td { padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top }
th { font-weight: 600; white-space: nowrap; vertical-align: bottom }
td { white-space: nowrap }
th.text, td.text { text-align: left }
table.full td.text { white-space: normal; overflow-wrap: anywhere; min-width: 8rem }
td.prose { white-space: normal; min-width: 14rem }
th button { all: unset; cursor: pointer; font-weight: 600 }
th button:focus-visible { outline: 3px solid var(--accent) }
th button::after { content: " ↕"; color: var(--muted); font-size: .8em }
th[aria-sort="ascending"] button::after { content: " ↑"; color: var(--accent) }
th[aria-sort="descending"] button::after { content: " ↓"; color: var(--accent) }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .6rem; margin: .6rem 0 1rem }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .8rem }
.tile dt { color: var(--muted); font-size: .85rem }
.tile dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums }
.tile small { display: block; color: var(--muted); font-weight: 400; font-size: .8rem }
ol.hints { padding-left: 1.4rem; max-width: 80ch }
ol.hints li { margin: .5rem 0 }
ol.hints .cure { display: block; color: var(--good) }
.none { color: var(--good) }
.columns > * { min-width: 0 }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2.5rem }
svg { display: block; width: 100%; max-width: 760px; height: auto; margin: .4rem 0 1rem; overflow: visible }
@media (max-width: 40rem) { .wide > svg { min-width: 34rem } .bars > svg { min-width: 22rem } }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink) }
svg text.muted { fill: var(--muted) }
svg .bar, svg .dot { fill: var(--bar) }
svg .dot.best { fill: var(--accent) }
svg .curve { fill: none; stroke: var(--bar); stroke-width: 2 }
svg .roof { fill: none; stroke: var(--ink); stroke-width: 1.5 }
svg .grid { stroke: var(--line); stroke-width: 1 }
svg .range { stroke: var(--ink); stroke-width: 1.5 }
svg .limit { stroke: var(--limit); stroke-dasharray: 4 3; stroke-width: 1.5 }
svg .touched { fill: var(--bar) }
svg .untouched { fill: var(--panel); stroke: var(--line) }
svg .thread { stroke: var(--bar); stroke-width: 1; opacity: .7 }
.source { border: 1px solid var(--line); border-radius: 8px; overflow-x: auto }
.source table { width: 100%; font-size: .85rem }
.source td, .source th { border: 0; padding: 0 .6rem; white-space: pre; line-height: 1.5 }
.source th { padding-top: .3rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
.source .number { color: var(--muted); user-select: none }
.source td.text { width: 100% }
.source tr.hot td.text { background: linear-gradient(90deg,
  color-mix(in srgb, var(--heat) calc(var(--h) * 55%), transparent), transparent 90%) }
.source tr.note span { display: block; position: sticky; left: .6rem; max-width: min(90ch, calc(100vw - 8rem)) }
.source tr.note td { white-space: normal; text-align: left; padding: .1rem .6rem .5rem; color: var(--bad);
  font-family: system-ui, sans-serif }
.source tr.mark td { background: color-mix(in srgb, var(--bad) 14%, transparent) }
.source mark { background: none; color: var(--bad); font-weight: 700; text-decoration: underline 2px }
p.place + .source { margin-bottom: .7rem }
p.place { margin: .8rem 0 .3rem; max-width: none; overflow-wrap: anywhere }
p.cure { color: var(--good) }
.source tr:target td { outline: 2px solid var(--accent) }
details > summary { cursor: pointer; color: var(--accent) }
@media (max-width: 40rem) { body { font-size: 15px } main { padding: .5rem .8rem 3rem } .top { padding: .4rem .8rem } }
@media print {
  :root { color-scheme: light } .top, .choice { display: none } main { max-width: none; padding: 0 }
  h2, h3 { break-after: avoid } tr, svg, .tile { break-inside: avoid } .source, .wide { overflow: visible }
  .source td { white-space: pre-wrap; overflow-wrap: anywhere } .wide > table { font-size: .78rem }
  .source table { font-size: .72rem } th { white-space: normal } th, td { padding-right: .45rem }
  th button::after { content: none } table.full td.text { min-width: 5rem } * { print-color-adjust: exact }
}`;
