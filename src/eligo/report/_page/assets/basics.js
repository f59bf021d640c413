// What everything else uses: elements, numbers as people read them, arrays out of base64.

const data = JSON.parse(document.getElementById("data").textContent);

/** Return the element with an id. */
const byId = (id) => document.getElementById(id);

/** Make an element; texts become text nodes, never markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of a picture. */
function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Text that keeps its direction to itself: names may be in any script. */
const isolated = (text) => element("bdi", {}, text);

const ARRAYS = { i4: Int32Array, u1: Uint8Array, f4: Float32Array, f8: Float64Array };

/** Turn {"i4": base64} into a typed array; what is not there stays so. */
function unpack(value) {
  if (!value) return null;
  const [kind] = Object.keys(value);
  const text = atob(value[kind]);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[kind](bytes.buffer);
}

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** Return how many of an ascending array are at most a value. */
function countUpTo(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

const plural = (count, noun) => `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Return seconds as people read them; without a number of digits all that matter. */
function secondsText(value) {
  if (!Number.isFinite(value)) return "unknown";
  for (const [unit, size] of [["d", 86400], ["h", 3600]]) if (value >= 2 * size) return `${rounded.format(value / size)} ${unit}`;
  return `${rounded.format(value)} s`;
}

/** Return the time of an execution: real ones are in seconds, others in job times where no times are known. */
const timeText = (value, seconds = data.in_seconds) => (seconds ? secondsText(value) : `${rounded.format(value)} job times`);

/** Return an amount of memory in decimal units. */
function sizeText(value, unit = data.memory ? data.memory.unit : "bytes") {
  if (!Number.isFinite(value)) return "unknown";
  if (unit !== "bytes") return `${whole.format(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  const power = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  return `${new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(value / 1000 ** power)} ${units[power]}`;
}

/** What to count a range of times or sizes in, so that round numbers of it are round on an axis. */
function timeUnit(high, seconds) {
  if (!seconds) return 1;
  return high >= 2 * 86400 ? 86400 : high >= 2 * 3600 ? 3600 : 1;
}

/** Leave out the middle of long text: names often differ only at their ends. */
function shorten(text, most) {
  if (text.length <= most) return text;
  const head = Math.floor((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

/** Return a function that runs once a frame at most, with the latest arguments. */
function onceAFrame(action) {
  let waiting = 0;
  let latest = [];
  return (...words) => {
    latest = words;
    if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; action(...latest); });
  };
}

/** Group numbers 0..n-1 by a key: compressed sparse rows. */
function grouped(keys, count) {
  const ptr = new Int32Array(count + 1);
  for (const key of keys) if (key >= 0) ptr[key + 1]++;
  for (let i = 0; i < count; i++) ptr[i + 1] += ptr[i];
  const next = ptr.slice();
  const items = new Int32Array(ptr[count]);
  for (let i = 0; i < keys.length; i++) if (keys[i] >= 0) items[next[keys[i]]++] = i;
  return { ptr, items, of: (key) => items.subarray(ptr[key], ptr[key + 1]) };
}
