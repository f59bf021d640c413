// Finding a job by its name: a part of it will do, upper or lower case.

class Search {
  constructor(app) {
    this.app = app;
    this.input = byId("search");
    this.count = byId("search-count");
    this.found = [];
    this.at = -1;
    this.lower = null;
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); this.go(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { this.input.value = ""; this.look(); }
    });
    byId("search-previous").addEventListener("click", () => this.go(-1));
    byId("search-next").addEventListener("click", () => this.go(1));
  }

  look() {
    this.lower ||= jobs.name.map((name) => name.toLowerCase());
    const words = this.input.value.trim().toLowerCase();
    this.found = [];
    if (words) for (let job = 0; job < jobs.count; job++) if (this.lower[job].includes(words)) this.found.push(job);
    this.found.sort((a, b) => (this.lower[b] === words) - (this.lower[a] === words) || a - b);
    this.at = -1;
    this.tell(words);
  }

  go(by) {
    if (!this.found.length) return;
    this.at = (Math.max(this.at, by < 0 ? 0 : -1) + by + this.found.length) % this.found.length;
    this.app.show(this.found[this.at], false);
    this.tell(true);
  }

  tell(words) {
    if (!words) this.count.textContent = "";
    else if (!this.found.length) this.count.textContent = "none";
    else this.count.textContent = `${this.at < 0 ? "" : `${whole.format(this.at + 1)} of `}${whole.format(this.found.length)}`;
  }
}
