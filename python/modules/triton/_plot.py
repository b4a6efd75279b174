"""A plot of a benchmark as SVG."""

import html
import math

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 80, 24, 40, 60
COLORS = ("#1f77b4", "#2ca02c", "#d62728", "#ff7f0e", "#9467bd", "#8c564b")
NAMED = {"blue": COLORS[0], "green": COLORS[1], "red": COLORS[2], "orange": COLORS[3], "purple": COLORS[4]}
DASHES = {"--": "6 4", ":": "2 3", "-.": "6 3 2 3"}


class Axis:
    def __init__(self, values, log, start, end, from_zero):
        self.log = log and min(values) > 0
        self.low, self.high = min(values), max(values)
        if from_zero and not self.log:
            self.low = min(0, self.low)
        if self.low == self.high:
            self.high = self.low + 1
        self.start, self.end = start, end

    def place(self, value):
        low, high, own = self.low, self.high, value
        if self.log:
            low, high, own = math.log(low), math.log(high), math.log(max(own, self.low))
        return self.start + (own - low) / (high - low) * (self.end - self.start)

    def ticks(self):
        if self.log:
            first, last = math.floor(math.log2(self.low)), math.ceil(math.log2(self.high))
            step = max(1, (last - first) // 8)
            return [2.0**i for i in range(first, last + 1, step) if self.low <= 2.0**i <= self.high]
        rough = (self.high - self.low) / 6
        unit = 10 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        return [step * i for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def plot(table):
    bench = table.bench
    xs = [values[0] for values, _ in table.rows]
    points = [cell[0] for _, cells in table.rows for cell in cells if cell[0] is not None]
    x_axis = Axis(xs or [0], bench.x_log, LEFT, WIDTH - RIGHT, False)
    y_axis = Axis(points or [0], bench.y_log, HEIGHT - BOTTOM, TOP, True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(WIDTH / 2, 20, bench.plot_name, "middle"),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, bench.xlabel or bench.x_names[0], "middle"),
        f'<g transform="rotate(-90 18 {HEIGHT / 2})">{text(18, HEIGHT / 2, bench.ylabel, "middle")}</g>',
    ]
    for tick in x_axis.ticks():
        x = x_axis.place(tick)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 18, f"{tick:g}", "middle"))
    for tick in y_axis.ticks():
        y = y_axis.place(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        parts.append(text(LEFT - 8, y + 4, f"{tick:g}", "end"))
    for line, name in enumerate(bench.line_names):
        color, style = (bench.styles or [])[line] if line < len(bench.styles or []) else (None, "-")
        color = NAMED.get(color, COLORS[line % len(COLORS)])
        places = [
            f"{x_axis.place(values[0]):.1f} {y_axis.place(cells[line][0]):.1f}"
            for values, cells in table.rows
            if cells[line][0] is not None
        ]
        dash = f' stroke-dasharray="{DASHES[style]}"' if style in DASHES else ""
        if places:
            path = "M" + "L".join(places)
            parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        y = TOP + 14 + 18 * line
        parts.append(f'<path d="M{LEFT + 12} {y - 4}h24" stroke="{color}" stroke-width="2"{dash}/>')
        parts.append(text(LEFT + 42, y, name, "start"))
    return "\n".join([*parts, "</svg>", ""])


def text(x, y, content, anchor):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(str(content))}</text>'
