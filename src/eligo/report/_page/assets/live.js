// A run as it goes on: the server tells what happens, and the page follows unless somebody looks back.

const STARTED = 1, DONE = 2, LOST = 3;
const SPOKEN_EVERY_MS = 10000, CHARTS_EVERY_MS = 1000, RETRY_MS = 3000, MOST_NOTES = 200;

class Live {
  constructor(app, play) {
    this.app = app;
    this.play = play;
    play.lane = new Int32Array(jobs.count).fill(-1);
    play.lanes = 0;
    play.over = false;
    this.refresh = onceAFrame(() => this.show());
    this.over = null;
    this.now = 0;
    this.heard = performance.now();
    this.spoken = this.drawn = 0;
    setInterval(() => { if (!this.over) this.tell(); }, 1000);
    this.connect();
  }

  connect() {
    this.source = new EventSource(`events${location.search}`);
    this.source.addEventListener("snapshot", (event) => this.begin(JSON.parse(event.data)));
    this.source.addEventListener("change", (event) => this.change(JSON.parse(event.data)));
    this.source.addEventListener("error", () => {
      if (this.over) return;
      this.lost = true;
      this.tell();
      // A browser tries again by itself, unless the server refused: then there may be room later.
      if (this.source.readyState === EventSource.CLOSED) setTimeout(() => this.connect(), RETRY_MS);
    });
  }

  begin(state) {
    for (let job = 0; job < jobs.count; job++) this.take(job, state.status[job], state.start_s[job], state.end_s[job], state.worker[job]);
    byId("live-notes").replaceChildren();
    this.told(state);
  }

  change(state) {
    for (const row of state.jobs) this.take(...row);
    this.told(state);
  }

  take(job, status, start, end, worker) {
    const { play } = this;
    play.start[job] = status >= STARTED ? start ?? 0 : Infinity;
    play.end[job] = status >= DONE ? end ?? play.start[job] : Infinity;
    play.failed[job] = status === LOST ? 1 : 0;
    play.lane[job] = status >= STARTED ? worker : -1;
    if (worker >= play.lanes) play.lanes = worker + 1;
  }

  told(state) {
    this.lost = false;
    this.now = state.now_s;
    this.heard = performance.now();
    if (state.over) {
      this.over = state.over;
      this.play.over = true;
      this.source.close(); // or the browser would ask a server that has gone, for ever
    }
    const list = byId("live-notes");
    for (const note of state.notes) list.append(element("li", {}, isolated(note)));
    while (list.children.length > MOST_NOTES) list.firstChild.remove();
    this.refresh();
  }

  show() {
    this.play.refresh();
    const counts = this.play.counts(-1, Number.MAX_VALUE);
    const [waiting, eligible, running, executed, failed] = counts;
    const parts = [`${whole.format(executed)} of ${plural(jobs.count, "job")} done`, `${whole.format(running)} running`, `${whole.format(eligible)} ELIGIBLE`, `${whole.format(waiting)} waiting`];
    if (failed) parts.push(`${whole.format(failed)} failed`);
    this.text = parts.join(", ");
    const bar = byId("live-bar");
    bar.setAttribute("aria-label", this.text);
    bar.replaceChildren(...[["executed", executed], ["failed", failed], ["running", running], ["eligible", eligible]].map(([name, count]) => {
      const part = element("div", { class: name });
      part.style.width = `${(100 * count) / jobs.count}%`;
      return part;
    }));
    this.tell();
    this.follow();
  }

  /** Let slider, charts and Gantt go on; the charts not too often, but surely at the end. */
  follow() {
    const due = this.over || performance.now() - this.drawn > CHARTS_EVERY_MS;
    if (due) this.drawn = performance.now();
    this.app.liveChanged(due);
    clearTimeout(this.later);
    if (!due) this.later = setTimeout(() => this.follow(), CHARTS_EVERY_MS);
  }

  /** Say where the run stands: to those who look each second, aloud less often. */
  tell() {
    const now = this.now + (this.over ? 0 : (performance.now() - this.heard) / 1000);
    let text = this.over ? `${this.over.text} ${this.text}.` : this.text ? `After ${secondsText(Math.floor(now))}: ${this.text}.` : "Connecting to the run…";
    if (this.lost) text = `The run does not answer: it may have ended. Trying again. Last known: ${this.text || "nothing"}.`;
    byId("live-text").textContent = text;
    if (!this.over && performance.now() - this.spoken < SPOKEN_EVERY_MS) return;
    this.spoken = performance.now();
    byId("live-spoken").textContent = text;
  }
}
