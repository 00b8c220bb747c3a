/** The look of every page: light and dark by the reader's system, readable on a phone and on paper. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --bg: #f5f6f8; --card: #ffffff; --ink: #161b22; --dim: #5a6472; --line: #e2e6eb; --soft: #f0f2f5;
  --good: #12734a; --good-bg: #e4f4ec; --bad: #b4232f; --bad-bg: #fce9ea; --unsure: #8a5a00; --unsure-bg: #fdf2d9;
  --s1: #2b50c8; --s2: #dd640f; --s3: #a95fe0; --s4: #2a9d78; --s5: #8a1f60; --s6: #6b7688;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0e1116; --card: #161b22; --ink: #e6eaf0; --dim: #97a2b1; --line: #2a323d; --soft: #1d242d;
    --good: #52d196; --good-bg: #12291f; --bad: #ff8188; --bad-bg: #32171a; --unsure: #f0bd57; --unsure-bg: #2d2411;
    --s1: #6aa0f8; --s2: #f5bd45; --s3: #8668ee; --s4: #5eead4; --s5: #c4559a; --s6: #aab6c8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
.brand { display: flex; justify-content: space-between; gap: 12px; flex-wrap: wrap; color: var(--dim); font-size: 13px; margin-bottom: 14px; }
.brand b { color: var(--ink); letter-spacing: .02em; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; text-wrap: balance; }
h2 { font-size: 17px; margin: 34px 0 10px; }
.contents + h2 { margin-top: 20px; }
h3 { font-size: 15px; margin: 18px 0 6px; }
p { margin: 6px 0; }
a { color: var(--s1); }
h1, h3, p, li { overflow-wrap: anywhere; }
tbody th > a { white-space: nowrap; }
.dim { color: var(--dim); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 12px 0; }
.verdict { border-left: 6px solid var(--tone); }
.verdict .word { display: inline-block; font-weight: 700; font-size: 13px; letter-spacing: .06em; color: var(--tone); background: var(--tone-bg); border-radius: 6px; padding: 3px 10px; margin-bottom: 8px; }
.good { --tone: var(--good); --tone-bg: var(--good-bg); }
.bad { --tone: var(--bad); --tone-bg: var(--bad-bg); }
.unsure { --tone: var(--unsure); --tone-bg: var(--unsure-bg); }
.none { --tone: var(--dim); --tone-bg: var(--soft); }
.tag { display: inline-block; font-size: 12px; font-weight: 600; white-space: nowrap; color: var(--tone); background: var(--tone-bg); border-radius: 5px; padding: 1px 8px; }
.contents { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 13px; margin: 10px 2px 0; }
.reasons { margin: 8px 0 0; padding-left: 18px; }
.remarks { color: var(--dim); font-size: 13px; }
ol.card { padding-left: 42px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 10px 22px; margin: 0; }
.facts dt { color: var(--dim); font-size: 12px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; margin: 12px 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 13px 16px; }
.tile .value { font-size: 25px; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.tile .value.absent { font-size: 16px; font-weight: 500; color: var(--dim); padding: 4px 0; }
.tile .name { font-size: 13px; }
.tile .note { font-size: 12px; color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--dim); font-size: 12px; white-space: nowrap; }
table.numbers td, table.numbers thead th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding: 6px 0 6px 14px; }
table.numbers tbody th { min-width: 150px; }
.small { color: var(--dim); font-size: 12px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12.5px; }
pre { background: var(--soft); border-radius: 8px; padding: 10px 12px; margin: 6px 0; overflow: auto; max-height: 420px; white-space: pre-wrap; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 12px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 14px 6px; min-width: 0; }
figcaption { font-size: 14px; font-weight: 600; }
figcaption span { display: block; font-weight: 400; font-size: 12px; color: var(--dim); }
table.bars td:last-child { width: 45%; vertical-align: middle; }
.tiles.unusable .tile { border-style: dashed; }
.tiles.unusable .value { color: var(--dim); font-weight: 500; }
table.objectives tbody th { min-width: min(220px, 36vw); overflow-wrap: anywhere; }
table.objectives td:nth-child(2) { width: 60%; }
table.objectives td:last-child { width: 1%; padding-right: 0; }
table.failures tbody th { min-width: 140px; }
table.failures td { white-space: nowrap; }
table.failures td:last-child { min-width: 220px; white-space: normal; overflow-wrap: anywhere; }
.bullet { display: block; position: relative; min-width: 60px; margin: 6px 2px 4px 0; border-radius: 4px; background: var(--soft); }
.bullet .bound { position: absolute; top: -2px; width: 2px; height: 12px; margin-left: -1px; background: var(--ink); }
.bar { display: block; height: 8px; min-width: 2px; border-radius: 4px; background: var(--tone); }
details { margin: 8px 0; }
summary { cursor: pointer; }
.fold { padding: 5px 18px; margin: 6px 0; }
.fold > summary :is(h2, h3) { display: inline; font-size: 15px; margin: 0 6px 0 0; }
.fold > summary .dim { font-size: 13px; overflow-wrap: anywhere; }
.fold > div { scroll-margin-top: 60px; }
.fold > div > section.card { border: 0; padding: 0; margin: 8px 0 0; }
.clause { border-left: 4px solid var(--tone); padding: 12px 16px; }
@media (max-width: 620px) {
  main { padding: 18px 12px 40px; }
  h1 { font-size: 21px; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tile .value { font-size: 20px; }
  table:is(.objectives, .failures) thead { display: none; }
  table:is(.objectives, .failures) tr:not(:last-child) { border-bottom: 1px solid var(--line); }
  table:is(.objectives, .failures) tr > * { border: 0; }
  table.objectives tr { display: grid; grid-template-columns: 1fr auto; }
  table.objectives td:nth-child(2) { grid-area: 2 / 1 / 3 / 3; width: auto; padding-top: 0; }
  table.failures tr { display: flex; flex-wrap: wrap; padding: 4px 0; }
  table.failures tr > * { padding: 2px 10px 2px 0; }
  table.failures tbody th, table.failures td:last-child { flex-basis: 100%; min-width: 0; }
  table.failures tbody th { font-weight: 600; }
}
@media print { * { print-color-adjust: exact; } body { background: none; } .contents { display: none !important; } figure, tr, .tiles { break-inside: avoid; } h2, h3 { break-after: avoid; } .charts { grid-template-columns: 1fr 1fr; } .scroll { overflow: visible; } table { font-size: 12px; } th, td, thead th { white-space: normal !important; padding-left: 0 !important; padding-right: 8px !important; } table.failures td:last-child, table.numbers tbody th { min-width: 0; } td:last-child { overflow-wrap: anywhere; } table.numbers td:last-child { overflow-wrap: normal; } .fold::details-content { content-visibility: visible; display: block; } }
`;
