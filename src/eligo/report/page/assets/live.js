// A run as it goes on: the server tells what happens, and the page follows unless somebody looks back.

const DONE = 2, LOST = 3;

class Live {
  constructor(app, play) {
    this.app = app;
    this.play = play;
    this.refresh = onceAFrame(() => this.show());
    this.over = null;
    this.now = 0;
    const source = this.source = new EventSource(`events${location.search}`);
    source.addEventListener("snapshot", (event) => this.begin(JSON.parse(event.data)));
    source.addEventListener("change", (event) => this.change(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      if (!this.over) byId("live-text").textContent = "The run cannot be reached: it has ended, or was left. This page shows what was known last.";
    });
  }

  begin(state) {
    for (let job = 0; job < jobs.count; job++) this.take(job, state.status[job], state.start_s[job], state.end_s[job]);
    byId("live-notes").replaceChildren();
    this.told(state);
  }

  change(state) {
    for (const [job, status, start, end] of state.jobs) this.take(job, status, start, end);
    this.told(state);
  }

  take(job, status, start, end) {
    const { play } = this;
    play.start[job] = status >= 1 ? start ?? 0 : Infinity;
    play.end[job] = status >= DONE ? end ?? play.start[job] : Infinity;
    play.failed[job] = status === LOST ? 1 : 0;
  }

  told(state) {
    this.now = state.now_s;
    if (state.over) {
      this.over = state.over;
      this.source.close(); // or the browser would ask a server that has gone for ever
    }
    const list = byId("live-notes");
    for (const note of state.notes) list.append(element("li", {}, isolated(note)));
    while (list.children.length > 200) list.firstChild.remove();
    this.refresh();
  }

  show() {
    const { play, app } = this;
    play.refresh();
    const [waiting, eligible, running, executed, failed] = this.counts();
    const parts = [`${whole.format(executed)} of ${plural(jobs.count, "job")} done`, `${whole.format(running)} running`, `${whole.format(eligible)} ELIGIBLE`, `${whole.format(waiting)} waiting`];
    if (failed) parts.push(`${whole.format(failed)} failed`);
    byId("live-text").textContent = `${this.over ? `${this.over.text} ` : `After ${timeText(this.now)}: `}${parts.join(", ")}.`;
    const bar = byId("live-bar");
    bar.setAttribute("aria-label", parts.join(", "));
    bar.replaceChildren(...[["executed", executed], ["failed", failed], ["running", running], ["eligible", eligible]].map(([name, count]) => {
      const part = element("div", { class: name });
      part.style.width = `${(100 * count) / jobs.count}%`;
      return part;
    }));
    app.liveChanged();
  }

  counts() {
    const { play } = this;
    const counts = [0, 0, 0, 0, 0];
    for (let job = 0; job < jobs.count; job++) counts[play.state(job, Number.MAX_VALUE)]++;
    return counts;
  }
}
