// The plots of the page.

const LIMIT_LINE = { colour: "var(--added)", dashes: "10 4" };
const WORST_LINE = { colour: "var(--peak)", dashes: "3 2" };

/** Lines for the worst peak and the limit. */
function memoryLines() {
  const memory = data.memory;
  const lines = [{ label: `worst peak ${sizeText(memory.worst)}`, value: memory.worst, ...WORST_LINE }];
  if (memory.limit !== null) lines.push({ label: `limit ${sizeText(memory.limit)}`, value: memory.limit, ...LIMIT_LINE });
  return lines;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** E(t) of all strategies with the bound, and by how much the first is ahead of the others. */
function drawProfiles() {
  const curves = data.strategies.map((each, i) => ({ label: each.label, y: unpack(each.profile), ...curveLook(i) }));
  const bound = { label: "no order exceeds", y: unpack(data.bound), colour: "var(--soft)", dashes: "4 3", width: 1.2 };
  new Chart(byId("plot-profile"), {
    across: "jobs executed", up: "ELIGIBLE jobs", curves: [...curves, bound], height: 260, text: `ELIGIBLE jobs, step by step: ${data.captions.profile}`,
  });
  const [first, ...others] = curves;
  if (!others.length) return;
  new Chart(byId("plot-difference"), {
    title: `${first.label}: more ELIGIBLE jobs than`, across: "jobs executed", up: "difference", height: 170, fill: others.length === 1,
    curves: others.map((other, i) => ({ ...curveLook(i + 1), label: other.label, y: first.y.map((value, t) => value - other.y[t]) })),
    text: `By how many ELIGIBLE jobs ${first.label} is ahead, step by step; in words above`,
  });
}

function drawMemory() {
  if (!data.memory) return;
  new Chart(byId("plot-memory"), {
    across: "jobs executed, one at a time", up: data.memory.resource, y: sizeAxis(), height: 240, lines: memoryLines(),
    text: `${capital(data.memory.resource)} along the schedule: ${data.captions.memory}`,
    curves: data.strategies.map((each, i) => ({ label: each.label, y: unpack(each.memory), ...curveLook(i) })),
  });
}

/** What limits cost: the longest chain against the limit. */
function drawLimits() {
  const host = byId("plot-limits");
  if (!host) return;
  const { curve, limit, limited_path: path, before } = data.memory;
  const pathText = (value) => (data.path_in_seconds ? secondsText(value) : whole.format(value));
  const longest = Math.max(...curve.map((point) => point.path));
  const curves = [{ label: "longest chain", x: curve.map((p) => p.limit), y: curve.map((p) => p.path), points: true, ...curveLook(0) }];
  const lines = [{ label: `worst peak ${sizeText(before)}`, value: before, upright: true, ...WORST_LINE }];
  if (limit !== null) {
    curves.push({ label: `the limit of this page: ${pathText(path)}`, x: [limit], y: [path], points: true, ...curveLook(1) });
    lines.push({ label: `limit ${sizeText(limit)}`, value: limit, upright: true, ...LIMIT_LINE });
  }
  new Chart(host, {
    across: `${data.memory.resource} limit`, up: "longest chain", x: sizeAxis(), y: { text: pathText, whole: !data.path_in_seconds, unit: timeUnit(longest, data.path_in_seconds) },
    curves, lines, height: 240, text: `What limits cost: ${data.captions.limits}`,
  });
  host.append(plainTable(
    ["limit", "longest chain", "added dependencies", "method"],
    curve.map((p) => [sizeText(p.limit), pathText(p.path), whole.format(p.edges), p.method === "none" ? "nothing to add" : p.method]),
    "What limits cost",
  ));
}

/** A small table below a figure, for those who want the numbers. */
function plainTable(titles, rows, caption) {
  const head = element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))));
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, element("table", {}, head, body));
  return element("details", {}, element("summary", {}, `${caption}: the numbers`), element("div", { class: "table" }, scroll));
}

const SHOWN_METRICS = ["execution_time", "stalling", "utilization"];
const PANEL = { tall: 150, gap: 18, top: 22, bottom: 40 };

