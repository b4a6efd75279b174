"""tabulate.tabulate in its plain form, for scripts that only print a table. An installed tabulate comes first."""


def _text(value):
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _column(values):
    """Texts of one width: numbers with their points below each other, others to the left."""
    texts = [_text(value) for value in values]
    if all(_is_number(value) for value in values):
        tails = [len(text) - text.index(".") if "." in text else 0 for text in texts]
        texts = [text + " " * (max(tails) - tail) for text, tail in zip(texts, tails)]
        width = max(map(len, texts))
        return [text.rjust(width) for text in texts]
    width = max(map(len, texts))
    return [text.ljust(width) for text in texts]


def tabulate(tabular_data, headers=(), tablefmt="simple", **options):
    if tablefmt != "simple" or options:
        asked = ", ".join([f"tablefmt={tablefmt!r}", *options])
        raise NotImplementedError(f"tabulate with {asked} is not supported yet by heddle")
    rows = [list(row) for row in tabular_data]
    count = max((len(row) for row in rows), default=0)
    rows = [row + [None] * (count - len(row)) for row in rows]
    columns = [_column([row[i] for row in rows]) for i in range(count)]
    widths = [len(column[0]) for column in columns]
    heads = [str(head) for head in headers]
    if heads:
        widths = [max(width, len(head)) for width, head in zip(widths, heads)]
        columns = [[cell.rjust(width) for cell in column] for column, width in zip(columns, widths)]
    rule = "  ".join("-" * width for width in widths)
    body = ["  ".join(cells).rstrip() for cells in zip(*columns)]
    if heads:
        return "\n".join(["  ".join(head.rjust(width) for head, width in zip(heads, widths)), rule, *body])
    return "\n".join([rule, *body, rule])
