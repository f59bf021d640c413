// What runs when, in lanes of workers. Many thousand jobs are drawn on a canvas; as long as they can be told apart,
// neighbours in a lane differ in shade.

class Gantt {
  constructor(host, play, until) {
    this.play = play;
    this.until = until || play.last || 1;
    this.canvas = element("canvas", { role: "img" });
    this.title = element("p", { class: "chart-title" }, isolated(play.label));
    const root = element("div", {}, this.title, this.canvas);
    host.append(root);
    this.height = clamp(play.lanes * 16, 60, 320);
    this.canvas.style.height = `${this.height + 26}px`;
    new ResizeObserver(() => this.draw()).observe(root);
  }

  draw() {
    const { canvas, play, height } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = (height + 26) * ratio;
    const ctx = canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = theme.panel;
    ctx.fillRect(LEFT, 0, width - LEFT, height);
    const last = play.last || 1;
    const sx = (when) => LEFT + (when / this.until) * (width - LEFT - RIGHT);
    const lane = height / Math.max(play.lanes, 1);
    let busy = 0;
    for (let job = 0; job < jobs.count; job++) {
      if (!(play.start[job] < Infinity)) continue;
      const end = Math.min(play.end[job], last);
      busy += end - play.start[job];
      const wide = sx(end) - sx(play.start[job]);
      ctx.fillStyle = play.failed && play.failed[job] ? theme.fill[FAILED] : shades[8 + ((jobs.level[job] * 17) % (STEPS - 16))];
      ctx.fillRect(sx(play.start[job]), play.lane[job] * lane, Math.max(wide - (wide > 3 ? 0.5 : 0), 0.4), Math.max(lane - (lane > 3 ? 1 : 0), 0.4));
    }
    ctx.fillStyle = theme.soft;
    ctx.font = `12px ${FONT}`;
    ctx.textBaseline = "top";
    ctx.textAlign = "right";
    ctx.fillText(plural(play.lanes, "lane"), LEFT - 6, height / 2 - 6);
    ctx.textAlign = "center";
    for (const when of ticks(0, this.until, Math.max((width - LEFT) / 110, 2))) ctx.fillText(timeText(when), clamp(sx(when), LEFT + 12, width - 30), height + 6);
    const share = play.lanes ? Math.round((100 * busy) / (play.lanes * last)) : 0;
    canvas.setAttribute("aria-label", `${play.label}: ${plural(play.lanes, "lane")}, over after ${timeText(last)}, busy for ${share} % of the time`);
    this.title.replaceChildren(isolated(play.label), `: over after ${timeText(last)}, ${plural(play.lanes, "lane")} busy for ${share} % of the time; shades are levels`);
  }
}
