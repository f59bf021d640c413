// Curves of steps as SVG: drawn as wide as there is room, with lines that differ in dashes as well as in colour, and a
// cursor that moves along without drawing anything anew.

const LEFT = 62, RIGHT = 26, TOP = 8, BOTTOM = 34;

/** Round numbers of a unit that cover a range, at most about so many; whole ones where nothing else makes sense. */
function ticks(low, high, most, { unit = 1, whole = false } = {}) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most / unit;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= rough);
  const step = unit * (whole ? Math.max(round, 1) : round);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12) + 1e-12; k++) found.push(k * step + 0); // never -0
  return found;
}

/** Of a long curve keep, for each dot of the picture, its first, least, largest and last value. */
function thinned(x, y, low, high, dots) {
  if (x.length <= 4 * dots) return Array.from(x, (_, i) => i);
  const kept = [];
  let i = 0;
  while (i < x.length) {
    const dot = Math.floor(((x[i] - low) / (high - low || 1)) * dots);
    let [least, most, last] = [i, i, i];
    for (let j = i; j < x.length && Math.floor(((x[j] - low) / (high - low || 1)) * dots) === dot; j++) {
      if (y[j] < y[least]) least = j;
      if (y[j] > y[most]) most = j;
      last = j;
    }
    for (const k of [...new Set([i, least, most, last])].sort((a, b) => a - b)) kept.push(k);
    i = last + 1;
  }
  return kept;
}

/**
 * A chart of curves {label, x, y, dashes, colour, points} and lines {label, value, upright}; x may be left out where it
 * is 0, 1, 2, ... An axis says how its numbers are written (text), in what unit round numbers are to be (unit), whether
 * only whole ones make sense (whole), and how far it goes at least (until).
 */
class Chart {
  constructor(host, { title = "", across, up, x = JOBS_AXIS, y = JOBS_AXIS, curves, lines = [], height = 190, fill = false, text = "" }) {
    Object.assign(this, { host, across, up, x, y, curves, lines, height, fill, text });
    for (const curve of curves) curve.x ||= Array.from(curve.y, (_, i) => i);
    this.keys = element("div", { class: "chart-keys" });
    this.box = element("div");
    host.replaceChildren(...(title ? [element("p", { class: "chart-title" }, title)] : []), this.keys, this.box);
    this.drawn = 0;
    new ResizeObserver(() => { if (Math.abs(this.box.clientWidth - this.drawn) > 2) this.draw(); }).observe(this.box);
    this.explain();
    this.draw();
  }

  /** Name the curves, each with a sample and a place for its value at the cursor. */
  explain() {
    this.values = [];
    const keys = [...this.curves, ...this.lines].filter((one) => one.label);
    this.keys.replaceChildren(...keys.map((one) => {
      const look = { x1: 0, y1: 6, x2: 26, y2: 6, class: "key", "stroke-width": one.width || 2, "stroke-dasharray": one.dashes || "none", stroke: one.colour };
      const value = element("span");
      if (this.curves.includes(one)) this.values[this.curves.indexOf(one)] = value;
      return element("span", {}, shape("svg", { width: 26, height: 12, "aria-hidden": "true" }, shape("line", look)), isolated(one.label), value);
    }));
  }

  scales() {
    let [left, right, low, high] = [Infinity, -Infinity, 0, -Infinity];
    for (const { x, y } of this.curves) {
      left = Math.min(left, x[0]);
      right = Math.max(right, x[x.length - 1]);
      for (const value of y) { if (value > high) high = value; if (value < low) low = value; }
    }
    for (const { value, upright } of this.lines) {
      if (upright) right = Math.max(right, value);
      else high = Math.max(high, value);
    }
    right = Math.max(right, this.x.until ?? right);
    if (!(high > low)) high = low + 1;
    if (!(right > left)) right = left + 1;
    this.left = left;
    this.right = right;
    const wide = this.drawn - LEFT - RIGHT;
    const tall = this.height - TOP - BOTTOM;
    this.sx = (x) => LEFT + ((x - left) / (right - left)) * wide;
    this.sy = (y) => TOP + (1 - (y - low) / (high * 1.04 - low)) * tall;
    return { low, high: high * 1.04, wide, tall };
  }

