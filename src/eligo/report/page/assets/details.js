// What is known of the chosen job or group.

const MOST_LINKS = 12;

function jobLinks(app, list) {
  const links = list.slice(0, MOST_LINKS).map((job) => element("button", { type: "button", title: jobs.name[job], onclick: () => app.show(job) }, isolated(jobs.name[job])));
  if (list.length > MOST_LINKS) links.push(`and ${whole.format(list.length - MOST_LINKS)} more`);
  return list.length ? element("span", { class: "links" }, ...links) : "none";
}

function described(rows) {
  return element("dl", {}, ...rows.filter(Boolean).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function showDetails(app) {
  const host = byId("details");
  const { chosen, chosenGroup } = app;
  if (chosen < 0 && chosenGroup < 0) { host.replaceChildren(); return; }
  if (chosen < 0) {
    const members = groups.members.of(chosenGroup);
    const counts = app.panes[0].play.counts(chosenGroup, app.when);
    host.replaceChildren(
      element("h3", {}, isolated(groups.name[chosenGroup]), `: ${plural(members.length, "equal job")}`),
      described([
        ["now", STATE_NAMES.map((name, state) => (counts[state] ? `${whole.format(counts[state])} ${name}` : "")).filter(Boolean).join(", ")],
        ["jobs", jobLinks(app, Array.from(members.subarray(0, MOST_LINKS + 1)))],
      ]),
      element("button", { type: "button", onclick: () => app.toggleGroup(chosenGroup) }, app.open.has(chosenGroup) ? "Fold" : "Unfold"),
    );
    return;
  }
  const peak = jobs.peak ? ["", "runs when the worst peak is reached", "its data are held when the worst peak is reached"][jobs.peak[chosen]] : "";
  host.replaceChildren(
    element("h3", {}, isolated(jobs.name[chosen])),
    described([
      ...app.panes.filter((pane) => !pane.root.hidden).map((pane) => [pane.play.label, STATE_NAMES[pane.play.state(chosen, app.when)]]),
      ["priority", data.strategies.map((each, k) => `${whole.format(app.priority[k][chosen])} (${each.label})`).join(", ")],
      ["level", whole.format(jobs.level[chosen] + 1)],
      jobs.time && ["time", timeText(jobs.time[chosen])],
      jobs.need && [`${data.memory.resource} while it runs`, sizeText(jobs.need[chosen])],
      peak && ["worst peak", peak],
      ["waits for", jobLinks(app, parentsOf(chosen))],
      ["before", jobLinks(app, childrenOf(chosen))],
    ]),
  );
}
