// Puts the parts together: what is chosen, folded, coloured and played.

const SMALL = 150, FEW = 40, MANY_EQUAL = 4; // drawn one by one at first: few jobs, and some more where few are equal

class App {
  constructor() {
    this.camera = new Camera();
    this.open = new Set();
    this.chosen = -1;
    this.chosenGroup = -1;
    this.colour = "state";
    this.marked = Boolean(jobs.peak);
    this.gantts = [];
    this.makePlays();
    this.modes = this.findModes();
    this.foldable = Array.from({ length: groups.count }, (_, group) => group).filter((group) => groups.members.of(group).length > 1);
    const large = jobs.count > SMALL || (jobs.count > FEW && jobs.count >= MANY_EQUAL * groups.count);
    this.folded = this.foldable.length > 0 && (large || !data.layout);
    this.scene = this.makeScene();
    this.panes = [new Pane(this, 0), new Pane(this, 1)];
    byId("panes").append(...this.panes.map((pane) => pane.root));
    this.shown = [0, Math.min(1, data.strategies.length - 1)];
    this.details = new Details(this);
    this.game = new Game(this);
    this.listen();
    this.setMode(0);
    this.rebuild();
    for (const pane of this.panes) pane.measure();
    this.fit();
  }

  makePlays() {
    this.orders = data.strategies.map(playOfOrder);
    this.priority = this.orders.map((play) => prioritiesOf(play.order));
    this.traces = data.strategies.map((each) => playOfTrace(`${each.label} on ${plural(data.workers, "worker")}`, each.trace));
    this.recorded = data.recorded ? playOfTrace(`the run on ${data.recorded.engine}`, data.recorded.trace, unpack(data.recorded.status)) : null;
    const never = () => new Float64Array(jobs.count).fill(Infinity);
    this.live = data.live ? new Play("the run", never(), never(), new Uint8Array(jobs.count), true) : null;
    this.traces.forEach((play, i) => { play.order = this.orders[i].order; });
    for (const run of [this.recorded, this.live]) if (run) run.order = this.orders[0].order;
    if (this.recorded) this.recorded.over = data.recorded.over;
  }

  /** The ways to play: a run that goes on or took place, one job at a time, on workers. */
  findModes() {
    const distinct = () => [...new Set(this.shown)];
    const run = (play, title) => ({ title, live: play === this.live, atEnd: true, plays: () => [play], moments: () => momentsOf([play]), charts: (host) => timeCharts(host, [play], []) });
    return [
      ...(this.live ? [run(this.live, "the run, live")] : []),
      ...(this.recorded ? [run(this.recorded, "the run that took place")] : []),
      { title: "one job at a time", plays: () => this.shown.map((i) => this.orders[i]), moments: () => null, charts: (host) => stepCharts(host, distinct()) },
      {
        title: `on ${plural(data.workers, "worker")}`, plays: () => this.shown.map((i) => this.traces[i]), moments: () => momentsOf(distinct().map((i) => this.traces[i])),
        charts: (host) => timeCharts(host, distinct().map((i) => this.traces[i]), distinct()),
      },
    ];
  }

  get when() { return this.game.when; }

  setMode(i) {
    this.mode = this.modes[i];
    const plays = this.mode.plays();
    const labels = data.strategies.map((each) => each.label);
    const before = this.panes.map((pane) => pane.root.hidden);
    this.panes.forEach((pane, k) => {
      pane.root.hidden = k >= Math.min(plays.length, labels.length);
      if (plays[k]) pane.show(plays[k], plays.length > 1 ? labels : [], this.shown[k]);
    });
    this.game.setMode(this.mode);
    this.details.show();
    showLegend(this);
    if (this.panes.some((pane, k) => pane.root.hidden !== before[k]) && this.camera.fitted) this.fit();
  }

  showStrategy(pane, strategy) {
    this.shown[pane] = strategy;
    const { position } = this.game;
    this.setMode(this.modes.indexOf(this.mode));
    this.game.go(position);
  }

