// Colours as the theme has them, and shades for numbers: dark to light, so that they differ without colour as well.

const CURVES = 6;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2"];

let theme = {};

/** Read the colours of the theme, which the style sheet alone knows. */
function readTheme() {
  const probe = element("span");
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  theme = Object.fromEntries(
    ["page", "ink", "soft", "line", "panel", "edge", "added", "peak", "chosen", "grid"].map((name) => [name, colour(name)]),
  );
  const states = ["waiting", "eligible", "running", "executed", "failed"];
  theme.fill = states.map((name) => colour(name));
  theme.rim = states.map((name) => colour(`${name}-rim`));
  theme.ink_on = theme.fill.map((fill) => inkOn(pixelOf(fill)));
  theme.pixel = [theme.line, ...theme.fill.slice(1)].map(pixelOf); // dots have no rims: waiting ones must be seen
  probe.remove();
}

// Points of the scale cividis of Nuñez, Anderton and Renslow 2018, which looks the same to colour-blind people.
const SHADES = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [195, 179, 105], [254, 232, 56]];
const STEPS = 64;
const shades = Array.from({ length: STEPS }, (_, i) => {
  const at = (i / (STEPS - 1)) * (SHADES.length - 1);
  const low = Math.min(Math.floor(at), SHADES.length - 2);
  const mixed = SHADES[low].map((c, k) => Math.round(c + (SHADES[low + 1][k] - c) * (at - low)));
  return `rgb(${mixed.join(",")})`;
});

/** A colour as the bytes of a picture have it: red first. */
function pixelOf(colour) {
  const [red, green, blue] = colour.match(/\d+/g).map(Number);
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
}

const shadePixels = shades.map(pixelOf);
const shadeInks = shadePixels.map(inkOn);

const SKEWED = 10; // times the middle value that the largest is, from which ranks count instead of sizes

/** Numbers of jobs as shades; the scale is linear, or by ranks where a few large ones would hide all others. */
class Shading {
  constructor(values, text) {
    this.values = values;
    this.text = text;
    this.sorted = values.filter((value) => Number.isFinite(value)).sort();
    this.unknown = this.sorted.length < values.length;
    this.low = this.sorted[0];
    this.high = this.sorted[this.sorted.length - 1];
    this.middle = this.sorted[this.sorted.length >> 1];
    this.ranked = this.high > SKEWED * this.middle;
    if (!this.ranked) this.middle = (this.low + this.high) / 2;
  }

  /** Which of the shades a value has; -1 where it is unknown. */
  step(value) {
    if (!Number.isFinite(value)) return -1;
    if (this.ranked) return Math.round(((countUpTo(this.sorted, value) - 1) / Math.max(this.sorted.length - 1, 1)) * (STEPS - 1));
    const span = this.high - this.low;
    return span > 0 ? Math.round(((value - this.low) / span) * (STEPS - 1)) : STEPS >> 1;
  }

  /** The mean over the members of a group that are known. */
  mean(members) {
    let sum = 0;
    let count = 0;
    for (const job of members) if (Number.isFinite(this.values[job])) { sum += this.values[job]; count++; }
    return count ? sum / count : NaN;
  }
}

/** By what jobs can be coloured; priorities depend on the strategy that a pane shows. */
function shadingOf(kind, play) {
  if (kind === "time" && jobs.time) return new Shading(jobs.time, secondsText);
  if (kind === "memory" && jobs.need) return new Shading(jobs.need, (v) => sizeText(v));
  return kind === "priority" ? new Shading(prioritiesOf(play.order), (v) => whole.format(v)) : null;
}

/** The priority of each job: n for the first of an order, 1 for the last. */
function prioritiesOf(order) {
  const priority = new Int32Array(jobs.count);
  order.forEach((job, i) => { priority[job] = jobs.count - i; });
  return priority;
}

/** Black or white, whichever is easier to read on a colour, given as the bytes of a picture. */
function inkOn(pixel) {
  const light = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255].map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.179 ? "#000" : "#fff";
}
