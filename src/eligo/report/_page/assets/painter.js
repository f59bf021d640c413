// Draws a scene on two layers: arrows, which change only with the place one looks from, and boxes with their states,
// which change with every step.

const LABELLED = 38; // pixels that a box must be wide to carry its name
const DOTTED = 8; // pixels below which the cells of an open group are dots without rims and marks
const MARKED = 6; // pixels that a job must be wide to carry a mark
const SMALL_BOX = 7; // pixels below which a job is drawn without rim, name and marks
const FONT = 'system-ui, "DejaVu Sans", sans-serif';

class Painter {
  constructor(below, above) {
    this.below = below;
    this.above = above;
    this.dots = new Map();
  }

  /** Fit the layers to the size of the stage; return whether that changed anything. */
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.below.width === w && this.below.height === h) return false;
    for (const layer of [this.below, this.above]) { layer.width = w; layer.height = h; }
    this.width = width;
    this.height = height;
    return true;
  }

  begin(layer, camera) {
    const ratio = window.devicePixelRatio || 1;
    const ctx = layer.getContext("2d");
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, layer.width, layer.height);
    ctx.setTransform(camera.scale * ratio, 0, 0, camera.scale * ratio, camera.x * ratio, camera.y * ratio);
    return ctx;
  }

  /** Draw the arrows. */
  paintArrows(scene, camera, chosen) {
    const ctx = this.begin(this.below, camera);
    ctx.strokeStyle = theme.edge;
    ctx.globalAlpha = chosen >= 0 ? 0.45 : 0.9;
    const thin = 1 / camera.scale;
    for (const [width, path] of scene.arrows) {
      ctx.lineWidth = Math.max(width * Math.min(thin, 1.2), 0.6 * thin);
      ctx.stroke(path);
    }
    ctx.globalAlpha = 1;
    this.paintAdded(ctx, scene, thin);
  }

  paintAdded(ctx, scene, thin) {
    if (!edges.added.length) return;
    ctx.strokeStyle = ctx.fillStyle = theme.added;
    ctx.setLineDash([6 * thin, 3 * thin]);
    for (const { from, to, count } of scene.addedArrows()) {
      ctx.lineWidth = Math.min(1.6 + Math.log10(count), 4) * thin;
      drawBow(ctx, from, to, thin);
    }
    ctx.setLineDash([]);
  }

  /** Draw the boxes as they are at a moment. */
  paintBoxes(scene, camera, { play, when, shading, marked, chosen, chosenGroup }) {
    const ctx = this.begin(this.above, camera);
    const view = camera.view(this.width, this.height);
    const look = { ctx, scale: camera.scale, view, play, when, shading, marked };
    const small = new Map();
    for (const box of scene.boxes) {
      if (box.x + box.w / 2 < view.left || box.x - box.w / 2 > view.right) continue;
      if (box.y + box.h / 2 < view.top || box.y - box.h / 2 > view.bottom) continue;
      if (box.open) this.paintOpen(box, look);
      else if (box.job < 0) this.paintGroup(box, look);
      else if (box.h * camera.scale >= SMALL_BOX) this.paintJob(box, look);
      else this.gatherSmall(box, look, small);
    }
    this.paintSmall(small, look);
    if (chosen >= 0) this.paintChosen(ctx, scene, camera, chosen);
    else if (chosenGroup >= 0 && scene instanceof GroupScene) frame(ctx, scene.boxes[chosenGroup], camera.scale);
  }

  paintJob(box, look) {
    const { ctx, scale, play, when, shading } = look;
    const state = play.state(box.job, when);
    const step = shading ? shading.step(shading.values[box.job]) : -1;
    ctx.fillStyle = shading ? (step < 0 ? theme.page : shades[step]) : theme.fill[state];
    ctx.strokeStyle = theme.rim[state];
    ctx.lineWidth = (state === ELIGIBLE ? 3 : state === RUNNING ? 2 : 1) / Math.max(scale, 0.5);
    ctx.beginPath();
    ctx.roundRect(box.x - box.w / 2, box.y - box.h / 2, box.w, box.h, 5);
    ctx.fill();
    ctx.stroke();
    if (state === FAILED) cross(ctx, box);
    if (look.marked && jobs.peak[box.job]) mark(ctx, box.x + box.w / 2 - 5, box.y - box.h / 2 + 5, jobs.peak[box.job], scale);
    if (box.w * scale < LABELLED) return;
    ctx.fillStyle = shading ? (step < 0 ? theme.ink : shadeInks[step]) : theme.ink_on[state];
    write(ctx, box.label, box.x, box.y, box.w - (state === FAILED ? 34 : 10), 12);
  }

  /** Put a job that is too small for a rim with others of its colour: changing colours takes most of the time. */
  gatherSmall(box, { play, when, shading }, small) {
    const step = shading ? shading.step(shading.values[box.job]) : -1;
    const state = play.state(box.job, when);
    const colour = step >= 0 ? shades[step] : shading || state === WAITING ? theme.line : theme.fill[state];
    let boxes = small.get(colour);
    if (!boxes) small.set(colour, (boxes = []));
    boxes.push(box);
  }

  paintSmall(small, { ctx, scale, marked }) {
    const least = 1 / scale;
    for (const [colour, boxes] of small) {
      ctx.fillStyle = colour;
      for (const box of boxes) ctx.fillRect(box.x - box.w / 2, box.y - box.h / 2, Math.max(box.w, least), Math.max(box.h, 2 * least));
    }
    for (const boxes of marked ? small.values() : []) {
      for (const box of boxes) if (jobs.peak[box.job] && box.w * scale >= MARKED) mark(ctx, box.x, box.y, jobs.peak[box.job], scale);
    }
  }

  paintGroup(box, look) {
    const { ctx, scale, play, when, shading } = look;
    const counts = play.counts(box.group, when);
    const left = box.x - box.w / 2;
    const top = box.y - box.h / 2;
    for (const shift of [6, 3]) { // what looks like a stack is one
      ctx.fillStyle = theme.panel;
      ctx.strokeStyle = theme.line;
      ctx.lineWidth = 1;
      ctx.fillRect(left + shift, top + shift, box.w, box.h);
      ctx.strokeRect(left + shift, top + shift, box.w, box.h);
    }
    const step = shading ? shading.step(shading.mean(groups.members.of(box.group))) : -1;
    ctx.fillStyle = shading && step >= 0 ? shades[step] : theme.page;
    ctx.fillRect(left, top, box.w, box.h);
    this.paintShares(ctx, counts, left + 6, top + box.h - 14, box.w - 12, 8, box.count);
    ctx.strokeStyle = counts[ELIGIBLE] ? theme.rim[ELIGIBLE] : theme.soft;
    ctx.lineWidth = counts[ELIGIBLE] ? 2.5 : 1.2;
    ctx.strokeRect(left, top, box.w, box.h);
    if (look.marked && groups.peak[box.group]) mark(ctx, box.x + box.w / 2 - 8, top + 8, groups.peak[box.group], scale);
    if (box.w * scale < LABELLED) return;
    ctx.fillStyle = shading && step >= 0 ? shadeInks[step] : theme.ink;
    write(ctx, box.label, box.x, top + 12, box.w - 12, 12);
    write(ctx, `× ${whole.format(box.count)}`, box.x, top + 27, box.w - 12, 11);
  }

  /** A bar of how many jobs are in each state. */
  paintShares(ctx, counts, x, y, width, height, total) {
    let at = x;
    for (const state of [EXECUTED, FAILED, RUNNING, ELIGIBLE, WAITING]) {
      if (!counts[state]) continue;
      const wide = Math.max((width * counts[state]) / total, 1.5);
      ctx.fillStyle = theme.fill[state];
      ctx.fillRect(at, y, Math.min(wide, x + width - at), height);
      at += (width * counts[state]) / total;
    }
    ctx.strokeStyle = theme.soft;
    ctx.lineWidth = 1;
    ctx.strokeRect(x, y, width, height);
  }

  paintOpen(box, look) {
    const { ctx, scale } = look;
    const left = box.x - box.w / 2;
    const top = box.y - box.h / 2;
    ctx.fillStyle = theme.panel;
    ctx.fillRect(left, top, box.w, box.h);
    ctx.strokeStyle = theme.soft;
    ctx.lineWidth = 1 / Math.max(scale, 0.3);
    ctx.strokeRect(left, top, box.w, box.h);
    this.paintCells(box, look);
    if (OPEN_HEAD * scale < 9) return;
    ctx.fillStyle = theme.ink;
    write(ctx, `${box.label} × ${whole.format(box.count)}`, box.x, top + OPEN_HEAD / 2, box.w - 12, 12);
  }

  /** Draw the jobs of an open group: each by itself where they are large enough, else as dots of a picture. */
  paintCells(box, look) {
    if (CELL * look.scale < DOTTED) this.paintDots(box, look);
    else this.paintEachCell(box, look);
  }

  /** Many thousand rectangles would take longer than a step may: a dot for each job, and the picture stretched. */
  paintDots(box, { ctx, scale, play, when, shading }) {
    const members = groups.members.of(box.group);
    const wide = Math.ceil(members.length / box.tall);
    let dots = this.dots.get(box.group);
    if (!dots || dots.image.width !== wide) {
      const canvas = document.createElement("canvas");
      canvas.width = wide;
      canvas.height = box.tall;
      const image = new ImageData(wide, box.tall);
      dots = { canvas, image, pixels: new Uint32Array(image.data.buffer) };
      this.dots.set(box.group, dots);
    }
    const { canvas, image, pixels } = dots;
    for (let k = 0, x = 0, y = 0; k < members.length; k++) {
      const job = members[k];
      const step = shading ? shading.step(shading.values[job]) : -1;
      pixels[y * wide + x] = step >= 0 ? shadePixels[step] : theme.pixel[shading ? WAITING : play.state(job, when)];
      if (++y === box.tall) { y = 0; x++; }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    ctx.imageSmoothingEnabled = CELL * scale < 1;
    ctx.drawImage(canvas, box.x - box.w / 2 + OPEN_PAD, box.y - box.h / 2 + OPEN_HEAD, wide * CELL, box.tall * CELL);
  }

  paintEachCell(box, { ctx, view, play, when, shading, marked }) {
    const members = groups.members.of(box.group);
    const x0 = box.x - box.w / 2 + OPEN_PAD;
    const y0 = box.y - box.h / 2 + OPEN_HEAD;
    const columns = [Math.floor((view.left - x0) / CELL), Math.floor((view.right - x0) / CELL) + 1];
    const rows = [Math.floor((view.top - y0) / CELL), Math.floor((view.bottom - y0) / CELL) + 1];
    for (let column = Math.max(columns[0], 0); column < columns[1]; column++) {
      for (let row = Math.max(rows[0], 0); row < Math.min(rows[1], box.tall); row++) {
        const job = members[column * box.tall + row];
        if (job === undefined) return;
        const state = play.state(job, when);
        const step = shading ? shading.step(shading.values[job]) : -1;
        ctx.fillStyle = shading ? (step < 0 ? theme.page : shades[step]) : theme.fill[state];
        ctx.fillRect(x0 + column * CELL + 1, y0 + row * CELL + 1, CELL - CELL_GAP, CELL - CELL_GAP);
        if (state !== EXECUTED) {
          ctx.strokeStyle = theme.rim[state];
          ctx.lineWidth = state === WAITING ? 0.5 : 1.5;
          ctx.strokeRect(x0 + column * CELL + 1.5, y0 + row * CELL + 1.5, CELL - CELL_GAP - 1, CELL - CELL_GAP - 1);
        }
        if (marked && jobs.peak[job]) mark(ctx, x0 + (column + 0.5) * CELL, y0 + (row + 0.5) * CELL, jobs.peak[job], 1);
      }
    }
  }

  /** Draw what the chosen job waits for, and what waits for it, from job to job. */
  paintChosen(ctx, scene, camera, job) {
    const here = scene.rectOf(job);
    const thin = 1 / camera.scale;
    ctx.strokeStyle = ctx.fillStyle = theme.chosen;
    ctx.lineWidth = 2 * thin;
    const many = 400;
    for (const edge of incoming.of(job).subarray(0, many)) link(ctx, scene.rectOf(edges.tail[edge]), here);
    for (const edge of outgoing.of(job).subarray(0, many)) link(ctx, here, scene.rectOf(edges.head[edge]));
    frame(ctx, here, camera.scale);
  }
}

