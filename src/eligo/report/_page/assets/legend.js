// What the colours and marks of the drawing mean.

const sampleOf = (width, ...parts) => shape("svg", { width, height: 14, "aria-hidden": "true" }, ...parts);
const sampleBox = (fill, rim, width) => sampleOf(18, shape("rect", { x: 2, y: 2, width: 14, height: 10, rx: 2, fill, stroke: rim, "stroke-width": width }));

/** Say what is to be seen now. */
function showLegend(app) {
  const entries = app.colour === "state" ? stateEntries(app) : shadeEntries(app.panes[0].shading);
  if (edges.added.length) {
    const dashes = { x1: 0, x2: 26, y1: 7, y2: 7, stroke: "var(--added)", "stroke-width": 2, "stroke-dasharray": "6 3" };
    entries.push([sampleOf(26, shape("line", dashes)), "added by a limit"]);
  }
  if (jobs.peak && app.marked) {
    entries.push([sampleOf(12, shape("path", { d: "M6 2 11 7 6 12 1 7Z", fill: "var(--peak)" })), "runs at the worst peak"]);
    entries.push([sampleOf(12, shape("circle", { cx: 6, cy: 7, r: 3.5, fill: "var(--peak)" })), "its data are held then"]);
  }
  const { left_out: implied } = data.groups;
  if (implied && app.scene instanceof GroupScene) entries.push(["", `without ${plural(implied, "arrow")} that a longer way implies`]);
  byId("legend").replaceChildren(...entries.map(([sample, text]) => element("span", {}, sample, text)));
}

function stateEntries(app) {
  const entries = [["waiting", 1], ["eligible", 3], ["running", 2], ["executed", 1]].map(([name, width], state) => [sampleBox(`var(--${name})`, `var(--${name}-rim)`, width), STATE_NAMES[state]]);
  if (app.live || app.recorded) entries.push([sampleBox("var(--failed)", "var(--failed-rim)", 1), "failed"]);
  return entries;
}

function shadeEntries(shading) {
  const sample = (step, text) => [sampleBox(step < 0 ? "var(--page)" : shades[step], "var(--soft)", 1), text];
  const steps = [[0, shading.low], [STEPS >> 1, shading.middle], [STEPS - 1, shading.high]];
  const entries = shading.sorted.length ? steps.map(([step, value]) => sample(step, shading.text(value))) : [];
  if (shading.ranked) entries.push(["", "shades go by rank"]);
  if (shading.unknown) entries.push(sample(-1, "unknown"));
  return entries;
}
