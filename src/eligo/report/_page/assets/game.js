// The slider, the buttons, and what moves along with them. A position is a step (one job at a time), or one of the
// moments at which something happens (on workers, in a run).

class Game {
  constructor(app) {
    this.app = app;
    this.slider = byId("position");
    this.mode = byId("mode");
    this.charts = [];
    this.playing = 0;
    this.mode.replaceChildren(...app.modes.map((mode, i) => element("option", { value: i }, mode.title)));
    this.mode.addEventListener("change", () => app.setMode(Number(this.mode.value)));
    this.slider.addEventListener("input", () => { this.pause(); this.go(Number(this.slider.value)); });
    byId("to-start").addEventListener("click", () => { this.pause(); this.go(0); });
    byId("to-end").addEventListener("click", () => { this.pause(); this.go(this.last); });
    byId("step-back").addEventListener("click", () => this.step(-1));
    byId("step-forward").addEventListener("click", () => this.step(1));
    byId("play").addEventListener("click", () => this.toggle());
    this.tellSoon = onceAFrame(() => this.tell());
  }

  /** Take over a way to play: its moments and its charts. */
  setMode(mode) {
    this.pause();
    this.moments = mode.moments();
    this.last = this.moments ? this.moments.length - 1 : jobs.count;
    this.slider.max = this.last;
    this.drawCharts(mode);
    this.go(mode.atEnd ? this.last : 0);
  }

  drawCharts(mode) {
    this.charts = mode.charts(byId("game-charts"));
  }

  /** The run has gone on: there are more moments, and the charts go further. */
  extend(moments, mode) {
    const following = this.position === this.last;
    const { when } = this;
    this.moments = moments;
    this.last = moments.length - 1;
    this.slider.max = this.last;
    if (mode) this.drawCharts(mode);
    this.go(following ? this.last : countUpTo(moments, when) - 1); // news may come late: the moment counts, not its number
  }

  get when() { return this.moments ? this.moments[this.position] : this.position; }

  go(position) {
    this.position = clamp(Math.round(position), 0, this.last);
    this.slider.value = this.position;
    this.app.moved();
    for (const chart of this.charts) chart.moveTo(this.when);
    this.tellSoon();
  }

  step(by) {
    this.pause();
    this.go(this.position + by);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Play: at speed 1 a long schedule takes about twenty seconds, a short one goes by four steps a second. */
  play() {
    if (this.position >= this.last) this.go(0);
    byId("play").setAttribute("aria-pressed", "true");
    byId("play").textContent = "❚❚ pause";
    const aSecond = () => Math.max(this.last / 20, Math.min(4, this.last / 4)) * Number(byId("speed").value);
    let exact = this.position;
    let before = performance.now();
    const next = (now) => {
      if (!this.playing) return;
      exact = Math.min(exact + ((now - before) / 1000) * aSecond(), this.last);
      before = now;
      if (Math.floor(exact) !== this.position) this.go(Math.floor(exact));
      if (this.position >= this.last) this.pause();
      else this.playing = requestAnimationFrame(next);
    };
    this.playing = requestAnimationFrame(next);
  }

  pause() {
    if (this.playing) this.tellSoon();
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    byId("play").setAttribute("aria-pressed", "false");
    byId("play").textContent = "▶ play";
  }

  /** One job at a time: which one runs now; -1 at the end, or where several may. */
  runningNow(play) {
    return !this.moments && this.position < this.last ? play.order[this.position] : -1;
  }

  /** How many jobs are in each state now. One at a time, the one that runs counts as ELIGIBLE, as in the theory. */
  countsText(play) {
    const [, eligible, running, executed, failed] = play.counts(-1, this.when);
    const parts = [`${whole.format(executed)} executed`];
    if (this.moments) parts.push(`${whole.format(running)} running`, `${whole.format(eligible)} ELIGIBLE`);
    else parts.push(`${whole.format(eligible + running)} ELIGIBLE`);
    if (failed) parts.push(`${whole.format(failed)} failed`);
    return parts.join(", ");
  }

  /** Say where we are; while it plays only to those who look, or a screen reader would never stop. */
  tell() {
    const { panes } = this.app;
    const at = this.moments ? `After ${timeText(this.when, panes[0].play.seconds)}` : `Step ${whole.format(this.position)} of ${whole.format(this.last)}`;
    const said = panes.filter((pane) => !pane.root.hidden).map((pane) => {
      const now = this.runningNow(pane.play);
      const who = now >= 0 ? `; \u2068${shorten(jobs.name[now], 40)}\u2069 runs` : "";
      return `${pane.play.label}: ${this.countsText(pane.play)}${who}`;
    });
    const text = `${at}. ${said.join(". ")}.`;
    byId("where").setAttribute("aria-live", this.playing || this.app.mode.live ? "off" : "polite");
    byId("where").textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
  }
}

/** All moments at which something happens in some executions. */
function momentsOf(plays) {
  const all = [0];
  for (const play of plays) for (const times of [play.start, play.end]) for (const when of times) if (when < Infinity && when > 0) all.push(when);
  const sorted = Float64Array.from(all).sort();
  return sorted.filter((when, i) => !i || when !== sorted[i - 1]);
}
