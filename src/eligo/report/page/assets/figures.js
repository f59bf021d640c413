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

const jobsText = (value) => (Number.isInteger(value) ? whole.format(value) : "");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** E(t) of all strategies with the bound, and by how much the first is ahead of the others. */
function drawProfiles() {
  const curves = data.strategies.map((each, i) => ({ label: each.label, y: unpack(each.profile), ...curveLook(i) }));
  const bound = { label: "no order exceeds", y: unpack(data.bound), colour: "var(--soft)", dashes: "4 3", width: 1.2 };
  new Chart(byId("plot-profile"), {
    across: "jobs executed", up: "ELIGIBLE jobs", curves: [bound, ...curves.slice().reverse()].reverse(), xText: jobsText, yText: jobsText, height: 260, text: data.captions.profile,
  });
  const [first, ...others] = curves;
  if (!others.length) return;
  new Chart(byId("plot-difference"), {
    title: `${first.label}: more ELIGIBLE jobs than`, across: "jobs executed", up: "difference", height: 170, fill: others.length === 1, xText: jobsText, yText: jobsText,
    curves: others.map((other, i) => ({ ...curveLook(i + 1), label: other.label, y: first.y.map((value, t) => value - other.y[t]) })),
    text: data.captions.profile,
  });
}

function drawMemory() {
  if (!data.memory) return;
  new Chart(byId("plot-memory"), {
    across: "jobs executed, one at a time", up: data.memory.resource, height: 240, lines: memoryLines(), xText: jobsText, yText: (v) => sizeText(v), text: data.captions.memory,
    curves: data.strategies.map((each, i) => ({ label: each.label, y: unpack(each.memory), ...curveLook(i) })),
  });
}

/** What limits cost: the longest chain against the limit. */
function drawLimits() {
  const host = byId("plot-limits");
  if (!host) return;
  const { curve, limit, limited_path: path, before } = data.memory;
  const pathText = (value) => (data.in_seconds ? timeText(value) : jobsText(value));
  const curves = [{ label: "longest chain", x: curve.map((p) => p.limit), y: curve.map((p) => p.path), points: true, ...curveLook(0) }];
  const lines = [{ label: `worst peak ${sizeText(before)}`, value: before, upright: true, ...WORST_LINE }];
  if (limit !== null) {
    curves.push({ label: `the limit of this page: ${pathText(path)}`, x: [limit], y: [path], points: true, ...curveLook(1) });
    lines.push({ label: `limit ${sizeText(limit)}`, value: limit, upright: true, ...LIMIT_LINE });
  }
  new Chart(host, { across: `${data.memory.resource} limit`, up: "longest chain", curves, lines, height: 240, xText: (v) => sizeText(v), yText: pathText, text: data.captions.limits });
  host.append(plainTable(
    ["limit", "longest chain", "added dependencies", "method"],
    curve.map((p) => [sizeText(p.limit), pathText(p.path), whole.format(p.edges), p.method === "none" ? "nothing to add" : p.method]),
    "What limits cost",
  ));
}

/** A small table below a figure, for those who want the numbers. */
function plainTable(titles, rows, caption) {
  return element("details", {}, element("summary", {}, `${caption}: the numbers`), element("div", { class: "table" }, element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))),
  ))));
}

/** The three panels of a sweep: sections for the times between batches, in each ever larger batches. */
function drawSimulation() {
  const found = data.simulation;
  const host = byId("plot-simulation");
  if (!found || !host) return;
  const { interarrivals, batches, pairs, rows } = found;
  const metrics = ["execution_time", "stalling", "utilization"].filter((name) => name in found.metrics);
  const [width, tall, gap] = [Math.max(900, interarrivals.length * batches.length * pairs.length * 7 + 90), 150, 18];
  const height = metrics.length * (tall + gap) + 60;
  const picture = shape("svg", { class: "figure", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": data.captions.simulation });
  const section = (width - LEFT - RIGHT) / interarrivals.length;
  const across = (row) => {
    const within = (batches.indexOf(row[1]) + (pairs.indexOf(row[2]) + 1) / (pairs.length + 1)) / batches.length;
    return LEFT + section * (interarrivals.indexOf(row[0]) + within);
  };
  metrics.forEach((metric, k) => {
    const mine = rows.filter((row) => row[3] === metric);
    const [low, high] = ratioRange(mine);
    const top = 22 + k * (tall + gap);
    const up = (value) => top + (1 - (clamp(value, low, high) - low) / (high - low)) * tall;
    interarrivals.forEach((time, s) => {
      picture.append(shape("rect", { x: LEFT + s * section, y: top, width: section, height: tall, fill: s % 2 ? "var(--panel)" : "none" }));
      if (!k) picture.append(shape("text", { x: LEFT + (s + 0.5) * section, y: 14, "text-anchor": "middle" }, `every ${short.format(time)}`));
    });
    for (const value of ticks(low, high, 4)) {
      picture.append(shape("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: up(value), y2: up(value) }), shape("text", { x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, short.format(value)));
    }
    picture.append(shape("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: up(1), y2: up(1) }));
    picture.append(shape("text", { x: 12, y: top + tall / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${top + tall / 2})` }, found.metrics[metric]));
    for (const row of mine) {
      const [x, [median, least, most]] = [across(row), row.slice(4)];
      const look = curveLook(pairs.indexOf(row[2]));
      picture.append(shape("line", { x1: x, x2: x, y1: up(least), y2: up(most), stroke: look.colour, "stroke-width": 1.5 }), shape("circle", { cx: x, cy: up(median), r: 2.6, fill: look.colour }));
    }
  });
  const sizes = `batches of ${short.format(batches[0])} to ${short.format(batches[batches.length - 1])} workers from left to right in each section; every so many mean job times`;
  picture.append(shape("text", { x: width / 2, y: height - 26, "text-anchor": "middle" }, sizes));
  picture.append(shape("text", { x: width / 2, y: height - 8, "text-anchor": "middle" }, `ratios: ${pairs.join(", ")}`));
  host.replaceChildren(picture);
  host.append(plainTable(
    ["every", "batch", "ratio", "metric", "median", "low", "high"],
    rows.filter((row) => metrics.includes(row[3])).map((row) => [short.format(row[0]), short.format(row[1]), row[2], found.metrics[row[3]], ...row.slice(4).map((v) => short.format(v))]),
    "Simulation",
  ));
}

/** A scale that follows the medians: one wild interval must not flatten all others. */
function ratioRange(rows) {
  let [low, high] = [0.95, 1.05];
  for (const row of rows) { low = Math.min(low, row[4]); high = Math.max(high, row[4]); }
  const room = (high - low) * 0.25;
  return [Math.max(low - room, 0), high + room];
}
