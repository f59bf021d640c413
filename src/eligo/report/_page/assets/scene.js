// What stands where. A scene has a box for each job, or for each group of equal jobs; an open group is a box with a cell
// for each of its jobs. Rows and places come with the page; here boxes only move apart where open groups need room.

const JOB_HEIGHT = 26, JOB_GAP = 14, GROUP_WIDTH = 150, GROUP_HEIGHT = 52, BEND_WIDTH = 22;
const CELL = 12, CELL_GAP = 2, OPEN_HEAD = 22, OPEN_PAD = 6;
const TALLEST_OPEN = 60; // cells in a column of an open group
const LEAST_ROW_GAP = 40, MOST_ROW_GAP = 170, ASPECT = 2.4; // rows of a wide drawing move apart until it is so much wider than high
const MOST_LOOSE = 3000; // added edges that are drawn one by one

/** Places that are ascending, keep their distances, and are as near to the wishes as can be (isotonic regression). */
function placeInRow(wishes, widths) {
  const sums = [];
  let offset = 0;
  const offsets = widths.map((width) => { const at = offset + width / 2; offset += width; return at; });
  wishes.forEach((wish, i) => {
    let group = { sum: wish - offsets[i], count: 1 };
    while (sums.length && sums[sums.length - 1].sum / sums[sums.length - 1].count >= group.sum / group.count) {
      const before = sums.pop();
      group = { sum: group.sum + before.sum, count: group.count + before.count };
    }
    sums.push(group);
  });
  const placed = [];
  for (const { sum, count } of sums) for (let k = 0; k < count; k++) placed.push(sum / count + offsets[placed.length]);
  return placed;
}

/** Boxes and arrows of a layered drawing, in units of its own: a pixel at scale 1. */
class Scene {
  /**
   * @param source  where nodes stand (x, row) and the arrows between them (tail, head, bends, bend_x)
   * @param boxes   for each node its width and height, and what it stands for
   * @param unit    how wide a step of x is
   */
  constructor(source, boxes, unit) {
    this.boxes = boxes;
    this.byRow = [];
    this.unit = unit;
    this.source = source;
    this.place();
    this.paths();
    this.bounds = this.findBounds();
  }

  /** Give each box its place: rows below each other, in a row as near to the wish as the neighbours allow. */
  place() {
    const { source, boxes, unit } = this;
    const rows = [];
    const at = (row) => (rows[row] ||= []);
    boxes.forEach((box, i) => at(source.row[i]).push({ wish: source.x[i] * unit, width: box.w + JOB_GAP, box }));
    this.bends = [];
    let bend = 0;
    for (let e = 0; e < source.tail.length; e++) {
      const passed = [];
      for (let k = 0; k < source.bends[e]; k++, bend++) {
        const row = source.row[source.tail[e]] + 1 + k;
        const point = { x: 0, row };
        at(row).push({ wish: source.bend_x[bend] * unit, width: BEND_WIDTH, bend: point });
        passed.push(point);
      }
      this.bends.push(passed);
    }
    this.rowTop = [];
    this.rowBottom = [];
    const wide = unit * source.x.reduce((most, x) => Math.max(most, x), 0);
    const gap = clamp(wide / (ASPECT * rows.length) - JOB_HEIGHT, LEAST_ROW_GAP, MOST_ROW_GAP);
    let y = 0;
    for (let row = 0; row < rows.length; row++) {
      const here = (rows[row] || []).sort((a, b) => a.wish - b.wish);
      const tall = Math.max(JOB_HEIGHT, ...here.map((one) => (one.box ? one.box.h : 0)));
      placeInRow(here.map((one) => one.wish), here.map((one) => one.width)).forEach((x, i) => {
        if (here[i].bend) here[i].bend.x = x;
        else Object.assign(here[i].box, { x, y: y + tall / 2, row });
      });
      this.byRow[row] = here.filter((one) => one.box).map((one) => one.box);
      this.rowTop[row] = y;
      this.rowBottom[row] = y + tall;
      y += tall + gap;
    }
  }

  /** Arrows between boxes as paths: thicker where they stand for more edges. */
  paths() {
    const { source, boxes } = this;
    const byWidth = new Map();
    for (let e = 0; e < source.tail.length; e++) {
      const from = boxes[source.tail[e]];
      const to = boxes[source.head[e]];
      const width = source.edges && source.edges[e] > 1 ? Math.min(1 + Math.log10(source.edges[e]), 4) : 1;
      const key = Math.round(width * 2) / 2;
      if (!byWidth.has(key)) byWidth.set(key, new Path2D());
      this.addArrow(byWidth.get(key), from, this.bends[e], to);
    }
    this.arrows = byWidth;
  }

