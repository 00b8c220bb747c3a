/** A script for the page of a load that shows requests as points; it follows that of plots. */

import { READ_INTEGERS } from "./point-data.ts";

/**
 * What a range of points comes to: how many requests and failures, and percentiles of the latency of ok ones by nearest rank, each
 * given where ten samples lie beyond it. Where the page holds a sample, the slowest and the failures are whole and each of the others
 * stands for as many as were not drawn.
 */
export const RANGE_FIGURES = `
const figuresOf = ({ kinds, kind, sentMs, us, requests, failed, slowest, slowestUs }, [from, to] = [-1e99, 1e99]) => {
  const isSlow = (index) => slowest > 0 && kinds[kind[index]].isOk && us[index] >= slowestUs;
  const held = { failed: 0, slow: 0, others: 0 };
  const classOf = (index) => kinds[kind[index]].failed ? "failed" : isSlow(index) ? "slow" : "others";
  kind.forEach((_, index) => held[classOf(index)] += 1);
  const weights = { failed: failed / held.failed, slow: 1, others: (requests - failed - held.slow) / held.others };
  const counts = kinds.map(() => 0);
  const values = [];
  let [count, points] = [0, 0];
  kind.forEach((own, index) => {
    if (sentMs[index] < from * 1000 || sentMs[index] > to * 1000) return;
    const weight = weights[classOf(index)];
    points += 1;
    count += weight;
    counts[own] += weight;
    if (kinds[own].isOk) values.push([us[index], weight]);
  });
  values.sort((a, b) => a[0] - b[0]);
  const whole = values.reduce((sum, [, weight]) => sum + weight, 0);
  const percentiles = [0.5, 0.95, 0.99].map((share) => {
    let rest = share * whole - 1e-6;
    const at = values.findIndex(([, weight]) => (rest -= weight) <= 0);
    return at < 0 || values.length - 1 - at < 10 ? undefined : values[at][0] / 1000;
  });
  return { count, points, counts, failed: counts.reduce((sum, each, own) => sum + (kinds[own].failed ? each : 0), 0), percentiles, isExact: requests === kind.length };
};
`;

/**
 * Colours the points by a choice, tells of the nearest one at the pointer, opens it with a click or Enter, and says what the requests
 * of a range come to.
 */