/** A line from the lower edge of one box to the upper edge of another. */
function link(ctx, from, to) {
  const y1 = from.y + from.h / 2;
  const y2 = to.y - to.h / 2;
  ctx.beginPath();
  ctx.moveTo(from.x, y1);
  ctx.bezierCurveTo(from.x, (y1 + y2) / 2, to.x, (y1 + y2) / 2, to.x, y2);
  ctx.stroke();
}

/** An arrow in a bow, for edges that the rows know nothing of. */
function drawBow(ctx, from, to, thin) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const far = Math.hypot(dx, dy);
  if (far < 1) { // within one box: a loop at its side
    ctx.beginPath();
    ctx.ellipse(from.x + from.w / 2 + 10, from.y, 10, from.h / 3, 0, 0, 2 * Math.PI);
    ctx.stroke();
    return;
  }
  const bend = Math.min(far / 4, 60);
  const [mx, my] = [(from.x + to.x) / 2 - (dy / far) * bend, (from.y + to.y) / 2 + (dx / far) * bend];
  const leave = rim(from, mx - from.x, my - from.y);
  const enter = rim(to, mx - to.x, my - to.y);
  ctx.beginPath();
  ctx.moveTo(leave.x, leave.y);
  ctx.quadraticCurveTo(mx, my, enter.x, enter.y);
  ctx.stroke();
  const turn = Math.atan2(enter.y - my, enter.x - mx);
  const size = 8 * Math.max(thin, 0.7);
  ctx.beginPath();
  ctx.moveTo(enter.x, enter.y);
  for (const side of [0.45, -0.45]) ctx.lineTo(enter.x - size * Math.cos(turn + side), enter.y - size * Math.sin(turn + side));
  ctx.fill();
}

