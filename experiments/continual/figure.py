"""The accuracy of final models over the steps as an SVG file: a line for each strategy, with standard errors."""

import html

# Okabe and Ito's colours, which colour-blind readers tell apart; marks and labels say the same.
STYLES = {"continual": ("#0072B2", "circle"), "no-update": ("#D55E00", "square"), "average": ("#009E73", "diamond"),
          "average-posterior": ("#CC79A7", "cross"), "last": ("#E69F00", "triangle")}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 62, 176, 40, 48


def mark(kind, x, y, colour):
    r = 5
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    shapes = {"square": [(-r, -r), (r, -r), (r, r), (-r, r)],
              "diamond": [(0, -r - 2), (r + 2, 0), (0, r + 2), (-r - 2, 0)],
              "triangle": [(0, -r - 1), (r + 1, r), (-r - 1, r)],
              "cross": [(-r, -2), (-2, -2), (-2, -r), (2, -r), (2, -2), (r, -2), (r, 2), (2, 2), (2, r), (-2, r),
                        (-2, 2), (-r, 2)]}
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[kind])
    return f'<polygon points="{points}" fill="{colour}"/>'


def ticks(low, high):
    step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if (high - low) / step <= 6)
    first = int(low / step) * step
    return [first + i * step for i in range(9) if low <= first + i * step <= high]


def spread(places, gap):
    """The same heights, moved apart so that labels do not cover each other."""
    order, moved = sorted(range(len(places)), key=places.__getitem__), list(places)
    for before, after in zip(order, order[1:]):
        moved[after] = max(moved[after], moved[before] + gap)
    return moved


def write(path, title, lines):
    """lines: strategy -> (mean, error) in per cent for each step."""
    steps = len(next(iter(lines.values())))
    low = min(mean - (error or 0) for points in lines.values() for mean, error in points)
    high = max(mean + (error or 0) for points in lines.values() for mean, error in points)
    room = max(0.5, 0.08 * (high - low))
    low, high = max(0, low - room), min(100, high + room)

    def at(step, value):
        x = LEFT + (WIDTH - LEFT - RIGHT) * (step / (steps - 1) if steps > 1 else 0.5)
        return x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'font-family="sans-serif" font-size="13"><title>{html.escape(title)}</title>',
             "<style>svg{background:#fff}text{fill:#222}.grid{stroke:#ddd}@media(prefers-color-scheme:dark)"
             "{svg{background:#161616}text{fill:#ddd}.grid{stroke:#383838}}</style>",
             f'<text x="{LEFT}" y="22" font-weight="bold">{html.escape(title)}</text>',
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">step</text>',
             f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
             "test accuracy, per cent</text>"]
    for value in ticks(low, high):
        _, y = at(0, value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for step in range(steps):
        parts.append(f'<text x="{at(step, low)[0]:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
                     f"{step + 1}</text>")
    labels = spread([at(steps - 1, points[-1][0])[1] for points in lines.values()], 18)
    for (name, points), label in zip(lines.items(), labels):
        colour, kind = STYLES[name]
        places = [at(step, mean) for step, (mean, _) in enumerate(points)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for step, (mean, error) in enumerate(points):
            x, y = places[step]
            if error:
                top, bottom = at(step, mean + error)[1], at(step, mean - error)[1]
                parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{colour}"/>')
            tip = f"{name}, step {step + 1}: {mean:.2f}" + (f" ± {error:.2f}" if error else "")
            parts.append(f"<g><title>{html.escape(tip)}</title>{mark(kind, x, y, colour)}</g>")
        parts.append(mark(kind, WIDTH - RIGHT + 20, label - 4, colour) +
                     f'<text x="{WIDTH - RIGHT + 32}" y="{label:.1f}">{html.escape(name)}</text>')
    path.write_text("\n".join([*parts, "</svg>", ""]))
