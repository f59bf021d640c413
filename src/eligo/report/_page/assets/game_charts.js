// The curves below the game, which move along with it.

/** Boxes side by side for charts; returns them. */
function chartBoxes(host, count) {
  const boxes = Array.from({ length: count }, () => element("div"));
  host.replaceChildren(...boxes);
  return boxes;
}

/** One job at a time: E(t), and what is occupied while the job after t others runs. */
function stepCharts(host, shown) {
  const [first, second] = chartBoxes(host, data.memory ? 2 : 1);
  const curves = (name) => shown.map((i) => ({ label: data.strategies[i].label, y: unpack(data.strategies[i][name]), ...curveLook(i) }));
  const charts = [new Chart(first, { title: "ELIGIBLE jobs", across: "jobs executed", up: "ELIGIBLE jobs", curves: curves("profile") })];
  if (data.memory) {
    const { resource } = data.memory;
    charts.push(new Chart(second, { title: capital(resource), across: "jobs executed", up: resource, y: sizeAxis(), lines: memoryLines(), curves: curves("memory") }));
  }
  return charts;
}

/** On workers: the ELIGIBLE jobs that wait for one, and, of simulated executions, what is occupied. */
function timeCharts(host, plays, strategies) {
  const [{ seconds }] = plays;
  const across = seconds ? "time" : "job times";
  const x = timeAxis(Math.max(...plays.map((play) => play.last)), seconds);
  const uses = strategies.filter((i) => data.strategies[i].trace.memory);
  const [first, second] = chartBoxes(host, uses.length ? 2 : 1);
  const charts = [new Chart(first, {
    title: "ELIGIBLE jobs that wait for a worker", across, up: "ELIGIBLE jobs", x,
    curves: plays.map((play, i) => ({ label: play.label, ...eligibleCurve(play), ...curveLook(strategies[i] ?? 0) })),
  })];
  if (uses.length) {
    charts.push(new Chart(second, {
      title: capital(data.memory.resource), across, up: data.memory.resource, x, y: sizeAxis(), lines: memoryLines(),
      curves: uses.map((i) => {
        const { memory, memory_time: time } = data.strategies[i].trace;
        return { label: data.strategies[i].label, x: unpack(time), y: unpack(memory), ...curveLook(i) };
      }),
    }));
  }
  return charts;
}
