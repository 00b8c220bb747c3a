/** A script for pages with plots; without it a page is complete. */

/**
 * Shows the row of a plot's table at the pointer, in all plots over time that of the same moment; an entry of a legend hides a line
 * and shows it again; a button makes an axis logarithmic. Dragging over the time of a run, or arrow keys with Shift, choose a range,
 * to which plots over time, failures and lists of requests are narrowed and which the address keeps; a double click or Escape shows
 * all again. A link to a request opens what it is folded into. The data is what the page shows: no text of it is run.
 */
export const PLOT_SCRIPT = `
const SIZE = 1000;
const axisOf = (text) => {
  const [scale, from, to, unit] = text.split(" ");
  return { scale, from: Number(from), to: Number(to), unit };
};
const scaled = (axis, value) => axis.scale === "log" ? Math.log(value) : axis.scale === "nines" ? -Math.log10(1 - value) : value;
const placeOf = (axis, value) => {
  const from = scaled(axis, axis.from);
  return Math.min(1, Math.max(0, (scaled(axis, value) - from) / (scaled(axis, axis.to) - from))) || 0;
};
const valueAt = (axis, place) => {
  const from = scaled(axis, axis.from);
  const value = from + place * (scaled(axis, axis.to) - from);
  return axis.scale === "log" ? Math.exp(value) : axis.scale === "nines" ? 1 - 10 ** -value : value;
};
const short = (value) => value >= 1e6 ? Number((value / 1e6).toPrecision(3)) + "M" : value >= 1e4 ? Number((value / 1e3).toPrecision(3)) + "k" : String(Number(value.toPrecision(4)));
const linearTicks = ({ from, to }) => {
  const power = 10 ** Math.floor(Math.log10((to - from) / 4));
  const step = [1, 2, 5, 10].map((lead) => lead * power).find((each) => each * 4 >= to - from);
  const ticks = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to * (1 + 1e-9); at += 1) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
};
const logTicks = ({ from, to }) => {
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power += 1) {
    for (const lead of [1, 2, 5]) if (lead * 10 ** power >= from && lead * 10 ** power <= to) ticks.push(Number((lead * 10 ** power).toPrecision(3)));
  }
  const every = Math.ceil(ticks.length / 6);
  return ticks.filter((_, index) => index % every === 0);
};
const element = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text });

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.x = axisOf(figure.dataset.x);
    this.y = axisOf(figure.dataset.y);
    this.view = this.x;
    this.frame = figure.querySelector(".frame");
    this.svg = figure.querySelector("svg");
    this.isTime = this.x.unit === "s";
    this.heads = [...figure.querySelectorAll("thead th")].map((cell) => cell.textContent);
    this.placed = [...this.frame.querySelectorAll("[style*=left]")].filter((one) => !one.closest(".x"))
      .map((one) => ({ one, left: parseFloat(one.style.left) / 100, width: parseFloat(one.style.width) / 100 || 0 }));
    this.tip = this.frame.appendChild(element("div", "tip", ""));
    this.cursor = this.frame.appendChild(element("div", "cursor", ""));
    this.tip.ariaHidden = "true";
    this.legend();
    this.logarithmic();
    this.pointer();
  }

  /** The rows of its table, read when they are first looked at. */
  get rows() {
    return this.read ??= [...this.figure.querySelectorAll("tbody tr")]
      .map(({ cells: [first, ...others] }) => ({ x: Number(first.dataset.x ?? first.textContent), cells: [first, ...others].map((cell) => cell.textContent.trim()) }))
      .filter(({ x }) => isFinite(x)).sort((a, b) => a.x - b.x);
  }

  legend() {
    for (const key of this.figure.querySelectorAll(".key[data-layer]")) {
      const button = element("button", key.className, key.textContent);
      button.type = "button";
      button.style.cssText = key.style.cssText;
      button.ariaPressed = "true";
      button.addEventListener("click", () => {
        const on = button.ariaPressed !== "true";
        button.ariaPressed = String(on);
        this.svg.querySelector('g[data-layer="' + key.dataset.layer + '"]').style.display = on ? "" : "none";
      });
      key.replaceWith(button);
    }
  }

  logarithmic() {
    const low = Number(this.figure.dataset.low);
    if (this.y.scale !== "linear" || !(low > 0) || !(low < this.y.to)) return;
    const linear = this.y;
    const log = { ...linear, scale: "log", from: low / 1.1 };
    const paths = [...this.svg.querySelectorAll("path")].map((path) => ({ path, d: path.getAttribute("d") }));
    const raised = [...this.frame.querySelectorAll("[style*=bottom]")].filter((one) => !one.closest(".y"))
      .map((one) => ({ one, bottom: parseFloat(one.style.bottom) / 100 }));
    const labels = this.frame.querySelector(".y");
    const linearLabels = [...labels.children];
    const moved = (place) => placeOf(log, valueAt(linear, place));
    const button = element("button", "scale", "log");
    button.type = "button";
    button.ariaPressed = "false";
    button.ariaLabel = "Logarithmic axis of " + this.svg.getAttribute("aria-label");
    button.addEventListener("click", () => {
      const on = button.ariaPressed !== "true";
      button.ariaPressed = String(on);
      this.y = on ? log : linear;
      for (const { path, d } of paths) {
        path.setAttribute("d", !on || path.classList.contains("span") ? d : d.replace(/([ML])([\\d.]+) ([\\d.]+)/g,
          (_, command, x, y) => command + x + " " + (SIZE * (1 - moved(1 - y / SIZE))).toFixed(1)));
      }
      for (const { one, bottom } of raised) one.style.bottom = 100 * (on ? moved(bottom) : bottom) + "%";
      labels.replaceChildren(...on ? logTicks(log).map((value, index, all) => {
        const label = element("span", "", short(value) + (index === all.length - 1 && log.unit ? " " + log.unit : ""));
        label.style.bottom = 100 * placeOf(log, value) + "%";
        return label;
      }) : linearLabels);
      this.svg.querySelector(".grid").setAttribute("d", (on ? logTicks(log).map((value) => placeOf(log, value)) : linearTicks(linear).map((value) => placeOf(linear, value)))
        .map((at) => "M0 " + SIZE * (1 - at) + "L" + SIZE + " " + SIZE * (1 - at)).join(""));
    });
    this.figure.querySelector("figcaption").append(button);
  }

  /** A range of time; the strip of a run shows where it is in the whole. */
  narrow(range) {
    if (!this.figure.classList.contains("strip")) return this.show(range ? { ...this.x, from: range[0], to: range[1] } : this.x);
    this.chosen ??= this.frame.appendChild(element("div", "cursor chosen", ""));
    this.chosen.style.display = range ? "block" : "none";
    if (!range) return;
    this.chosen.style.left = 100 * placeOf(this.x, range[0]) + "%";
    this.chosen.style.width = 100 * (placeOf(this.x, range[1]) - placeOf(this.x, range[0])) + "%";
  }

  /** Shows a part of the horizontal axis. */
  show(view) {
    this.view = view;
    const [from, to] = [placeOf(this.x, view.from), placeOf(this.x, view.to)];
    this.svg.setAttribute("viewBox", [from * SIZE, 0, (to - from) * SIZE, SIZE].join(" "));
    for (const { one, left, width } of this.placed) {
      const [begin, end] = [Math.min(to, Math.max(left, from)), Math.min(left + width, to)];
      one.style.left = 100 * (begin - from) / (to - from) + "%";
      if (width) one.style.width = 100 * Math.max(0, end - begin) / (to - from) + "%";
      one.style.visibility = left + width < from || left > to ? "hidden" : "";
    }
    const ticks = linearTicks(view);
    this.frame.querySelector(".x").replaceChildren(...ticks.map((value, index) => {
      const label = element("span", "", short(value) + (index === ticks.length - 1 ? " " + view.unit : ""));
      label.style.left = 100 * placeOf(view, value) + "%";
      return label;
    }));
  }

  at(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  }

  pointer() {
    const { frame, isTime } = this;
    let begun;
    const now = (event) => valueAt(this.view, this.at(event));
    const end = () => {
      begun = undefined;
      if (isTime) showMoment(); else this.hide();
    };
    frame.addEventListener("pointermove", (event) => {
      if (isTime) showMoment(now(event), begun); else this.tell(now(event));
    });
    frame.addEventListener("pointerleave", end);
    if (!isTime) return;
    frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0 && !event.target.closest("a")) { begun = now(event); event.preventDefault(); frame.focus({ preventScroll: true }); }
    });
    frame.addEventListener("pointerup", (event) => {
      const to = now(event);
      if (begun !== undefined && Math.abs(to - begun) > 0.02 * (this.view.to - this.view.from)) setRange(begun, to);
      begun = undefined;
      showMoment(now(event));
    });
    frame.addEventListener("dblclick", () => setRange());
    frame.tabIndex = 0;
    frame.role = "group";
    frame.ariaLabel = this.svg.getAttribute("aria-label").slice(0, 80) + ". Arrow keys move the moment, with Shift they choose a range, Escape shows all.";
    frame.addEventListener("blur", () => showMoment());
    frame.addEventListener("keydown", (event) => this.key(event));
  }

  /** Arrow keys go from row to row of the data. */
  key(event) {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (step === 0 || event.target !== this.frame) return;
    event.preventDefault();
    const { x, view } = this;
    const { from: least, to: most } = event.shiftKey ? x : view;
    const from = moment ?? (step > 0 ? view.from : view.to);
    const steps = this.rows.length > 1 ? this.rows.map((row) => row.x) : Array.from({ length: 101 }, (_, part) => least + part * (most - least) / 100);
    const next = step > 0 ? steps.find((at) => at > from + 1e-6) : steps.findLast((at) => at < from - 1e-6);
    const to = Math.min(most, Math.max(least, next ?? (step > 0 ? most : least)));
    if (event.shiftKey) {
      anchor ??= from;
      setRange(anchor, to);
    } else anchor = undefined;
    showMoment(to);
    say(seconds(to) + ": " + [...this.tip.querySelectorAll("b")].map((value) => value.previousSibling.textContent + " " + value.textContent).join(", "));
  }

  hide() { this.tip.style.display = this.cursor.style.display = "none"; }

  /** Shows a value of the horizontal axis with its row, and the range from another one to it. */
  tell(value, from = value) {
    const [low, high] = [Math.min(value, from), Math.max(value, from)];
    if (high < this.view.from || low > this.view.to) return this.hide();
    const place = placeOf(this.view, value);
    this.cursor.style.display = "block";
    this.cursor.style.left = 100 * placeOf(this.view, low) + "%";
    this.cursor.style.width = low === high ? "" : 100 * (placeOf(this.view, high) - placeOf(this.view, low)) + "%";
    const cells = this.cellsAt(value);
    this.tip.replaceChildren(...cells.flatMap(([head, text]) => [element("span", "", head), element("b", "", text)]));
    this.tip.style.display = cells.length === 0 ? "none" : "grid";
    this.tip.style.left = place < 0.5 ? "calc(" + 100 * place + "% + 12px)" : "";
    this.tip.style.right = place < 0.5 ? "" : "calc(" + 100 * (1 - place) + "% + 12px)";
  }

  /** Names and texts of the row at a value. */
  cellsAt(value) {
    const after = this.rows.findIndex((row) => row.x > value);
    const before = (after < 0 ? this.rows.length : after) - 1;
    const [low, high] = [this.rows[before], this.rows[before + 1]];
    const nearest = !low || (high && !this.heads[0].startsWith("from") && high.x - value < value - low.x) ? high : low;
    return !nearest ? [] : this.heads.flatMap((head, index) => nearest.cells[index] ? [[head, nearest.cells[index]]] : []);
  }
}

/** The moment that all plots over time show, in seconds; where a range begins that keys extend; and the range. */
let [moment, anchor, range] = [];
const showMoment = (at, from = at) => {
  moment = at;
  for (const plot of plots) {
    if (!plot.isTime) continue;
    if (at === undefined) plot.hide(); else if (plot.frame.checkVisibility()) plot.tell(at, from);
  }
};
const seconds = (at) => Number(at.toFixed(2)) + " s";
/** What a page says of a range, each a function that is given it, or nothing of the whole; texts that come of it are shown. */
const ofRange = [([from, to] = []) => {
  for (const one of document.querySelectorAll("[data-t]")) {
    const [first, last = first] = one.dataset.t.split(" ").map(Number);
    one.hidden = last < from || first > to;
  }
}];
const bar = document.querySelector("main").appendChild(element("section", "range", ""));
bar.ariaLabel = "Range of time";
bar.hidden = true;
const told = bar.appendChild(element("p", "", ""));
const all = bar.appendChild(element("button", "scale", "whole run"));
all.type = "button";
all.addEventListener("click", () => setRange());
const spoken = document.querySelector("main").appendChild(element("div", "spoken", ""));
spoken.ariaLive = "polite";
const say = (text) => { spoken.textContent = text; };

/** Narrows plots over time, the failures and the lists of requests to a range; without one they show the whole run. */
const setRange = (from, to, keepsAddress) => {
  const time = plots.filter((plot) => plot.isTime);
  const [least, most] = [Math.min(...time.map(({ x }) => x.from)), Math.max(...time.map(({ x }) => x.to))];
  const ends = [from, to].map((end) => Number(Math.min(most, Math.max(least, end)).toFixed(2))).sort((a, b) => a - b);
  range = ends[1] > ends[0] ? ends : undefined;
  if (range === undefined) anchor = undefined;
  for (const plot of time) plot.narrow(range);
  const texts = ofRange.flatMap((tell) => tell(range) ?? []);
  bar.hidden = range === undefined;
  if (range) told.textContent = seconds(range[0]) + " to " + seconds(range[1]) + (texts.length > 0 ? ": " + texts.join("; ") : "");
  say(range ? told.textContent : "");
  if (!keepsAddress && (range || location.hash.startsWith("#t="))) history.replaceState(null, "", range ? "#t=" + range.join("-") : location.href.split("#")[0]);
};

const plots = [...document.querySelectorAll("figure.plot")].map((figure) => new Plot(figure));
const reveal = () => {
  const [, from, to] = /^#t=([\\d.]+)-([\\d.]+)$/.exec(location.hash) ?? [];
  if (to !== undefined) return setRange(Number(from), Number(to), true);
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.closest("[hidden]")) setRange();
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  target?.scrollIntoView({ block: target.offsetHeight > innerHeight / 2 ? "start" : "center" });
};
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  setRange();
  showMoment();
});
addEventListener("hashchange", reveal);
addEventListener("DOMContentLoaded", () => { if (location.hash) reveal(); });
`;
