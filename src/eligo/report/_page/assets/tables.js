// Tables that can be sorted, filtered and taken along as CSV; of long ones a page at a time.

const PAGE = 50;

/**
 * A table of rows 0..count-1. A column has a title, a value(row) to sort and export by, and how to show it: text(row),
 * or node(row) for more than text.
 */
class Table {
  constructor(host, { caption, file, count, columns, sorted = null }) {
    Object.assign(this, { host, caption, file, count, columns });
    this.page = 0;
    this.sort = sorted;
    this.words = "";
    this.body = element("tbody");
    this.state = element("span", { role: "status" });
    this.changing = columns.findIndex((column) => column.changes);
    this.heads = columns.map((column, k) => element(
      "th",
      { scope: "col", class: column.number ? "number" : null },
      element("button", { type: "button", onclick: () => this.sortBy(k) }, column.title),
    ));
    const filter = element("input", { type: "search", "aria-label": `Filter ${caption}`, placeholder: "filter", oninput: () => this.filterBy(filter.value) });
    this.before = element("button", { type: "button", onclick: () => this.turn(-1) }, "‹ previous");
    this.after = element("button", { type: "button", onclick: () => this.turn(1) }, "next ›");
    const save = element("button", { type: "button", onclick: () => this.download() }, "Download CSV");
    host.replaceChildren(
      element("div", { class: "tools" }, ...(count > 8 ? [filter] : []), this.before, this.state, this.after, save),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, element("table", {},
        element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...this.heads)),
        this.body,
      )),
    );
    this.refresh();
  }

  sortBy(k) {
    this.sort = { column: k, down: this.sort && this.sort.column === k ? !this.sort.down : Boolean(this.columns[k].number) };
    this.page = 0;
    this.refresh();
  }

  filterBy(words) {
    this.words = words.toLowerCase();
    this.page = 0;
    this.refresh();
  }

  turn(by) {
    this.page += by;
    this.show();
  }

  /** Find out which rows to show, in which order. */
  refresh() {
    let rows = Array.from({ length: this.count }, (_, i) => i);
    if (this.words) {
      const texts = this.columns.filter((column) => column.filtered);
      rows = rows.filter((row) => texts.some((column) => String(column.value(row)).toLowerCase().includes(this.words)));
    }
    if (this.sort) {
      const { value } = this.columns[this.sort.column];
      const sign = this.sort.down ? -1 : 1;
      const keys = rows.map(value);
      const unknown = (key) => key === null || key === undefined || Number.isNaN(key) || key === "";
      const order = keys.map((_, i) => i).sort((i, j) => {
        const [a, b] = [keys[i], keys[j]];
        if (unknown(a) || unknown(b)) return unknown(a) - unknown(b) || i - j;
        return sign * (a < b ? -1 : a > b ? 1 : 0) || i - j;
      });
      rows = order.map((i) => rows[i]);
    }
    this.rows = rows;
    this.show();
  }

  /** Bring what changes with every step up to date, leaving all else (and the focus) where it is. */
  update() {
    const { value } = this.columns[this.changing];
    Array.from(this.body.rows).forEach((line, i) => { line.cells[this.changing].textContent = value(this.rows[this.page * PAGE + i]); });
  }

  show() {
    const pages = Math.max(Math.ceil(this.rows.length / PAGE), 1);
    this.page = clamp(this.page, 0, pages - 1);
    const from = this.page * PAGE;
    const shown = this.rows.slice(from, from + PAGE);
    this.body.replaceChildren(...shown.map((row) => element("tr", {}, ...this.columns.map((column) => {
      const content = column.node ? column.node(row) : column.text ? column.text(row) : String(column.value(row) ?? "");
      return element("td", { class: column.number ? "number" : null, title: column.long ? column.value(row) : null }, content);
    }))));
    this.heads.forEach((head, k) => {
      const mine = this.sort && this.sort.column === k;
      head.setAttribute("aria-sort", mine ? (this.sort.down ? "descending" : "ascending") : "none");
      head.firstChild.textContent = `${this.columns[k].title}${mine ? (this.sort.down ? " ▾" : " ▴") : ""}`;
    });
    this.before.hidden = this.after.hidden = pages === 1;
    this.before.disabled = !this.page;
    this.after.disabled = this.page === pages - 1;
    const end = Math.min(from + PAGE, this.rows.length);
    const all = plural(this.count, "row");
    const of = this.rows.length === this.count ? all : `${whole.format(this.rows.length)} that fit, of ${all}`;
    this.state.textContent = pages === 1 ? of : `${whole.format(from + 1)} to ${whole.format(end)} of ${of}`;
  }

  /** All rows that fit, in their order, as a file. */
  download() {
    const lines = [this.columns.map((column) => csvCell(column.title)).join(",")];
    for (const row of this.rows) lines.push(this.columns.map((column) => csvCell(column.value(row))).join(","));
    const url = URL.createObjectURL(new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" }));
    const link = element("a", { href: url, download: this.file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }
}

/** A field of a CSV file; what a spreadsheet would compute gets a quote before it. */
function csvCell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  let text = String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const yesNo = (value) => (value === null ? "not known" : value ? "yes" : "no");

/** How long a job really ran, where that was seen. */
const ranFor = (play, job) => (play.end[job] < Infinity && play.lane[job] >= 0 ? play.end[job] - play.start[job] : NaN);

/** The r-priority of a class over another; null where it is not known. */
const priorityOver = (one, other) => data.blocks.r[one]?.[other] ?? null;
const numberOr = (value, otherwise) => (value === null ? otherwise : rounded.format(value));

function makeTables(app) {
  const { classes, count } = data.blocks;
  const blockOf = unpack(data.blocks.of);
  new Table(byId("table-classes"), {
    caption: "Classes of blocks: blocks that keep as many jobs ELIGIBLE at every step", file: "classes.csv", count: classes.length,
    columns: [
      { title: "class", value: (i) => i + 1, number: true },
      { title: "kind", value: (i) => classes[i].kind, filtered: true, long: true },
      { title: "blocks", value: (i) => classes[i].blocks, number: true, text: (i) => whole.format(classes[i].blocks) },
      { title: "non-sinks each", value: (i) => classes[i].nonsinks, number: true },
      { title: "jobs made ELIGIBLE after 0, 1, ... of them", value: (i) => classes[i].yields, long: true },
      { title: "highest priority", value: (i) => classes[i].high, number: true },
      { title: "lowest priority", value: (i) => classes[i].low, number: true },
      { title: "order proved best", value: (i) => yesNo(classes[i].optimal) },
      ...data.blocks.r.map((_, j) => ({ title: `r over class ${j + 1}`, number: true, value: (i) => priorityOver(i, j), text: (i) => numberOr(priorityOver(i, j), "") })),
    ],
  });
  const [classOf, first, last, nonsinks, heads] = ["class_of", "first", "last", "nonsinks", "heads"].map((name) => unpack(data.blocks[name]));
  if (classOf.length) {
    new Table(byId("table-blocks"), {
      caption: "Blocks", file: "blocks.csv", count: classOf.length, sorted: { column: 4, down: true },
      columns: [
        { title: "block", value: (i) => i + 1, number: true },
        { title: "class", value: (i) => classOf[i] + 1, number: true },
        { title: "kind", value: (i) => classes[classOf[i]].kind, filtered: true, long: true },
        { title: "non-sinks", value: (i) => nonsinks[i], number: true },
        { title: "highest priority", value: (i) => jobs.count - first[i], number: true },
        { title: "lowest priority", value: (i) => jobs.count - last[i], number: true },
        { title: "jobs that wait for it", value: (i) => heads[i], number: true },
      ],
    });
  } else if (count) byId("table-blocks").append(element("p", {}, `${plural(count, "block")}: too many to list.`));
  const { priority } = app;
  app.jobTable = new Table(byId("table-jobs"), {
    caption: "Jobs", file: "jobs.csv", count: jobs.count, sorted: { column: 1, down: true },
    columns: [
      { title: "job", value: (i) => jobs.name[i], filtered: true, long: true, node: (i) => element("button", { type: "button", onclick: () => app.show(i) }, isolated(jobs.name[i])) },
      ...data.strategies.map((each, k) => ({ title: `priority, ${each.label}`, value: (i) => priority[k][i], number: true, text: (i) => whole.format(priority[k][i]) })),
      { title: "level", value: (i) => jobs.level[i] + 1, number: true },
      { title: "parents", value: (i) => incoming.of(i).length, number: true },
      { title: "children", value: (i) => outgoing.of(i).length, number: true },
      ...(jobs.time ? [{ title: "time_s", value: (i) => jobs.time[i], number: true, text: (i) => secondsText(jobs.time[i]) }] : []),
      ...(app.recorded ? [{ title: "ran, s", value: (i) => ranFor(app.recorded, i), number: true, text: (i) => secondsText(ranFor(app.recorded, i)) }] : []),
      ...(jobs.need ? [{ title: `${data.memory.resource} while it runs`, value: (i) => jobs.need[i], number: true, text: (i) => sizeText(jobs.need[i]) }] : []),
      ...(jobs.peak ? [{ title: "at the worst peak", value: (i) => ["", "runs", "its data are held"][jobs.peak[i]] }] : []),
      { title: "block", value: (i) => (blockOf[i] < 0 ? null : blockOf[i] + 1), number: true },
      { title: "group", value: (i) => groups.name[jobs.group[i]], filtered: true, long: true },
      { title: "state", changes: true, value: (i) => STATE_NAMES[app.panes[0].play.state(i, app.when)] },
    ],
  });
}
