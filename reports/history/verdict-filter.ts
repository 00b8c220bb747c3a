/** A script for pages that list verdicts; without it a page is complete. */

/**
 * A press on a button of the bar `.filter` shows only the rows that have the button's verdict among their tags, and opens the
 * groups `.rows` that have such rows; a second press shows all.
 */
export const VERDICT_FILTER = `
const filter = document.querySelector(".filter");
filter.style.display = "flex";
filter.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const other of filter.children) other.setAttribute("aria-pressed", String(on && other === button));
  const fits = (row) => [...row.querySelectorAll(".tag")].some(({ textContent }) => textContent === button.dataset.verdict);
  for (const group of document.querySelectorAll(".rows")) {
    let some = false;
    for (const row of group.querySelectorAll("tbody tr")) {
      row.hidden = on && !fits(row);
      some ||= !row.hidden;
    }
    group.hidden = !some;
    if (group.tagName === "DETAILS") group.open = on && some;
  }
});
`;
