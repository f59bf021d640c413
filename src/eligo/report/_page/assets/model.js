// The workflow and its executions. An execution is three times for each job: since when it was ELIGIBLE, when it started,
// when it ended. From these the state at any moment follows at once, so that a slider can go anywhere without playing.

const WAITING = 0, ELIGIBLE = 1, RUNNING = 2, EXECUTED = 3, FAILED = 4;
const STATE_NAMES = ["waiting", "ELIGIBLE", "running", "EXECUTED", "failed"];

const jobs = {
  count: data.jobs.name.length,
  name: data.jobs.name,
  level: unpack(data.jobs.level),
  group: unpack(data.jobs.group),
  time: unpack(data.jobs.time_s),
  need: unpack(data.jobs.need),
  peak: unpack(data.jobs.peak),
};

const edges = { head: unpack(data.edges.head), added: unpack(data.edges.added) };
edges.count = edges.head.length;
edges.tail = new Int32Array(edges.count);
unpack(data.edges.first).forEach((first, job, all) => edges.tail.fill(job, first, all[job + 1] ?? first));
edges.isAdded = new Uint8Array(edges.count);
for (const edge of edges.added) edges.isAdded[edge] = 1;

const groups = { count: data.groups.name.length, name: data.groups.name, members: grouped(jobs.group, data.groups.name.length) };

// What a folded group shows of the worst peak: that one of its jobs runs then, else that data of one are held.
groups.peak = new Uint8Array(groups.count);
if (jobs.peak) {
  jobs.peak.forEach((kind, job) => {
    const shown = groups.peak[jobs.group[job]];
    if (kind && (!shown || kind < shown)) groups.peak[jobs.group[job]] = kind;
  });
}

const outgoing = grouped(edges.tail, jobs.count);
const incoming = grouped(edges.head, jobs.count);
const childrenOf = (job) => Array.from(outgoing.of(job), (edge) => edges.head[edge]);
const parentsOf = (job) => Array.from(incoming.of(job), (edge) => edges.tail[edge]);

/** An execution: when each job became ELIGIBLE, started and ended; times are Infinity for what never happens. */
class Play {
  constructor(label, start, end, failed = null, seconds = data.in_seconds) {
    this.label = label;
    this.seconds = seconds;
    this.over = true; // whether nothing more will happen in it
    this.start = start;
    this.end = end;
    this.failed = failed;
    this.ready = new Float64Array(jobs.count);
    this.refresh();
  }

  /** Find out anew when jobs became ELIGIBLE, after starts or ends have changed. */
  refresh() {
    const { ready, end, failed } = this;
    ready.fill(-Infinity);
    for (let e = 0; e < edges.count; e++) {
      const tail = edges.tail[e];
      const when = failed && failed[tail] ? Infinity : end[tail];
      if (when > ready[edges.head[e]]) ready[edges.head[e]] = when;
    }
    this.sorted = null;
  }

  /** The state of a job at a moment. */
  state(job, when) {
    if (this.end[job] <= when) return this.failed && this.failed[job] ? FAILED : EXECUTED;
    if (this.start[job] <= when) return RUNNING;
    return this.ready[job] <= when ? ELIGIBLE : WAITING;
  }

  /** How many of a group (or of all jobs, for -1) are in each state at a moment. */
  counts(group, when) {
    if (!this.sorted) this.sorted = new Map();
    let times = this.sorted.get(group);
    if (!times) {
      const members = group < 0 ? null : groups.members.of(group);
      const pick = (values) => (members ? Float64Array.from(members, (job) => values[job]) : Float64Array.from(values)).sort();
      times = { ready: pick(this.firstReady()), start: pick(this.start), end: pick(this.end) };
      times.failed = this.failed
        ? Float64Array.from((members || this.failed.map((_, job) => job)), (job) => (this.failed[job] ? this.end[job] : Infinity)).sort()
        : null;
      this.sorted.set(group, times);
    }
    const end = countUpTo(times.end, when);
    const start = countUpTo(times.start, when);
    const ready = countUpTo(times.ready, when);
    const failed = times.failed ? countUpTo(times.failed, when) : 0;
    return [times.end.length - Math.max(ready, start), Math.max(ready - start, 0), start - end, end - failed, failed];
  }

  /** Since when each job counts as ELIGIBLE: by clocks that differ, one may start before its parents end. */
  firstReady() {
    return this.ready.map((when, job) => Math.min(when, this.start[job]));
  }

  /** When the last thing happens. */
  get last() {
    let last = 0;
    for (const times of [this.start, this.end]) for (const when of times) if (when < Infinity && when > last) last = when;
    return last;
  }
}

/** One job after the other: the i-th of an order runs from i to i + 1. */
function playOfOrder(strategy) {
  const order = unpack(strategy.order);
  const start = new Float64Array(jobs.count);
  for (let i = 0; i < order.length; i++) start[order[i]] = i;
  const play = new Play(strategy.label, start, start.map((when) => when + 1));
  play.order = order;
  return play;
}

/** What ran when, on workers. */
function playOfTrace(label, trace, status = null) {
  const known = (values) => Float64Array.from(unpack(values), (when) => (Number.isNaN(when) ? Infinity : when));
  const [start, end] = [known(trace.start), known(trace.end)];
  // What was done before anybody looked has no times: it is done from the beginning.
  if (status) status.forEach((one, job) => { if (one >= 2 && start[job] === Infinity) start[job] = end[job] = 0; });
  const play = new Play(label, start, end, status && status.map((one) => (one === 3 ? 1 : 0)), Boolean(status) || data.in_seconds);
  play.lane = unpack(trace.lane);
  play.lanes = trace.lanes;
  return play;
}

/** A curve of steps: values that hold from their times on. */
function eligibleCurve(play) {
  const ready = play.firstReady().filter((when) => when < Infinity).sort();
  const start = play.start.filter((when) => when < Infinity).sort();
  const x = [0];
  const y = [0];
  let i = 0;
  let j = 0;
  while (i < ready.length || j < start.length) {
    const when = Math.max(Math.min(i < ready.length ? ready[i] : Infinity, j < start.length ? start[j] : Infinity), 0);
    while (i < ready.length && ready[i] <= when) i++;
    while (j < start.length && start[j] <= when) j++;
    if (when === x[x.length - 1]) y[y.length - 1] = i - j;
    else { x.push(when); y.push(i - j); }
  }
  x.push(Math.max(play.last, x[x.length - 1]));
  y.push(i - j);
  return { x, y };
}