  makeScene() {
    return this.folded || !data.layout ? new GroupScene(this.open) : new JobScene();
  }

  rebuild() {
    this.scene = this.makeScene();
    const grouped = this.scene instanceof GroupScene;
    byId("fold").setAttribute("aria-pressed", String(grouped));
    byId("fold").hidden = !data.layout;
    byId("fold").disabled = !this.foldable.length;
    byId("unfold-all").textContent = this.allOpen ? "Close all groups" : "Open all groups";
    byId("unfold-all").hidden = !grouped || !this.foldable.length;
    this.repaint();
    showLegend(this);
  }

  get allOpen() { return this.foldable.every((group) => this.open.has(group)); }

  repaint() {
    for (const pane of this.panes) pane.repaint();
  }

  fit() {
    const pane = this.panes.find((one) => !one.root.hidden);
    this.camera.fit(this.scene.bounds, pane.width, pane.height);
  }

  /** A pane has another size: what was shown as a whole still is. */
  sized(pane) {
    if (pane === this.panes[0] && this.camera.fitted) this.fit();
    pane.repaint();
  }

  /** Another step: only what shows states is drawn anew. */
  moved() {
    for (const pane of this.panes) if (!pane.root.hidden) pane.restate();
    this.statesSoon();
  }

  choose(job) {
    this.chosen = job;
    this.chosenGroup = job >= 0 ? jobs.group[job] : -1;
    this.details.show();
    this.repaint();
  }

  chooseGroup(group) {
    this.chosen = -1;
    this.chosenGroup = group;
    this.details.show();
    this.repaint();
  }

  centre({ x, y }) {
    this.camera.centre(x, y, this.panes[0].width, this.panes[0].height);
  }

  /** Choose a job and bring it into view, opening its group; by default the drawing takes the focus. */
  show(job, focus = true) {
    const group = jobs.group[job];
    if (this.scene instanceof GroupScene && groups.members.of(group).length > 1 && !this.open.has(group)) {
      this.open.add(group);
      this.rebuild();
    }
    this.choose(job);
    this.centre(this.scene.rectOf(job));
    if (!focus) return;
    byId("dag").scrollIntoView({ block: "start" });
    this.panes[0].stage.focus({ preventScroll: true });
  }

  toggleGroup(group) {
    if (!(this.scene instanceof GroupScene) || !this.foldable.includes(group)) return;
    if (!this.open.delete(group)) this.open.add(group);
    this.rebuild();
    if (this.camera.fitted) this.fit();
    this.chooseGroup(group);
  }

  toggleChosen() {
    if (this.chosenGroup >= 0) this.toggleGroup(this.chosenGroup);
  }

  toggleAll() {
    if (this.allOpen) this.open.clear();
    else for (const group of this.foldable) this.open.add(group);
    this.rebuild();
    this.fit();
  }

  /** The box of what is chosen, if anything is. */
  get chosenBox() {
    if (this.chosen >= 0) return this.scene.boxOf(this.chosen);
    return this.chosenGroup >= 0 && this.scene instanceof GroupScene ? this.scene.boxes[this.chosenGroup] : null;
  }

  /** Choose the next job of an open group, else the next box of the row, or the first of all. */
  neighbour(by) {
    const here = this.chosenBox;
    if (here && here.open && this.chosen >= 0) {
      const members = groups.members.of(here.group);
      const next = members[countUpTo(members, this.chosen) - 1 + by];
      if (next !== undefined) { this.show(next); return; }
    }
    const row = this.scene.byRow[here ? here.row : 0];
    this.chooseBox(here ? row[(row.indexOf(here) + by + row.length) % row.length] : row[0]);
  }

  chooseBox(box) {
    if (box.job >= 0) this.choose(box.job);
    else this.chooseGroup(box.group);
    this.centre(box);
  }