  draw() {
    this.drawn = Math.max(this.box.clientWidth, 240);
    const { low, high, wide, tall } = this.scales();
    const picture = shape("svg", { class: "figure", viewBox: `0 0 ${this.drawn} ${this.height}`, role: "img", "aria-label": this.text || `${this.up} against ${this.across}` });
    for (const y of ticks(low, high, Math.max(tall / 34, 2), this.y)) {
      picture.append(shape("line", { class: "grid", x1: LEFT, x2: LEFT + wide, y1: this.sy(y), y2: this.sy(y) }));
      picture.append(shape("text", { x: LEFT - 6, y: this.sy(y) + 4, "text-anchor": "end" }, this.y.text(y)));
    }
    for (const x of ticks(this.left, this.right, Math.max(wide / 90, 2), this.x)) {
      picture.append(shape("line", { class: "axis", x1: this.sx(x), x2: this.sx(x), y1: TOP + tall, y2: TOP + tall + 4 }));
      picture.append(shape("text", { x: this.sx(x), y: TOP + tall + 17, "text-anchor": "middle" }, this.x.text(x)));
    }
    picture.append(shape("text", { x: LEFT + wide / 2, y: this.height - 4, "text-anchor": "middle" }, this.across));
    for (const line of this.lines) this.drawLine(picture, line, wide, tall);
    for (const curve of this.curves) this.drawCurve(picture, curve, wide);
    picture.append(shape("line", { class: "axis", x1: LEFT, x2: LEFT + wide, y1: this.sy(0), y2: this.sy(0) }));
    this.cursor = shape("line", { class: "cursor", x1: -9, x2: -9, y1: TOP, y2: TOP + tall });
    picture.append(this.cursor);
    this.box.replaceChildren(picture);
    if (this.at !== undefined) this.moveTo(this.at);
  }

  drawLine(picture, { value, upright, dashes, colour, width = 1.6 }, wide, tall) {
    const [x, y] = [this.sx(value), this.sy(value)];
    const ends = upright ? { x1: x, x2: x, y1: TOP, y2: TOP + tall } : { x1: LEFT, x2: LEFT + wide, y1: y, y2: y };
    picture.append(shape("line", { ...ends, stroke: colour, "stroke-width": width, "stroke-dasharray": dashes || "none" }));
  }

  drawCurve(picture, { x, y, dashes, colour, width = 2, points, slope }, wide) {
    const kept = thinned(x, y, this.left, this.right, wide);
    let path = "";
    for (const i of kept) {
      const at = `${this.sx(x[i]).toFixed(1)}`;
      const up = this.sy(y[i]).toFixed(1);
      path += path === "" ? `M${at} ${up}` : slope ? `L${at} ${up}` : `H${at}V${up}`;
    }
    if (this.fill) {
      const end = this.sx(x[x.length - 1]).toFixed(1);
      const zero = this.sy(0).toFixed(1);
      picture.append(shape("path", { d: `${path}H${end}V${zero}H${this.sx(x[0]).toFixed(1)}Z`, fill: colour, "fill-opacity": 0.18, stroke: "none" }));
    }
    picture.append(shape("path", { d: path, fill: "none", stroke: colour, "stroke-width": width, "stroke-dasharray": dashes || "none" }));
    for (const i of points ? kept : []) picture.append(shape("circle", { cx: this.sx(x[i]), cy: this.sy(y[i]), r: 4, fill: colour }));
  }

  /** Move the cursor, and tell the value of each curve there. */
  moveTo(x) {
    this.at = x;
    const at = this.sx(clamp(x, this.left, this.right)).toFixed(1);
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
    this.curves.forEach((curve, i) => {
      const k = countUpTo(curve.x, x) - 1;
      if (this.values[i]) this.values[i].textContent = k >= 0 ? this.y.text(curve.y[k]) : "";
    });
  }
}

const JOBS_AXIS = { text: (value) => whole.format(value), whole: true };

/** An axis of memory: round in decimal units as it is, in whole pebbles. */
const sizeAxis = () => ({ text: (value) => sizeText(value), whole: data.memory.unit !== "bytes" });

/** An axis of time that goes on until a moment. */
const timeAxis = (until, seconds) => ({ text: (value) => timeText(value, seconds), unit: timeUnit(until, seconds), until });

/** How the i-th curve is drawn. */
const curveLook = (i) => ({ colour: `var(--curve-${i % CURVES})`, dashes: DASHES[i % DASHES.length], width: i ? 1.8 : 2.6 });
