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
    this.orders = data.strategies.map(playOfOrder);
    this.traces = data.strategies.map((each) => playOfTrace(`${each.label} on ${plural(data.workers, "worker")}`, each.trace));
    this.recorded = data.recorded ? playOfTrace(`the run on ${data.recorded.engine}`, data.recorded.trace, unpack(data.recorded.status)) : null;
    const never = () => new Float64Array(jobs.count).fill(Infinity);
    this.live = data.live ? new Play("the run", never(), never(), new Uint8Array(jobs.count)) : null;
    this.modes = this.findModes();
    const equal = groups.count < jobs.count;
    const large = jobs.count > SMALL || (jobs.count > FEW && jobs.count >= MANY_EQUAL * groups.count);
    this.folded = equal && (large || !data.layout);
    if (!equal) byId("fold").disabled = true;
    this.scene = this.makeScene();
    this.panes = [new Pane(this, 0), new Pane(this, 1)];
    byId("panes").append(...this.panes.map((pane) => pane.root));
    this.shown = [0, Math.min(1, data.strategies.length - 1)];
    this.priority = [];
    this.game = new Game(this);
    this.listen();
    this.setMode(0);
    for (const pane of this.panes) pane.measure();
    this.fit();
  }

  /** The ways to play: the run itself, one job at a time, on workers. */
  findModes() {
    const both = (plays) => () => this.shown.map((i) => plays[i]);
    const charts = (plays) => (host) => this.timeCharts(host, plays());
    const modes = [];
    const run = (play, title) => modes.push({ title, live: play === this.live, plays: () => [play], moments: () => momentsOf([play]), charts: charts(() => [play]) });
    if (this.live) run(this.live, "the run, live");
    modes.push({ title: "one job at a time", plays: both(this.orders), moments: () => null, charts: (host) => this.stepCharts(host) });
    modes.push({ title: `on ${plural(data.workers, "worker")}`, plays: both(this.traces), moments: () => momentsOf(this.shown.map((i) => this.traces[i])), charts: charts(both(this.traces)) });
    if (this.recorded) run(this.recorded, "the run that took place");
    return modes;
  }

  get when() { return this.game.when; }

  setMode(i) {
    this.modeNumber = i;
    this.mode = this.modes[i];
    const plays = this.mode.plays();
    const labels = data.strategies.map((each) => each.label);
    this.panes.forEach((pane, k) => {
      pane.root.hidden = k >= plays.length || (k === 1 && plays[0] === plays[1]);
      if (plays[k]) pane.show(plays[k], plays.length > 1 ? labels : [], this.shown[k]);
    });
    this.game.setMode(this.mode);
    this.explain();
    if (this.panes[0].width) this.fit();
  }

  showStrategy(pane, strategy) {
    this.shown[pane] = strategy;
    const position = this.game.position;
    this.setMode(this.modeNumber);
    this.game.go(position);
  }

  makeScene() {
    return this.folded || !data.layout ? new GroupScene(this.open) : new JobScene();
  }

  rebuild() {
    this.scene = this.makeScene();
    byId("fold").setAttribute("aria-pressed", String(this.scene instanceof GroupScene));
    const foldable = Array.from({ length: groups.count }, (_, g) => g).filter((g) => groups.members.of(g).length > 1);
    byId("unfold-all").textContent = foldable.every((g) => this.open.has(g)) ? "Close all groups" : "Open all groups";
    byId("unfold-all").hidden = !(this.scene instanceof GroupScene) || !foldable.length;
    for (const pane of this.panes) pane.repaint();
    this.explain();
  }

  fit() {
    const pane = this.panes.find((one) => !one.root.hidden);
    this.camera.fit(this.scene.bounds, pane.width, pane.height);
    this.fitted = true;
  }

  /** A pane has another size: what was shown as a whole still is. */
  sized(pane) {
    if (pane === this.panes[0] && (!this.touched || !this.fitted)) this.fit();
    pane.repaint();
  }

  moved() {
    for (const pane of this.panes) if (!pane.root.hidden) pane.restate();
    if (this.chosen >= 0 || this.chosenGroup >= 0) this.detailsSoon();
    clearTimeout(this.tableLater);
    if (this.jobTable) this.tableLater = setTimeout(() => this.jobTable.show(), 300); // its states
  }

  choose(job) {
    this.chosen = job;
    this.chosenGroup = job >= 0 ? jobs.group[job] : -1;
    this.touched = true;
    this.chosenChanged();
  }

  chooseGroup(group) {
    this.chosen = -1;
    this.chosenGroup = group;
    this.chosenChanged();
  }

  chosenChanged() {
    showDetails(this);
    for (const pane of this.panes) pane.repaint();
  }

  /** Choose a job and bring it into view, opening its group; by default the drawing takes the focus. */
  show(job, focus = true) {
    const group = jobs.group[job];
    if (this.scene instanceof GroupScene && groups.members.of(group).length > 1 && !this.open.has(group)) {
      this.open.add(group);
      this.rebuild();
    }
    this.choose(job);
    const { x, y } = this.scene.rectOf(job);
    this.camera.centre(x, y, this.panes[0].width, this.panes[0].height);
    if (!focus) return;
    byId("dag").scrollIntoView({ block: "start" });
    this.panes[0].stage.focus({ preventScroll: true });
  }

  toggleGroup(group) {
    if (!(this.scene instanceof GroupScene) || groups.members.of(group).length < 2) return;
    if (!this.open.delete(group)) this.open.add(group);
    this.touched = true;
    this.rebuild();
    this.chooseGroup(group);
  }

  toggleChosen() {
    if (this.chosenGroup >= 0) this.toggleGroup(this.chosenGroup);
  }

  /** Choose the next box of the row, or the first of all. */
  neighbour(by) {
    const { scene } = this;
    const open = this.chosen >= 0 && scene.boxOf(this.chosen).open ? groups.members.of(this.chosenGroup) : null;
    if (open) {
      const k = countUpTo(open, this.chosen) - 1 + by;
      if (k >= 0 && k < open.length) { this.show(open[k]); return; }
    }
    const here = this.chosen >= 0 ? scene.boxOf(this.chosen) : this.chosenGroup >= 0 && scene instanceof GroupScene ? scene.boxes[this.chosenGroup] : null;
    const row = here ? scene.byRow[here.row] : scene.byRow[0];
    const next = here ? row[(row.indexOf(here) + by + row.length) % row.length] : row[0];
    if (next.job >= 0) this.choose(next.job);
    else this.chooseGroup(next.group);
    this.camera.centre(next.x, next.y, this.panes[0].width, this.panes[0].height);
  }

  /** Go along an edge from the chosen job, or from the first job of the chosen group. */
  follow(along) {
    const from = this.chosen >= 0 ? this.chosen : this.chosenGroup >= 0 ? groups.members.of(this.chosenGroup)[0] : -1;
    const [next] = from >= 0 ? along(from) : [];
    if (next === undefined) return;
    const box = this.scene.boxOf(next);
    if (box.job >= 0 || box.open) this.choose(next);
    else this.chooseGroup(box.group);
    const { x, y } = this.scene.rectOf(next);
    this.camera.centre(x, y, this.panes[0].width, this.panes[0].height);
  }

  stepCharts(host) {
    const mine = [...new Set(this.shown)];
    const boxes = [element("div"), ...(data.memory ? [element("div")] : [])];
    host.replaceChildren(...boxes);
    const charts = [new Chart(boxes[0], {
      title: "ELIGIBLE jobs", across: "jobs executed", up: "ELIGIBLE jobs", xText: jobsText, yText: jobsText, text: data.captions.profile,
      curves: mine.map((i) => ({ label: data.strategies[i].label, y: unpack(data.strategies[i].profile), ...curveLook(i) })),
    })];
    if (data.memory) {
      charts.push(new Chart(boxes[1], {
        title: capital(data.memory.resource), across: "jobs executed", up: data.memory.resource, xText: jobsText, yText: (v) => sizeText(v), lines: memoryLines(), text: data.captions.memory,
        curves: mine.map((i) => ({ label: data.strategies[i].label, y: unpack(data.strategies[i].memory), ...curveLook(i) })),
      }));
    }
    return charts;
  }

  timeCharts(host, plays) {
    const distinct = [...new Set(plays)];
    const uses = this.mode.live || this.mode.plays()[0] === this.recorded ? [] : [...new Set(this.shown)].filter((i) => data.strategies[i].trace.memory);
    const boxes = [element("div"), ...(uses.length ? [element("div")] : [])];
    host.replaceChildren(...boxes);
    const across = data.in_seconds || this.mode.live || this.recorded ? "time" : "job times";
    const charts = [new Chart(boxes[0], {
      title: "ELIGIBLE jobs that wait for a worker", across, up: "ELIGIBLE jobs", xText: timeText, yText: jobsText,
      curves: distinct.map((play, i) => ({ label: play.label, ...eligibleCurve(play), ...curveLook(i) })),
    })];
    if (uses.length) {
      charts.push(new Chart(boxes[1], {
        title: capital(data.memory.resource), across, up: data.memory.resource, xText: timeText, yText: (v) => sizeText(v), lines: memoryLines(),
        curves: uses.map((i) => ({ label: data.strategies[i].label, x: unpack(data.strategies[i].trace.memory_time), y: unpack(data.strategies[i].trace.memory), ...curveLook(i) })),
      }));
    }
    return charts;
  }

  /** The run has gone on: show its present, unless somebody looks at its past. */
  liveChanged() {
    if (!this.mode.live) return;
    const following = this.game.position === this.game.last;
    this.game.moments = momentsOf([this.live]);
    this.game.last = this.game.moments.length - 1;
    this.game.slider.max = this.game.last;
    if (!this.chartsDrawn || performance.now() - this.chartsDrawn > 1000) {
      this.chartsDrawn = performance.now();
      this.game.charts = this.mode.charts(byId("game-charts"));
    }
    this.game.go(following ? this.game.last : this.game.position);
  }

  explain() {
    const box = (fill, rim, width) => shape("svg", { width: 18, height: 14, "aria-hidden": "true" }, shape("rect", { x: 2, y: 2, width: 14, height: 10, rx: 2, fill, stroke: rim, "stroke-width": width }));
    const entries = [];
    if (this.colour === "state") {
      [["waiting", 1], ["eligible", 3], ["running", 2], ["executed", 1]].forEach(([name, width], i) => entries.push([box(`var(--${name})`, `var(--${name}-rim)`, width), STATE_NAMES[i]]));
      if (this.live || this.recorded) entries.push([box("var(--failed)", "var(--failed-rim)", 1), "failed"]);
    } else {
      const shading = this.panes[0].shading;
      if (shading) [[0, shading.low], [STEPS >> 1, (shading.low + shading.high) / 2], [STEPS - 1, shading.high]].forEach(([step, value]) => entries.push([box(shades[step], theme.soft, 1), shading.text(value)]));
    }
    if (edges.added.length) entries.push([shape("svg", { width: 26, height: 12, "aria-hidden": "true" }, shape("line", { x1: 0, x2: 26, y1: 6, y2: 6, stroke: "var(--added)", "stroke-width": 2, "stroke-dasharray": "6 3" })), "added by a limit"]);
    if (jobs.peak) {
      entries.push([shape("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape("path", { d: "M6 1 11 6 6 11 1 6Z", fill: "var(--peak)" })), "runs at the worst peak"]);
      entries.push([shape("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape("circle", { cx: 6, cy: 6, r: 3.5, fill: "var(--peak)" })), "its data are held then"]);
    }
    if (this.scene instanceof GroupScene && data.groups.left_out) entries.push(["", `without ${plural(data.groups.left_out, "arrow")} that a longer way implies`]);
    byId("legend").replaceChildren(...entries.map(([sample, text]) => element("span", {}, sample, text)));
  }

  listen() {
    this.detailsSoon = onceAFrame(() => showDetails(this));
    const kinds = [["state", "state"], ["priority", "priority"], ...(jobs.time ? [["time", "time"]] : []), ...(jobs.need ? [["memory", data.memory.resource]] : [])];
    const colour = byId("colour");
    colour.replaceChildren(...kinds.map(([value, text]) => element("option", { value }, text)));
    colour.addEventListener("change", () => { this.colour = colour.value; for (const pane of this.panes) if (pane.play) pane.recolour(); this.explain(); });
    byId("fold").addEventListener("click", () => { this.folded = !(this.scene instanceof GroupScene); this.rebuild(); this.fit(); });
    if (!data.layout) byId("fold").hidden = true;
    byId("unfold-all").addEventListener("click", () => {
      const foldable = Array.from({ length: groups.count }, (_, g) => g).filter((g) => groups.members.of(g).length > 1);
      if (foldable.every((g) => this.open.has(g))) this.open.clear();
      else for (const group of foldable) this.open.add(group);
      this.rebuild();
      this.fit();
    });
    const peak = byId("mark-peak");
    if (peak) {
      peak.addEventListener("click", () => {
        this.marked = !this.marked;
        peak.setAttribute("aria-pressed", String(this.marked));
        for (const pane of this.panes) pane.repaint();
      });
    }
    const middle = (factor) => () => this.camera.zoom(factor, this.panes[0].width / 2, this.panes[0].height / 2);
    byId("zoom-in").addEventListener("click", middle(1.25));
    byId("zoom-out").addEventListener("click", middle(0.8));
    byId("zoom-fit").addEventListener("click", () => this.fit());
    this.search = new Search(this);
  }

  themed() {
    readTheme();
    this.explain();
    for (const pane of this.panes) pane.paint(true); // at once: on paper there is no next frame
    for (const gantt of this.gantts) gantt.draw();
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
  app.rebuild();
  app.gantts = [];
  listenToTheme(() => app.themed());
  if (app.live) app.liveView = new Live(app, app.live);
  // What is further down comes after the first paint.
  setTimeout(() => {
    drawProfiles();
    drawMemory();
    drawLimits();
    drawSimulation();
    const host = byId("plot-gantt");
    const longest = Math.max(...app.traces.map((play) => play.last)); // one scale, so that lengths can be compared
    app.gantts = app.traces.map((play) => new Gantt(host, play, longest));
    if (app.recorded) app.gantts.unshift(new Gantt(host, app.recorded));
    makeTables(app);
    document.documentElement.dataset.ready = "true";
  }, 0);
} else {
  listenToTheme(() => {});
  document.documentElement.dataset.ready = "true";
}
