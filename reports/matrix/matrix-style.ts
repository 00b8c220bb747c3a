/** What the page about several targets has beside the common style and without which it is complete: its columns and panels. */

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
table.matrix .small { display: inline-block; line-height: 1.4; margin-top: 3px; }
table.matrix tbody tr:hover > * { background: var(--soft); }
button.tag { border: 1px solid transparent; font-family: inherit; line-height: inherit; cursor: pointer; }
button.tag:hover { border-color: var(--tone); }
:focus-visible { outline: 2px solid var(--s1); outline-offset: 2px; }
.panel { position: fixed; inset: 0 0 0 auto; margin: 0; width: min(760px, 100vw); height: 100vh; max-height: none; overflow: auto; border: 0; border-left: 4px solid var(--tone); background: var(--card); color: var(--ink); padding: 22px 26px 40px; box-shadow: 0 0 40px rgb(0 0 0 / .25); overscroll-behavior: contain; }
.panel::backdrop { background: rgb(0 0 0 / .35); }
.panel h3 { padding-right: 40px; }
.close { position: absolute; top: 14px; right: 18px; width: 34px; height: 34px; font-size: 22px; line-height: 1; color: var(--dim); background: var(--soft); border: 0; border-radius: 8px; cursor: pointer; }
@media print { .panel { display: none; } table.matrix th:first-child { position: static; } }
`;