/** The three panels of a sweep: sections for the times between batches, in each ever larger batches. */
function drawSimulation() {
  const found = data.simulation;
  const host = byId("plot-simulation");
  if (!found || !host) return;
  const metrics = SHOWN_METRICS.filter((name) => name in found.metrics);
  const width = Math.max(900, found.interarrivals.length * found.batches.length * found.pairs.length * 7 + 90);
  const height = PANEL.top + metrics.length * (PANEL.tall + PANEL.gap) + PANEL.bottom;
  const picture = shape("svg", { class: "figure", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Simulation: ${data.captions.simulation}` });
  picture.style.minWidth = `${width}px`; // smaller, its text could not be read
  metrics.forEach((metric, k) => drawPanel(picture, found, metric, { width, top: PANEL.top + k * (PANEL.tall + PANEL.gap), first: k === 0 }));
  const [least, most] = [found.batches[0], found.batches[found.batches.length - 1]].map((size) => whole.format(size));
  picture.append(shape("text", { x: width / 2, y: height - 14, "text-anchor": "middle" }, `in each section batches of ${least} to ${most} workers, from left to right; every so many mean job times`));
  const sample = (i) => shape("svg", { width: 16, height: 14, "aria-hidden": "true" }, pairMark(i, 8, 7));
  const keys = element("div", { class: "chart-keys" }, ...found.pairs.map((pair, i) => element("span", {}, sample(i), isolated(pair))));
  const numbers = (row) => [rounded.format(row[0]), whole.format(row[1]), row[2], found.metrics[row[3]], ...row.slice(4).map((value) => rounded.format(value))];
  host.replaceChildren(keys, picture, plainTable(
    ["every", "batch", "ratio", "metric", "median", "low", "high"],
    found.rows.filter((row) => metrics.includes(row[3])).map(numbers),
    "Simulation",
  ));
}

function drawPanel(picture, found, metric, { width, top, first }) {
  const { interarrivals, batches, pairs } = found;
  const rows = found.rows.filter((row) => row[3] === metric);
  const [low, high] = ratioRange(rows);
  const section = (width - LEFT - RIGHT) / interarrivals.length;
  const up = (value) => top + (1 - (clamp(value, low, high) - low) / (high - low)) * PANEL.tall;
  interarrivals.forEach((time, s) => {
    picture.append(shape("rect", { x: LEFT + s * section, y: top, width: section, height: PANEL.tall, fill: s % 2 ? "var(--panel)" : "none" }));
    if (first) picture.append(shape("text", { x: LEFT + (s + 0.5) * section, y: 14, "text-anchor": "middle" }, `every ${rounded.format(time)}`));
  });
  for (const value of ticks(low, high, 4)) {
    picture.append(shape("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: up(value), y2: up(value) }));
    picture.append(shape("text", { x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, rounded.format(value)));
  }
  picture.append(shape("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: up(1), y2: up(1) }));
  const middle = top + PANEL.tall / 2;
  picture.append(shape("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, found.metrics[metric]));
  for (const row of rows) {
    const pair = pairs.indexOf(row[2]);
    const within = (batches.indexOf(row[1]) + (pair + 1) / (pairs.length + 1)) / batches.length;
    drawInterval(picture, LEFT + section * (interarrivals.indexOf(row[0]) + within), pair, row.slice(4), up, [low, high]);
  }
}

/** An interval with its median; a triangle at the edge where it goes on beyond. */
function drawInterval(picture, x, pair, [median, least, most], up, [low, high]) {
  const { colour } = curveLook(pair);
  picture.append(shape("line", { x1: x, x2: x, y1: up(least), y2: up(most), stroke: colour, "stroke-width": 1.5 }));
  if (most > high) picture.append(shape("path", { d: `M${x} ${up(high)}l3 5h-6Z`, fill: colour }));
  if (least < low) picture.append(shape("path", { d: `M${x} ${up(low)}l3 -5h-6Z`, fill: colour }));
  if (median >= low && median <= high) picture.append(pairMark(pair, x, up(median)));
}

/** Ratios differ in their marks, not only in colour. */
function pairMark(i, x, y) {
  const { colour } = curveLook(i);
  const r = 3;
  if (i % 3 === 0) return shape("circle", { cx: x, cy: y, r, fill: colour });
  if (i % 3 === 1) return shape("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: "var(--page)", stroke: colour, "stroke-width": 1.5 });
  return shape("path", { d: `M${x} ${y - r - 1}l${r + 1} ${2 * r + 1}h${-2 * r - 2}Z`, fill: colour });
}

/** A scale that follows the medians: one wild interval must not flatten all others. */
function ratioRange(rows) {
  let [low, high] = [0.95, 1.05];
  for (const row of rows) { low = Math.min(low, row[4]); high = Math.max(high, row[4]); }
  const room = (high - low) * 0.25;
  return [Math.max(low - room, 0), high + room];
}