  addArrow(path, from, bends, to) {
    let x = from.x;
    let y = from.y + from.h / 2;
    path.moveTo(x, y);
    const curve = (toX, toY) => {
      const middle = (y + toY) / 2;
      if (toX === x) path.lineTo(toX, toY);
      else path.bezierCurveTo(x, middle, toX, middle, toX, toY);
      x = toX;
      y = toY;
    };
    for (const bend of bends) {
      curve(bend.x, this.rowTop[bend.row]);
      curve(bend.x, this.rowBottom[bend.row]);
    }
    curve(to.x, to.y - to.h / 2);
  }

  findBounds() {
    let left = 0, right = 1, bottom = 1;
    for (const box of this.boxes) {
      left = Math.min(left, box.x - box.w / 2);
      right = Math.max(right, box.x + box.w / 2);
      bottom = Math.max(bottom, box.y + box.h / 2);
    }
    return { left, top: 0, right, bottom };
  }

  /** The middle and the size of what shows a job: its box, its cell, or the box of its group. */
  rectOf(job) {
    const box = this.boxOf(job);
    if (!box.open) return box;
    const k = countUpTo(groups.members.of(box.group), job) - 1;
    return {
      x: box.x - box.w / 2 + OPEN_PAD + (Math.floor(k / box.tall) + 0.5) * CELL,
      y: box.y - box.h / 2 + OPEN_HEAD + ((k % box.tall) + 0.5) * CELL,
      w: CELL - CELL_GAP,
      h: CELL - CELL_GAP,
    };
  }

  /** What is at a place: a box, and which job of it. */
  pick(x, y) {
    for (const box of this.boxes) {
      if (Math.abs(x - box.x) > box.w / 2 || Math.abs(y - box.y) > box.h / 2) continue;
      if (!box.open) return { box, job: box.job };
      const column = Math.floor((x - (box.x - box.w / 2) - OPEN_PAD) / CELL);
      const row = Math.floor((y - (box.y - box.h / 2) - OPEN_HEAD) / CELL);
      const k = column * box.tall + row;
      const members = groups.members.of(box.group);
      const inside = column >= 0 && row >= 0 && row < box.tall && k < members.length;
      return { box, job: inside ? members[k] : -1 };
    }
    return null;
  }

  /** Arrows that a limit added, between what shows their jobs; many between the same boxes are one. */
  addedArrows() {
    if (this.added) return this.added;
    const loose = edges.added.length <= MOST_LOOSE;
    const seen = new Map();
    for (const edge of edges.added) {
      const tail = edges.tail[edge];
      const head = edges.head[edge];
      const [from, to] = loose ? [this.rectOf(tail), this.rectOf(head)] : [this.boxOf(tail), this.boxOf(head)];
      const key = `${from.x},${from.y},${to.x},${to.y}`;
      const one = seen.get(key);
      if (one) one.count++;
      else seen.set(key, { from, to, count: 1 });
    }
    this.added = [...seen.values()];
    return this.added;
  }
}

/** A box for each job. */
class JobScene extends Scene {
  constructor() {
    let longest = 0;
    for (const name of jobs.name) longest = Math.max(longest, Math.min(name.length, 16));
    const wide = jobs.count > 2000 ? JOB_HEIGHT : clamp(longest * 7 + 12, JOB_HEIGHT, 124);
    const boxes = jobs.name.map((name, job) => ({ w: wide, h: JOB_HEIGHT, job, group: -1, label: name }));
    const layout = data.layout;
    const plain = (values) => values.filter((_, edge) => !edges.isAdded[edge]);
    super(
      { x: unpack(layout.x), row: unpack(layout.row), bends: unpack(layout.bends), bend_x: unpack(layout.bend_x), tail: plain(edges.tail), head: plain(edges.head) },
      boxes,
      wide + JOB_GAP,
    );
  }

  boxOf(job) { return this.boxes[job]; }
}

/** A box for each group of equal jobs, some of them open. */
class GroupScene extends Scene {
  constructor(open) {
    const layout = data.groups;
    const boxes = groups.name.map((name, group) => {
      const members = groups.members.of(group);
      if (members.length === 1) return { w: GROUP_WIDTH, h: JOB_HEIGHT, job: members[0], group, label: name };
      if (!open.has(group)) return { w: GROUP_WIDTH, h: GROUP_HEIGHT, job: -1, group, label: name, count: members.length };
      const tall = Math.min(Math.ceil(Math.sqrt(members.length / 2)), TALLEST_OPEN);
      const wide = Math.ceil(members.length / tall);
      return {
        w: Math.max(wide * CELL + 2 * OPEN_PAD, GROUP_WIDTH), h: tall * CELL + OPEN_HEAD + OPEN_PAD,
        job: -1, group, label: name, count: members.length, open: true, tall,
      };
    });
    super(
      { x: unpack(layout.x), row: unpack(layout.row), bends: unpack(layout.bends), bend_x: unpack(layout.bend_x), tail: unpack(layout.tail), head: unpack(layout.head), edges: unpack(layout.edges) },
      boxes,
      GROUP_WIDTH + JOB_GAP,
    );
  }

  boxOf(job) { return this.boxes[jobs.group[job]]; }
}
