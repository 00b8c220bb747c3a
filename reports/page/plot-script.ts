/** A script for pages with plots; without it a page is complete. */

/**
 * Shows the row of a plot's table at the pointer; an entry of its legend hides a line and shows it again; a button makes its
 * axis logarithmic; dragging over the time of a run zooms all plots over time, a double click shows all again. A link to a request
 * opens what it is folded into. The data is what the page shows: no text of it is run.
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
    this.rows = [...figure.querySelectorAll("tbody tr")].filter((row) => row.cells[0].dataset.x !== undefined)
      .map((row) => ({ x: Number(row.cells[0].dataset.x), cells: [...row.cells].map((cell) => cell.textContent.trim()) }))
      .sort((a, b) => a.x - b.x);
    this.placed = [...this.frame.querySelectorAll("[style*=left]")].filter((one) => !one.closest(".x"))
      .map((one) => ({ one, left: parseFloat(one.style.left) / 100, width: parseFloat(one.style.width) / 100 || 0 }));
    this.tip = this.frame.appendChild(element("div", "tip", ""));
    this.cursor = this.frame.appendChild(element("div", "cursor", ""));
    this.tip.ariaHidden = "true";
    this.legend();
    this.logarithmic();
    this.pointer();
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

  /** Shows a part of the horizontal axis. */
  show(view) {
    this.view = view;
    const [from, to] = [placeOf(this.x, view.from), placeOf(this.x, view.to)];
    this.svg.setAttribute("viewBox", [from * SIZE, 0, (to - from) * SIZE, SIZE].join(" "));
    for (const { one, left, width } of this.placed) {
      const [begin, end] = [Math.max(left, from), Math.min(left + width, to)];
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
    let begun;
    const end = () => { this.tip.style.display = this.cursor.style.display = "none"; };
    this.frame.addEventListener("pointermove", (event) => {
      const place = this.at(event);
      this.tell(place);
      this.cursor.style.left = 100 * Math.min(place, begun ?? place) + "%";
      this.cursor.style.width = begun === undefined ? "" : 100 * Math.abs(place - begun) + "%";
    });
    this.frame.addEventListener("pointerleave", () => { begun = undefined; end(); });
    if (!this.isTime) return;
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0 && !event.target.closest("a")) { begun = this.at(event); event.preventDefault(); }
    });
    this.frame.addEventListener("pointerup", (event) => {
      const to = this.at(event);
      if (begun !== undefined && Math.abs(to - begun) > 0.02) {
        const [a, b] = [valueAt(this.view, Math.min(begun, to)), valueAt(this.view, Math.max(begun, to))];
        for (const plot of plots) if (plot.isTime) plot.show({ ...plot.x, from: a, to: b });
      }
      begun = undefined;
    });
    this.frame.addEventListener("dblclick", () => { for (const plot of plots) if (plot.isTime) plot.show(plot.x); });
  }

  tell(place) {
    const value = valueAt(this.view, place);
    const after = this.rows.findIndex((row) => row.x > value);
    const before = (after < 0 ? this.rows.length : after) - 1;
    const [low, high] = [this.rows[before], this.rows[before + 1]];
    const nearest = !low || (high && !this.heads[0].startsWith("from") && high.x - value < value - low.x) ? high : low;
    if (!nearest) return;
    this.tip.replaceChildren(...this.heads.flatMap((head, index) => nearest.cells[index] ? [element("span", "", head), element("b", "", nearest.cells[index])] : []));
    this.tip.style.display = "grid";
    this.cursor.style.display = "block";
    this.tip.style.left = place < 0.5 ? "calc(" + 100 * place + "% + 12px)" : "";
    this.tip.style.right = place < 0.5 ? "" : "calc(" + 100 * (1 - place) + "% + 12px)";
  }
}

const plots = [...document.querySelectorAll("figure.plot")].map((figure) => new Plot(figure));
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  target?.scrollIntoView({ block: target.offsetHeight > innerHeight / 2 ? "start" : "center" });
};
addEventListener("hashchange", reveal);
if (location.hash) reveal();
`;
