// One drawing of the workflow, showing one execution, with mouse, touch and keys.

class Pane {
  constructor(app, index) {
    this.app = app;
    this.below = element("canvas", { "aria-hidden": "true" });
    this.above = element("canvas", { "aria-hidden": "true" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.stage = element(
      "div",
      { class: "stage", tabindex: "0", role: "application", "aria-roledescription": "drawing of the workflow", "aria-label": "Drawing of the workflow; its keys are told below" },
      this.below, this.above, this.tip,
    );
    this.select = element("select", { "aria-label": index ? "Strategy on the right" : "Strategy on the left", onchange: () => app.showStrategy(index, Number(this.select.value)) });
    this.title = element("strong");
    this.counts = element("span", { class: "counts" });
    this.root = element("div", { class: "pane" }, element("div", { class: "pane-head" }, this.title, this.select, this.counts), this.stage);
    this.painter = new Painter(this.below, this.above);
    this.shading = null;
    this.repaint = onceAFrame(() => this.paint(true));
    this.restate = onceAFrame(() => this.paint(false));
    app.camera.listeners.push(this.repaint);
    this.listen();
    new ResizeObserver(() => { if (this.measure()) this.app.sized(this); }).observe(this.stage);
  }

  /** Take the size of the stage; return whether it changed. */
  measure() {
    const { clientWidth, clientHeight } = this.stage;
    return clientWidth > 0 && this.painter.resize(clientWidth, clientHeight);
  }

  get width() { return this.stage.clientWidth; }
  get height() { return this.stage.clientHeight; }

  /** Show an execution. */
  show(play, choices, chosen) {
    this.play = play;
    this.title.textContent = choices.length > 2 ? "" : play.label;
    this.title.hidden = choices.length > 2;
    this.select.hidden = choices.length <= 2;
    this.select.replaceChildren(...choices.map((label, i) => element("option", { value: i, selected: i === chosen }, label)));
    this.recolour();
  }

  recolour() {
    this.shading = shadingOf(this.app.colour, this.play);
    this.repaint();
  }

  paint(all) {
    if (!this.play || !this.painter.width) return;
    const { scene, camera, chosen, chosenGroup, marked, when } = this.app;
    if (all) this.painter.paintArrows(scene, camera, chosen);
    this.painter.paintBoxes(scene, camera, { play: this.play, when, shading: this.shading, marked, chosen, chosenGroup });
    this.counts.textContent = this.app.game.countsText(this.play);
  }

  /** The place in the scene that an event points to. */
  place(event) {
    const box = this.stage.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const { camera } = this.app;
    return { px, py, x: (px - camera.x) / camera.scale, y: (py - camera.y) / camera.scale };
  }

  listen() {
    const { stage } = this;
    this.pointers = new Map();
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (event) => this.release(event));
    stage.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== stage) return; // the page scrolls until the drawing is in use
      event.preventDefault();
      const { px, py } = this.place(event);
      this.app.camera.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), px, py);
    }, { passive: false });
    stage.addEventListener("dblclick", (event) => {
      const { x, y } = this.place(event);
      const hit = this.app.scene.pick(x, y);
      if (hit && hit.box.group >= 0) this.app.toggleGroup(hit.box.group);
    });
    stage.addEventListener("keydown", (event) => this.key(event));
  }

  press(event) {
    this.stage.focus({ preventScroll: true });
    this.stage.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) { this.point(event); return; }
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const far = (at) => Math.hypot(at.x - other.x, at.y - other.y) || 1;
      const box = this.stage.getBoundingClientRect();
      const factor = far({ x: event.clientX, y: event.clientY }) / far(before);
      this.app.camera.zoom(factor, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
    } else if (this.moved > 3) {
      this.stage.classList.add("dragged");
      this.app.camera.move(dx, dy);
    }
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  release(event) {
    const pressed = this.pointers.delete(event.pointerId);
    this.stage.classList.remove("dragged");
    if (!pressed || this.moved > 3 || event.type === "pointercancel") return;
    const { x, y } = this.place(event);
    const hit = this.app.scene.pick(x, y);
    if (!hit) this.app.choose(-1);
    else if (hit.job >= 0) this.app.choose(hit.job);
    else this.app.chooseGroup(hit.box.group);
  }

  /** Tell what the mouse is over. */
  point(event) {
    const { px, py, x, y } = this.place(event);
    const hit = this.app.scene.pick(x, y);
    this.tip.hidden = !hit;
    if (!hit) return;
    const state = hit.job >= 0 ? `: ${STATE_NAMES[this.play.state(hit.job, this.app.when)]}` : `: ${plural(hit.box.count, "job")}`;
    this.tip.replaceChildren(isolated(hit.job >= 0 ? jobs.name[hit.job] : hit.box.label), state);
    this.tip.style.left = `${clamp(px + 12, 0, Math.max(this.width - 200, 0))}px`;
    this.tip.style.top = `${clamp(py + 14, 0, Math.max(this.height - 40, 0))}px`;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { app } = this;
    const far = 60;
    const zoom = (factor) => app.camera.zoom(factor, this.width / 2, this.height / 2);
    const actions = {
      ArrowLeft: () => app.camera.move(far, 0), ArrowRight: () => app.camera.move(-far, 0),
      ArrowUp: () => app.camera.move(0, far), ArrowDown: () => app.camera.move(0, -far),
      "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), f: () => app.fit(),
      n: () => app.neighbour(1), p: () => app.neighbour(-1), c: () => app.follow(childrenOf), a: () => app.follow(parentsOf),
      Enter: () => app.toggleChosen(), Escape: () => app.choose(-1), " ": () => app.game.toggle(),
      ",": () => app.game.step(-1), ".": () => app.game.step(1),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
