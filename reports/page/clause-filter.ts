/** Finding clauses on a page that lists many: a search, an area, a level and verdicts. Without its script a page is complete. */

import { LEVELS, type Level, VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { formatNumber } from "../numbers.ts";
import { type Html, html } from "./html-template.ts";

/** What a page can be searched by. */
export interface Filterable {
  readonly area: string;
  readonly level: Level;
  readonly verdicts: readonly Verdict[];
}

/** The attributes of an element that the filter shows and hides. */
export const filterData = ({ area, level, verdicts }: Filterable): Html =>
  html` data-area="${area}" data-level="${level}" data-verdicts="${[...new Set(verdicts)].join(" ")}"`;

/** The bar of controls, for what a page lists. A script shows it. */
export function filterBar(rows: readonly Filterable[]): Html {
  const areas = [...new Set(rows.flatMap(({ area }) => [topOf(area), area]))].toSorted();
  const levels = LEVELS.filter((level) => rows.some((row) => row.level === level));
  const verdicts = VERDICTS.map(
    (verdict) => [verdict, rows.filter((row) => row.verdicts.includes(verdict)).length] as const,
  );
  const options = (names: readonly string[]) => names.map((name) => html`<option>${name}</option>`);
  return html`<form class="filter clauses-filter" role="search" aria-label="Clauses">
<input type="search" name="words" placeholder="Search clauses" aria-label="Search clauses" autocomplete="off" spellcheck="false">
<select name="area" aria-label="Area"><option value="">all areas</option>${options(areas)}</select>
<select name="level" aria-label="Level"><option value="">all levels</option>${options(levels)}</select>
<div class="chips" role="group" aria-label="Verdicts">${verdicts.map(([verdict, count]) => (count === 0 ? html`` : html`<button type="button" aria-pressed="false" data-verdict="${verdict}">${verdict} ${formatNumber(count)}</button>`))}</div>
<output aria-live="polite"></output> <button type="button" class="all" hidden>show all</button>
</form>
<p class="nothing" hidden>No clause matches. Change the search, or show all.</p>`;
}

const topOf = (area: string): string => area.split(".")[0] ?? area;

/** Buttons that show and hide what a page lists. */
export const FILTER_BUTTONS = `
.filter { display: none; gap: 6px; flex-wrap: wrap; margin: 10px 0; }
.filter button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 999px; padding: 3px 12px; cursor: pointer; }
.filter button[aria-pressed="true"] { border-color: var(--s1); color: var(--s1); }
@media print { .filter { display: none !important; } }
`;

export const FILTER_STYLE = `${FILTER_BUTTONS}
.area > summary { display: flex; gap: 8px; align-items: baseline; flex-wrap: wrap; font-weight: 600; padding: 4px 0; }
.area { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 8px 16px; }
.area td, .area tbody th { overflow-wrap: anywhere; }
.area tbody th code { white-space: nowrap; }
.clauses-filter { align-items: center; gap: 8px; position: sticky; top: 0; z-index: 2; background: var(--bg); padding: 8px 0; margin: 6px 0; }
.clauses-filter input, .clauses-filter select { font: inherit; font-size: 14px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 6px 10px; min-width: 0; }
.clauses-filter input { flex: 1 1 200px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; flex: 1 1 60%; }
.chips button { cursor: pointer; }
.clauses-filter output { font-size: 13px; color: var(--dim); }
.nothing { color: var(--dim); padding: 8px 0; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--s1); outline-offset: 2px; }
@media (max-width: 620px) {
  .clauses-filter { position: static; }
  .clauses-filter input { flex-basis: 100%; }
  .clauses-filter select { flex: 1 1 40%; }
  .chips { flex-basis: 100%; }
}
`;

/**
 * Shows the elements with the chosen area, level and verdict that contain every word of the search; of the groups `.rows` it opens
 * those that have one, and hides the others. Elements of the class `row` are counted. An address with the anchor of a hidden clause
 * shows all again.
 */
export const FILTER_SCRIPT = `
{
  const form = document.querySelector(".clauses-filter");
  const [words, area, level] = ["words", "area", "level"].map((name) => form.elements.namedItem(name));
  const buttons = [...form.querySelectorAll("[data-verdict]")];
  const rows = [...document.querySelectorAll("[data-verdicts]")];
  const groups = [...document.querySelectorAll(".rows")];
  const open = new Map(groups.map((group) => [group, group.open]));
  const counted = rows.filter((row) => row.classList.contains("row"));
  const texts = new Map();
  const textOf = (row) => texts.get(row) ?? texts.set(row, row.textContent.toLowerCase()).get(row);
  const update = () => {
    const wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const verdicts = buttons.filter((button) => button.getAttribute("aria-pressed") === "true").map(({ dataset }) => dataset.verdict);
    const active = wanted.length + verdicts.length > 0 || area.value !== "" || level.value !== "";
    for (const row of rows) {
      const { dataset } = row;
      const has = dataset.verdicts.split(" ");
      row.hidden = !(
        (area.value === "" || (dataset.area + ".").startsWith(area.value + ".")) &&
        (level.value === "" || dataset.level === level.value) &&
        (verdicts.length === 0 || verdicts.some((verdict) => has.includes(verdict))) &&
        wanted.every((word) => textOf(row).includes(word))
      );
    }
    for (const group of groups) {
      const some = group.querySelector("[data-verdicts]:not([hidden])") !== null;
      group.hidden = !some;
      if (group.tagName === "DETAILS") group.open = active ? some : open.get(group);
    }
    const shown = counted.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = (active ? shown + " of " : "") + counted.length + " clauses";
    form.querySelector(".all").hidden = !active;
    document.querySelector(".nothing").hidden = shown > 0;
  };
  const clear = () => {
    form.reset();
    for (const button of buttons) button.setAttribute("aria-pressed", "false");
    update();
  };
  form.style.display = "flex";
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".all").addEventListener("click", clear);
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-verdict]");
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    update();
  });
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const reveal = () => {
    const anchor = document.getElementById(decoded(location.hash.slice(1)));
    if (!anchor) return;
    if (anchor.closest("[hidden]")) clear();
    for (let each = anchor.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    anchor.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  update();
  reveal();
}
`;
