/** What the page about several targets has beside the common style and without which it is complete: its columns. */

export const MATRIX_STYLE = `
main { max-width: 1360px; }
.targets { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 12px; counter-reset: target; }
.target { margin: 0; border-top: 4px solid var(--tone); counter-increment: target; }
.target h3 { margin: 0 0 6px; overflow-wrap: anywhere; }
.target h3::before { content: counter(target); }
.target h3::before, .number { display: inline-block; min-width: 20px; text-align: center; font-size: 12px; font-weight: 600; line-height: 20px; color: var(--tone); background: var(--tone-bg); border-radius: 10px; margin-right: 6px; }
.target .facts { grid-template-columns: repeat(auto-fit, minmax(84px, 1fr)); margin: 12px 0; }
.target .facts dd { white-space: nowrap; }
.rows > summary { font-weight: 600; }
.rows .card { padding-bottom: 8px; }
h2 .dim, summary .dim { font-weight: 400; }
table.matrix { table-layout: fixed; border-collapse: separate; border-spacing: 0; min-width: calc(260px + 190px * (var(--columns, 2))); }
table.matrix caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
table.matrix thead th { white-space: normal; overflow-wrap: anywhere; color: var(--ink); font-size: 13px; vertical-align: bottom; }
table.matrix th:first-child { width: 300px; position: sticky; left: 0; background: var(--card); overflow-wrap: anywhere; }
table.matrix td { overflow-wrap: anywhere; }
table.matrix .small { display: block; line-height: 1.4; margin-top: 3px; }
table.matrix tbody tr:hover > * { background: var(--soft); }
table.matrix a.tag { text-decoration: none; border: 1px solid transparent; white-space: normal; }
table.matrix a.tag:hover { border-color: var(--tone); }
@media (max-width: 620px) {
  .rows .card, .card.rows { padding: 10px; }
  table.matrix { min-width: calc(112px + 84px * var(--columns, 2)); font-size: 12px; }
  table.matrix th:first-child { width: 112px; padding-right: 8px; }
  table.matrix th code { font-size: 11px; }
  table.matrix td { padding-right: 6px; }
  table.matrix .small { display: none; }
  table.matrix thead th { font-size: 11px; }
  table.matrix .number { display: block; width: 20px; }
  table.matrix a.tag { font-size: 11px; padding: 3px 6px; }
}
@media print { table.matrix th:first-child { position: static; } }
`;
