// From where one looks: shared by all panes, so that they show the same part of the workflow.

const FARTHEST = 0.002, NEAREST = 8, READABLE = 0.6, LARGEST_FIT = 1.5, MARGIN = 16;

class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.fitted = true; // whether all is in view, and should stay so when the size of a pane changes
    this.listeners = [];
  }

  changed(fitted = false) {
    this.fitted = fitted;
    for (const listener of this.listeners) listener();
  }

  /** The part of the scene that is in view. */
  view(width, height) {
    return { left: -this.x / this.scale, top: -this.y / this.scale, right: (width - this.x) / this.scale, bottom: (height - this.y) / this.scale };
  }

  move(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.changed();
  }

  /** Zoom by a factor, keeping what is at a place there. */
  zoom(factor, x, y) {
    const scale = clamp(this.scale * factor, FARTHEST, NEAREST);
    const real = scale / this.scale;
    this.x = x - (x - this.x) * real;
    this.y = y - (y - this.y) * real;
    this.scale = scale;
    this.changed();
  }

  /** Show all of a scene. */
  fit(bounds, width, height) {
    const wide = Math.max(bounds.right - bounds.left, 1);
    const tall = Math.max(bounds.bottom - bounds.top, 1);
    this.scale = clamp(Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / tall), FARTHEST, LARGEST_FIT);
    this.x = width / 2 - this.scale * (bounds.left + wide / 2);
    this.y = Math.max(MARGIN, (height - this.scale * tall) / 2) - this.scale * bounds.top;
    this.changed(true);
  }

  /** Bring a place into the middle, near enough to read. */
  centre(x, y, width, height) {
    this.scale = Math.max(this.scale, READABLE);
    this.x = width / 2 - x * this.scale;
    this.y = height / 2 - y * this.scale;
    this.changed();
  }
}