  /** Go along an edge from the chosen job, or from the first job of the chosen group. */
  follow(along) {
    const from = this.chosen >= 0 ? this.chosen : this.chosenGroup >= 0 ? groups.members.of(this.chosenGroup)[0] : -1;
    const [next] = from >= 0 ? along(from) : [];
    if (next === undefined) return;
    const box = this.scene.boxOf(next);
    if (!box.open) { this.chooseBox(box); return; }
    this.choose(next);
    this.centre(this.scene.rectOf(next));
  }

  /** A run has gone on. */
  liveChanged(redraw) {
    if (this.mode.live) this.game.extend(momentsOf([this.live]), redraw ? this.mode : null);
    if (redraw) for (const gantt of this.gantts) if (gantt.play === this.live) gantt.draw();
  }

  listen() {
    const kinds = [["state", "state"], ["priority", "priority"], ...(jobs.time ? [["time", "time"]] : []), ...(jobs.need ? [["memory", data.memory.resource]] : [])];
    const colour = byId("colour");
    colour.replaceChildren(...kinds.map(([value, text]) => element("option", { value }, text)));
    colour.addEventListener("change", () => {
      this.colour = colour.value;
      for (const pane of this.panes) if (pane.play) pane.recolour();
      showLegend(this);
    });
    byId("fold").addEventListener("click", () => { this.folded = !this.folded; this.rebuild(); this.fit(); });
    byId("unfold-all").addEventListener("click", () => this.toggleAll());
    if (jobs.peak) byId("mark-peak").addEventListener("click", () => this.toggleMarks());
    const middle = (factor) => () => this.camera.zoom(factor, this.panes[0].width / 2, this.panes[0].height / 2);
    byId("zoom-in").addEventListener("click", middle(1.25));
    byId("zoom-out").addEventListener("click", middle(0.8));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    this.search = new Search(this);
    this.statesSoon = onceAFrame(() => {
      this.details.update();
      if (this.jobTable) this.jobTable.update();
    });
  }

  toggleMarks() {
    this.marked = !this.marked;
    byId("mark-peak").setAttribute("aria-pressed", String(this.marked));
    this.repaint();
    showLegend(this);
  }

  /** Other colours, or another medium: paper has another size, and nobody waits there for the next frame. */
  themed() {
    readTheme();
    for (const pane of this.panes) pane.measure();
    if (this.camera.fitted) this.fit();
    for (const pane of this.panes) pane.paint(true);
    for (const gantt of this.gantts) gantt.draw();
  }

  /** What is further down the page. */
  drawRest() {
    drawProfiles();
    drawMemory();
    drawLimits();
    drawSimulation();
    const longest = Math.max(...this.traces.map((play) => play.last)); // one scale, so that lengths can be compared
    const runs = [this.live, this.recorded].filter(Boolean).map((play) => [play, 0]);
    this.gantts = [...runs, ...this.traces.map((play) => [play, longest])].map(([play, until]) => new Gantt(byId("plot-gantt"), play, until));
    makeTables(this);
  }
}

function listenToTheme(themed) {
  const choice = byId("theme");
  const saved = () => { try { return localStorage.getItem("eligo-theme"); } catch { return null; } };
  const apply = (value) => { document.documentElement.dataset.theme = value; choice.value = value; themed(); };
  choice.addEventListener("change", () => {
    try { localStorage.setItem("eligo-theme", choice.value); } catch { /* a page from disk may have nowhere to keep it */ }
    apply(choice.value);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);
  matchMedia("print").addEventListener("change", themed);
  apply(["light", "dark"].includes(saved()) ? saved() : "auto");
}

readTheme();
if (jobs.count) {
  const app = new App();
  listenToTheme(() => app.themed());
  if (app.live) new Live(app, app.live);
  // What is further down comes after the first paint.
  setTimeout(() => { app.drawRest(); ready(); }, 0);
} else {
  listenToTheme(() => {});
  ready();
}

/** Say that all is there: for those who drive the page by a program, and for measurements. */
function ready() {
  performance.mark("ready");
  document.documentElement.dataset.ready = "true";
}
