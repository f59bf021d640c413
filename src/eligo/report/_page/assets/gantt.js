// What runs when, in lanes of workers. Many thousand jobs are drawn on a canvas; as long as they can be told apart,
// neighbours in a lane differ in shade.

const LANE = 16, LEAST_TALL = 60, MOST_TALL = 320, AXIS = 26;

class Gantt {
  /** A chart of an execution, up to its own end, or further to compare it with others. */
  constructor(host, play, until = 0) {
    this.play = play;
    this.until = until;
    this.canvas = element("canvas", { role: "img" });
    this.title = element("p", { class: "chart-title" }, isolated(play.label));
    const root = element("div", {}, this.title, this.canvas);
    host.append(root);
    new ResizeObserver(() => this.draw()).observe(root);
  }

  draw() {
    const { canvas, play } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    const tall = clamp(play.lanes * LANE, LEAST_TALL, MOST_TALL);
    canvas.style.height = `${tall + AXIS}px`;
    canvas.width = width * ratio;
    canvas.height = (tall + AXIS) * ratio;
    const ctx = canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = theme.panel;
    ctx.fillRect(LEFT, 0, width - LEFT, tall);
    const last = play.last || 1;
    const until = Math.max(this.until, last);
    const across = (when) => LEFT + (when / until) * (width - LEFT - RIGHT);
    const busy = this.drawJobs(ctx, across, tall / Math.max(play.lanes, 1), last);
    this.drawAxis(ctx, across, until, width, tall);
    const share = play.lanes ? Math.round((100 * busy) / (play.lanes * last)) : 0;
    const said = `${play.over ? "over after" : "so far"} ${timeText(last, play.seconds)}, ${plural(play.lanes, "lane")} busy for ${share} % of the time`;
    canvas.setAttribute("aria-label", `${play.label}: ${said}`);
    this.title.replaceChildren(isolated(play.label), `: ${said}; shades are levels`);
  }

  /** Draw the jobs, and return for how long lanes were busy in all. */
  drawJobs(ctx, across, lane, last) {
    const { play } = this;
    let busy = 0;
    for (let job = 0; job < jobs.count; job++) {
      if (!(play.start[job] < Infinity) || play.lane[job] < 0) continue;
      const end = Math.min(play.end[job], last);
      busy += end - play.start[job];
      const [from, wide] = [across(play.start[job]), across(end) - across(play.start[job])];
      ctx.fillStyle = play.failed && play.failed[job] ? theme.fill[FAILED] : shades[8 + ((jobs.level[job] * 17) % (STEPS - 16))];
      ctx.fillRect(from, play.lane[job] * lane, Math.max(wide - (wide > 3 ? 0.5 : 0), 0.4), Math.max(lane - (lane > 3 ? 1 : 0), 0.4));
    }
    return busy;
  }

  drawAxis(ctx, across, until, width, tall) {
    const { play } = this;
    ctx.fillStyle = theme.soft;
    ctx.font = `12px ${FONT}`;
    ctx.textBaseline = "top";
    ctx.textAlign = "right";
    ctx.fillText(plural(play.lanes, "lane"), LEFT - 6, tall / 2 - 6);
    ctx.textAlign = "center";
    for (const when of ticks(0, until, Math.max((width - LEFT) / 110, 2), { unit: timeUnit(until, play.seconds) })) {
      ctx.fillText(timeText(when, play.seconds), clamp(across(when), LEFT + 12, width - 30), tall + 6);
    }
  }
}
