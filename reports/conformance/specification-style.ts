/** What the page of the annotated specification has beside the common style: its tables, and what of it is shown. */

import { STATEMENT_GROUPS } from "./statements.ts";

const shown = (kind: string): string =>
  `main:has(#show-${kind}:checked) :is(.chapter, .statements):not(:has(.${kind})), main:has(#show-${kind}:checked) .row:not(.${kind}) { display: none; }`;

export const SPECIFICATION_STYLE = `
main { max-width: 1360px; }
.chapter { scroll-margin-top: 12px; }
.chapter .card { padding: 4px 18px; }
.choice { display: flex; flex-wrap: wrap; gap: 6px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); padding: 6px 14px 8px; margin: 16px 0 0; font-size: 14px; }
.choice legend { color: var(--dim); font-size: 12px; padding: 0 4px; }
.choice label { cursor: pointer; }
${Object.keys(STATEMENT_GROUPS).slice(1).map(shown).join("\n")}
:is(.sections, .statements) { table-layout: fixed; }
:is(.sections, .statements) :is(td, th, thead th) { overflow-wrap: anywhere; white-space: normal; }
.sections th > a { white-space: normal; }
.sections thead th:first-child { width: 30%; }
.statements + .statements { border-top: 1px solid var(--line); }
.statements col.item { width: 16%; }
.statements col.statement { width: 32%; }
.several col.item { width: 14%; }
.several col.statement { width: 24%; }
.several table { min-width: calc(400px + 140px * var(--columns)); }
:is(.one .text, .statements + .text) thead { position: absolute; clip-path: inset(50%); }
.mark { display: grid; grid-template-columns: 136px 1fr; align-items: baseline; }
.several .mark { display: flex; flex-wrap: wrap; gap: 0 8px; }
.mark > .tag { justify-self: start; }
.mark > .dim { grid-column: 1 / -1; }
.sections .small { white-space: nowrap; }
.margin { font-size: 13px; }
.margin p { margin: 2px 0; }
.margin ul { list-style: none; margin: 4px 0; padding: 0; }
.margin summary { color: var(--dim); }
.told { display: flex; flex-wrap: wrap; gap: 0 10px; align-items: baseline; }
.told > :is(details[open], p:has(+ p), p + p) { flex-basis: 100%; }
.told details { margin: 0; }
main:has(#show-all:checked) .again > * { display: none; }
.row:target { outline: 2px solid var(--s1); outline-offset: -1px; }
.number { display: inline-block; min-width: 20px; text-align: center; font-size: 12px; font-weight: 600; line-height: 20px; color: var(--tone); background: var(--tone-bg); border-radius: 10px; margin-right: 4px; }
@media (max-width: 620px) {
  .chapter .card { padding: 2px 12px; }
  .statements :is(thead, colgroup), main:has(#show-all:checked) .again { display: none; }
  :is(.sections, .statements), :is(.sections, .statements) :is(tbody, tr, td, th) { display: block; border: 0; padding: 0; }
  :is(.sections, .statements) tbody tr { padding: 8px 0; border-top: 1px solid var(--line); counter-reset: target; }
  .statements:first-child tr:first-child { border-top: 0; }
  .several table { min-width: 0; }
  .sections thead tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 6px 0; }
  .one .sections thead, .sections thead th:first-child { display: none; }
  .rule .item code::before { content: "rule "; }
  .margin .mark { display: flex; flex-wrap: wrap; gap: 0 8px; }
  .margin { margin-top: 3px; }
  .several :is(td.margin, .sections td) { counter-increment: target; }
  .several :is(.mark, .sections td)::before { content: counter(target) " "; color: var(--dim); }
}
@media print {
  .choice { display: none; }
  .several table { min-width: 0; }
  .statements .mark { display: flex; flex-wrap: wrap; gap: 0 8px; }
  .several .tag { font-size: 10px; overflow-wrap: normal; }
  .several .tag, .sections .small { white-space: normal; }
}
`;
