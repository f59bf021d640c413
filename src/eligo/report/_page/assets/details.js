// What is known of the chosen job or group. Choosing builds it; steps only change the states in it, so that the focus stays
// where it is, and say nothing aloud.

const MOST_LINKS = 12;

function jobLinks(app, list, count = list.length) {
  const links = Array.from(list.slice(0, MOST_LINKS), (job) => element("button", { type: "button", title: jobs.name[job], onclick: () => app.show(job) }, isolated(jobs.name[job])));
  if (count > MOST_LINKS) links.push(`and ${whole.format(count - MOST_LINKS)} more`);
  return count ? element("span", { class: "links" }, ...links) : "none";
}

function described(rows) {
  return element("dl", {}, ...rows.filter(Boolean).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

class Details {
  constructor(app) {
    this.app = app;
    this.host = byId("details");
    this.spoken = byId("chosen");
    this.states = [];
  }

  /** Show what was chosen. */
  show() {
    const { chosen, chosenGroup } = this.app;
    this.states = [];
    if (chosen < 0 && chosenGroup < 0) this.host.replaceChildren();
    else if (chosen < 0) this.showGroup(chosenGroup);
    else this.showJob(chosen);
    this.update();
    this.spoken.textContent = this.host.firstChild ? `Chosen: ${this.host.firstChild.textContent}. ${this.states.map((state) => state.node.textContent).join("; ")}` : "";
  }

  /** Bring the states up to date. */
  update() {
    for (const { node, text } of this.states) node.textContent = text();
  }

  /** A place for a text that changes with every step. */
  changing(text) {
    const node = element("span");
    this.states.push({ node, text });
    return node;
  }

  showGroup(group) {
    const { app } = this;
    const members = groups.members.of(group);
    const now = () => {
      const counts = app.panes[0].play.counts(group, app.when);
      return STATE_NAMES.map((name, state) => (counts[state] ? `${whole.format(counts[state])} ${name}` : "")).filter(Boolean).join(", ");
    };
    const open = app.open.has(group);
    this.host.replaceChildren(
      element("h3", {}, isolated(groups.name[group]), `: ${plural(members.length, "job")}`),
      described([["now", this.changing(now)], ["jobs", jobLinks(app, members.subarray(0, MOST_LINKS), members.length)]]),
      ...(members.length > 1 ? [element("button", { type: "button", onclick: () => { app.toggleGroup(group); this.host.lastChild.focus(); } }, open ? "Fold" : "Unfold")] : []),
    );
  }

  showJob(job) {
    const { app } = this;
    const peak = jobs.peak ? ["", "runs when the worst peak is reached", "its data are held when the worst peak is reached"][jobs.peak[job]] : "";
    const panes = app.panes.filter((pane) => !pane.root.hidden);
    this.host.replaceChildren(
      element("h3", {}, isolated(jobs.name[job])),
      described([
        ...panes.map((pane) => [pane.play.label, this.changing(() => STATE_NAMES[pane.play.state(job, app.when)])]),
        ["priority", data.strategies.map((each, k) => `${whole.format(app.priority[k][job])} (${each.label})`).join(", ")],
        ["level", whole.format(jobs.level[job] + 1)],
        jobs.time && ["time", secondsText(jobs.time[job])],
        jobs.need && [`${data.memory.resource} while it runs`, sizeText(jobs.need[job])],
        peak && ["worst peak", peak],
        ["waits for", jobLinks(app, parentsOf(job))],
        ["before", jobLinks(app, childrenOf(job))],
      ]),
    );
  }
}