/** Where a line from the middle of a box leaves it. */
function rim(box, dx, dy) {
  const share = Math.min(dx ? box.w / 2 / Math.abs(dx) : Infinity, dy ? box.h / 2 / Math.abs(dy) : Infinity, 1);
  return { x: box.x + dx * share, y: box.y + dy * share };
}

function frame(ctx, box, scale) {
  ctx.strokeStyle = theme.chosen;
  ctx.lineWidth = 3.5 / scale;
  const off = 3 / scale;
  ctx.strokeRect(box.x - box.w / 2 - off, box.y - box.h / 2 - off, box.w + 2 * off, box.h + 2 * off);
}

/** Mark what a job does at the worst peak: a diamond where it runs, a dot where its data are held. */
function mark(ctx, x, y, kind, scale) {
  const r = Math.max(5, 3 / scale); // to be seen from afar too
  ctx.fillStyle = theme.peak;
  ctx.strokeStyle = theme.page;
  ctx.lineWidth = r / 2.5;
  ctx.beginPath();
  if (kind === 1) { ctx.moveTo(x, y - r); ctx.lineTo(x + r, y); ctx.lineTo(x, y + r); ctx.lineTo(x - r, y); ctx.closePath(); }
  else ctx.arc(x, y, 0.6 * r, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.fill();
}

/** Mark a job that failed, beside its name. */
function cross(ctx, box) {
  const [x, y, r] = [box.x - box.w / 2 + 10, box.y, 4];
  ctx.strokeStyle = theme.ink_on[FAILED];
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.moveTo(x + r, y - r);
  ctx.lineTo(x - r, y + r);
  ctx.stroke();
}

/** Write a text in one line, no wider than there is room. */
function write(ctx, text, x, y, width, size) {
  ctx.font = `${size}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const most = Math.max(Math.floor(width / (size * 0.56)), 1);
  ctx.fillText(`\u2068${shorten(text, most)}\u2069`, x, y, width);
}