export const POINTS_SCRIPT = `
${READ_INTEGERS}
${RANGE_FIGURES}
{
  const plot = plots.find(({ figure }) => figure.id === "plot-requests");
  const { figure, frame, svg } = plot;
  const held = JSON.parse(document.getElementById("points").textContent);
  let read;
  const points = () => read ??= { ...held, kind: readIntegers(held.kind), sentMs: sumsOf(readIntegers(held.sentMs)), us: readIntegers(held.us), number: sumsOf(readIntegers(held.number)) };
  const idOf = (index) => {
    const { id, digits } = held.kinds[points().kind[index]];
    return digits === 0 ? id : id + points().number[index].toString(16).padStart(digits, "0");
  };
  const figure4 = (value) => Number(value.toPrecision(4)).toLocaleString("en-US");
  const choice = document.querySelector(".colour-by");
  const chosen = () => held.colourings[choice ? choice.querySelector("select").selectedIndex : 0];
  const xOf = (index) => placeOf(plot.x, points().sentMs[index] / 1000);
  const yOf = (index) => placeOf(plot.y, points().us[index] / 1000);

  const draw = () => {
    const { kind, sentMs } = points();
    const { classes, of } = chosen();
    const paths = classes.map(() => ["", ""]);
    for (let index = 0; index < kind.length; index += 1) {
      if (sentMs[index] < plot.view.from * 1000 || sentMs[index] > plot.view.to * 1000) continue;
      const own = kind[index];
      paths[of[own]][Number(held.kinds[own].failed)] += "M" + (SIZE * xOf(index)).toFixed(1) + " " + (SIZE * (1 - yOf(index))).toFixed(0) + "h0";
    }
    const layers = [...svg.querySelectorAll("g.points")];
    classes.forEach(([, colour], index) => {
      const layer = layers[index] ?? svg.appendChild(layers[0].cloneNode(true));
      layer.dataset.layer = index;
      layer.style.cssText = "--c:var(--" + colour + ")";
      paths[index].forEach((path, place) => layer.children[place].setAttribute("d", path));
    });
    for (const layer of layers.slice(classes.length)) layer.remove();
  };
  const show = plot.show.bind(plot);
  plot.show = (view) => { show(view); draw(); };
  if (choice) {
    choice.hidden = false;
    choice.addEventListener("change", () => {
      draw();
      for (const key of figure.querySelectorAll(".key.points")) key.remove();
      figure.querySelector(".legend").prepend(...chosen().classes.map(([name, colour], index) => {
        const key = element("span", "key points", name);
        key.dataset.layer = index;
        key.style.cssText = "--c:var(--" + colour + ")";
        return key;
      }));
      plot.legend();
    });
  }

  let [height, nearest] = [];
  frame.addEventListener("pointermove", (event) => {
    const { top, height: size } = svg.getBoundingClientRect();
    height = 1 - (event.clientY - top) / size;
  }, true);
  frame.addEventListener("pointerleave", () => { height = undefined; });
  /** The nearest point; where the pointer is in another plot, the slowest of those about as near. */
  plot.cellsAt = (value) => {
    const { kind, sentMs, us } = points();
    const width = plot.view.to - plot.view.from;
    const { width: wide, height: high } = svg.getBoundingClientRect();
    let least = 1e99;
    nearest = undefined;
    for (let index = 0; index < kind.length; index += 1) {
      const across = wide * Math.abs(sentMs[index] / 1000 - value) / width;
      if (height !== undefined && across > 30) continue;
      const far = height === undefined ? Math.floor(across / 4) - us[index] / 1e12 : across ** 2 + (high * (yOf(index) - height)) ** 2;
      if (far < least) [least, nearest] = [far, index];
    }
    return nearest === undefined ? [] : factsOf(nearest);
  };
  const factsOf = (index) => {
    const { kind, sentMs, us } = points();
    const { facts: [op, outcome, tenant, model], isOk } = held.kinds[kind[index]];
    return [["request", idOf(index)], ["operation", op], ["outcome", outcome], ["tenant", tenant], ["model", model], ["sent at", sentMs[index] / 1000 + " s"],
      [isOk ? held.title : "end after", figure4(us[index] / 1000) + " ms"]].filter(([, text]) => text);
  };
  const opened = document.querySelector(".opened");
  const openNearest = () => {
    if (nearest === undefined) return;
    const id = idOf(nearest);
    if (document.getElementById("req-" + id)) {
      location.hash = "#req-" + encodeURIComponent(id);
      return;
    }
    const more = element("p", "small", "More: ");
    more.append(element("code", "", "assay show DIR " + id));
    const facts = element("dl", "facts", "");
    facts.append(...factsOf(nearest).map(([name, text]) => {
      const fact = element("div", "", "");
      fact.append(element("dt", "", name), element("dd", "", text));
      return fact;
    }));
    opened.replaceChildren(facts, more);
  };
  let pressed;
  frame.addEventListener("pointerdown", (event) => { pressed = event.clientX; });
  frame.addEventListener("click", (event) => { if (!event.target.closest("a") && Math.abs(event.clientX - pressed) < 4) openNearest(); });
  frame.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target === frame) openNearest(); });

  const failures = [...document.querySelectorAll("[data-failure]")].map((row) => ({ row, cell: row.cells[2], count: row.cells[2].textContent }));
  ofRange.push((range) => {
    const figures = range && figuresOf(points(), range);
    for (const { row, cell, count } of failures) {
      const own = held.kinds.flatMap(({ facts: [op, outcome] }, index) => op + " " + outcome === row.dataset.failure ? [index] : []);
      const within = figures && own.reduce((sum, index) => sum + figures.counts[index], 0);
      cell.textContent = !figures || own.length === 0 ? count : Math.round(within).toLocaleString("en-US") + " of " + count;
      if (figures && own.length > 0) row.hidden = within === 0;
    }
    if (!figures) return [];
    const { count, points: here, failed, percentiles, isExact } = figures;
    const named = ["p50", "p95", "p99"].map((name, index) => name + " " + (percentiles[index] === undefined ? "-" : figure4(percentiles[index]) + " ms"));
    const about = isExact ? "" : "about ";
    return [about + Math.round(count).toLocaleString("en-US") + " requests sent, " + Math.round(failed).toLocaleString("en-US") + " failed",
      held.title + " of ok requests " + named.join(", "),
      isExact ? "exact" : "estimated from " + here.toLocaleString("en-US") + " points of the page, a sample of the run"];
  });
}
`;
