/** What the page of a conformance result has beside the common style. */

export const CONFORMANCE_STYLE = `
.clause h3 { margin: 0 0 6px; font: 600 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.clause .says { display: grid; grid-template-columns: 130px 1fr; gap: 4px 12px; margin: 0; }
.clause .says dt { color: var(--dim); font-size: 13px; }
.clause .says dd { margin: 0; overflow-wrap: anywhere; }
.says details { margin: 0; }
a.statement { color: inherit; text-decoration-color: var(--dim); }
.meter { display: flex; height: 12px; border-radius: 6px; overflow: hidden; background: var(--soft); gap: 2px; margin: 12px 0 6px; }
.meter span { background: var(--tone); min-width: 3px; }
@media (max-width: 620px) {
  .clause .says { grid-template-columns: 1fr; gap: 0; }
  .clause .says dd { margin-bottom: 6px; }
}
html { scroll-padding-top: 12px; }
.contents { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 12px 0 0; font-size: 14px; }
.unfolded { scroll-margin-top: 110px; padding: 2px 0 8px; }
.clause { scroll-margin-top: 120px; }
.clause h3 a { color: inherit; text-decoration: none; }
.clause h3 a:hover { text-decoration: underline; }
.name { font-weight: 600; min-width: 90px; }
.part { border-top: 1px solid var(--line); margin: 0; padding: 8px 0 0 14px; }
.part:last-child { padding-bottom: 4px; }
.part > summary { display: flex; gap: 4px 8px; align-items: baseline; flex-wrap: wrap; padding: 0 0 8px; }
.area > summary::before, .part > summary::before { content: "▸"; color: var(--dim); width: 10px; }
.area[open] > summary::before, .part[open] > summary::before { content: "▾"; }
.area > summary::-webkit-details-marker, .part > summary::-webkit-details-marker { display: none; }
ul.clauses { list-style: none; margin: 0 0 6px; padding: 0; }
.row { border-top: 1px solid var(--line); }
.row > details { margin: 0; }
.row > details > summary { display: grid; grid-template-columns: 116px minmax(180px, 330px) 1fr; gap: 2px 12px; align-items: baseline; padding: 6px 0 6px 8px; list-style: none; }
.row > details > summary::-webkit-details-marker { display: none; }
.row > details > summary:hover { background: var(--soft); }
.row summary .tag { justify-self: start; }
.row code { overflow-wrap: anywhere; }
.row .what { overflow-wrap: anywhere; }
.row > details > :not(summary) { margin-left: 8px; }
.row .says { display: grid; grid-template-columns: 116px 1fr; gap: 4px 12px; margin: 4px 0; }
.row .says dt { color: var(--dim); font-size: 13px; }
.row .says dd { margin: 0; overflow-wrap: anywhere; }
.exchange > summary { overflow-wrap: anywhere; }
:target { outline: 2px solid var(--s1); outline-offset: 6px; border-radius: 4px; }
.copy { float: right; font: inherit; font-size: 12px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 1px 9px; margin: 6px 8px 0; cursor: pointer; position: relative; }
@media (max-width: 620px) {
  .row > details > summary { grid-template-columns: auto 1fr; }
  .row .what { grid-column: 1 / -1; }
  .row .says { grid-template-columns: 1fr; gap: 0; }
  .unfolded, .clause { scroll-margin-top: 70px; }
  .part { padding-left: 4px; }
}
@media print { .copy { display: none; } }
`;
