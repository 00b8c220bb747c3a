/** The look of plots, for pages that have any. Text keeps its size, whatever the width of the page. */

export const PLOT_STYLE = `
figure.plot { position: relative; padding: 14px 14px 10px; }
.frame { position: relative; height: 190px; margin: 12px 10px 24px 46px; touch-action: pan-y; }
.frame svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: hidden; }
.frame path { fill: none; stroke: none; vector-effect: non-scaling-stroke; }
.frame .grid { stroke: var(--line); stroke-width: 1; }
.line path { stroke: var(--c); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.line.thin path { stroke-width: 1.2; }
.band path { fill: var(--c); fill-opacity: .2; }
.boxes path { fill: var(--c); }
.points path { stroke: var(--c); stroke-width: 3; stroke-linecap: round; }
.points .failed { stroke-width: 5; stroke-linecap: square; }
.dots path { stroke: var(--c); stroke-width: 6; stroke-linecap: round; }
.frame .mark.soft { fill: var(--dim); fill-opacity: .13; }
.frame .mark.bad { fill: var(--bad); fill-opacity: .22; }
.frame .mark.stopped { fill: var(--unsure); fill-opacity: .18; }
.frame .mark.unsteady { fill: var(--unsure); fill-opacity: .8; }
.frame .mark.objective { stroke: var(--good); stroke-width: 1.5; stroke-dasharray: 6 4; }
.frame .mark.objective.missed { stroke: var(--bad); }
.frame .mark.step { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 2 4; }
.frame .mark.stall { stroke: var(--unsure); stroke-width: 3; }
.frame .x span, .frame .y span, .frame .label { position: absolute; font-size: 11px; line-height: 14px; color: var(--dim); white-space: nowrap; }
.frame .x span { top: calc(100% + 4px); transform: translateX(-50%); }
.frame .y span { right: calc(100% + 6px); transform: translateY(50%); }
.frame .label { pointer-events: none; background: color-mix(in srgb, var(--card) 80%, transparent); padding: 0 3px; border-radius: 3px; }
.frame .label.objective { right: 0; margin-bottom: 1px; color: var(--ink); }
.frame .label.step { top: 0; }
.dot { position: absolute; width: 11px; height: 11px; margin: 0 0 -5.5px -5.5px; border-radius: 50%; border: 2px solid var(--card); background: var(--c); }
.dot.hollow { background: var(--card); border-color: var(--c); }
.dot:hover, .dot:focus-visible { outline: 2px solid var(--c); z-index: 2; }
.plot .legend { display: flex; flex-wrap: wrap; gap: 2px 12px; margin-top: 4px; font-size: 12px; color: var(--dim); }
.key { font: inherit; color: inherit; background: none; border: 0; padding: 0; display: inline-flex; align-items: center; gap: 5px; }
button.key { cursor: pointer; }
button.key[aria-pressed="false"] { text-decoration: line-through; }
.key::before { content: ""; width: 12px; height: 4px; border-radius: 2px; background: var(--c); }
.key.thin::before { height: 2px; }
.key.band::before { height: 10px; opacity: .35; }
.key.boxes::before { height: 10px; }
.key:is(.dots, .points, .linked)::before { width: 8px; height: 8px; border-radius: 50%; }
.key.linked::before { background: var(--s5); }
.key.soft::before { height: 10px; background: var(--dim); opacity: .25; }
.key.bad::before { height: 10px; background: var(--bad); opacity: .35; }
.key.stopped::before { height: 10px; background: var(--unsure); opacity: .3; }
.key.unsteady::before { height: 4px; background: var(--unsure); }
.key.stall::before { width: 3px; height: 10px; background: var(--unsure); }
.key.step::before { width: 0; height: 10px; border-left: 1px dashed var(--dim); background: none; }
button.scale { float: right; margin: 2px 0 0 8px; font: inherit; font-size: 12px; font-weight: 400; color: var(--dim); background: var(--soft); border: 1px solid var(--line); border-radius: 5px; padding: 0 7px; cursor: pointer; }
button.scale[aria-pressed="true"] { color: var(--s1); border-color: var(--s1); }
.tip { display: none; position: absolute; top: 6px; z-index: 3; grid-template-columns: auto auto; gap: 0 10px; pointer-events: none; font-size: 12px; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 6px 9px; box-shadow: 0 2px 8px rgb(0 0 0 / .18); white-space: nowrap; }
.tip span { color: var(--dim); }
.tip b { text-align: right; font-weight: 600; font-variant-numeric: tabular-nums; }
#plot-requests .frame { height: 280px; }
#plot-requests .dot { width: 7px; height: 7px; border-width: 1px; margin: 0 0 -3.5px -3.5px; }
#plot-requests .tip b { white-space: normal; overflow-wrap: anywhere; }
.chosen { outline: 1px solid var(--s1); }
.colour-by { display: block; font-size: 13px; color: var(--dim); margin: 8px 0; }
.colour-by select { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 2px 6px; }
.opened { display: block; margin: 8px 0; }
.range { position: sticky; bottom: 8px; z-index: 4; display: flex; gap: 10px; align-items: center; justify-content: space-between; font-size: 13px; background: var(--card); border: 1px solid var(--s1); border-radius: 10px; padding: 6px 12px; box-shadow: 0 2px 8px rgb(0 0 0 / .18); }
.range button { flex: none; }
.range p { margin: 0; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
[hidden] { display: none !important; }
.frame:focus-visible { outline: 2px solid var(--s1); outline-offset: 3px; }
.cursor { display: none; position: absolute; top: 0; bottom: 0; border-left: 1px solid var(--dim); background: color-mix(in srgb, var(--s1) 15%, transparent); pointer-events: none; }
.strip.strip { border: 0; padding: 0; margin: 10px 0; background: none; }
.strip .frame { height: 92px; margin: calc(6px + 18px * var(--lanes)) 10px 22px 46px; }
.strip .y .least { transform: none; }
.strip .below { transform: translateY(calc(100% + 3px)); }
.strip figcaption { font-weight: 400; }
.moment, .time { --tone: var(--dim); --tone-bg: var(--soft); }
.unsure, .doubt { --tone: var(--unsure); --tone-bg: var(--unsure-bg); }
.moment { font: 600 11px/16px system-ui, sans-serif; color: var(--tone); background: var(--tone-bg); border-radius: 3px; height: 16px; min-width: 14px; padding: 0 3px; white-space: nowrap; text-decoration: none; }
a.moment { position: absolute; bottom: calc(100% + 3px + 18px * var(--lane)); overflow: hidden; text-overflow: ellipsis; container-type: inline-size; box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--tone) 45%, transparent); }
a.moment:hover, a.moment:focus-visible { outline: 2px solid var(--tone); }
a.moment.out { overflow: visible; }
.out span { position: absolute; left: calc(100% + 4px); }
.moment.bad, .time.bad { --tone: var(--bad); --tone-bg: var(--bad-bg); }
.moment.soft { font-weight: 400; box-shadow: none; }
.key .soft { background: color-mix(in srgb, var(--dim) 20%, transparent); }
.time { position: absolute; inset: 0 auto; pointer-events: none; background: color-mix(in srgb, var(--tone) 13%, transparent); }
.moment.doubt, .time.doubt { background: repeating-linear-gradient(135deg, transparent 0 4px, color-mix(in srgb, var(--tone) 35%, transparent) 4px 6px); }
.time.step { background: none; border-left: 1px dashed var(--dim); }
.key:has(.moment)::before { content: none; }
.strip .on { fill: var(--bad); }
.strip pattern .line { fill: var(--card); }
.strip [style*="--bad"] path { fill: url(#strip-failed); }
.key.failed::before { background: repeating-linear-gradient(var(--card) 0 1px, var(--bad) 1px 4px); }
@container (max-width: 26px) { .moment:not(.out) span { display: none; } }
.data { font-size: 12px; margin: 0; color: var(--dim); }
.data .scroll { max-height: 260px; overflow: auto; }
.data table { font-size: 12px; }
.data tbody th { min-width: 0; }
details.card { overflow-x: clip; }
details.card > .scroll { scroll-margin-top: 70px; }
.request { border-top: 1px solid var(--line); padding: 6px 0; margin: 0; }
.request > summary code { overflow-wrap: anywhere; }
.request > div { padding: 6px 0 10px; scroll-margin: 80px; }
.request > div:target { margin-top: 8px; outline: 2px solid var(--s1); outline-offset: 4px; border-radius: 6px; }
.waterfall { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 12px; margin: 8px 0 4px; }
.waterfall span { display: grid; grid-template-columns: 1fr 72px 72px; height: 20px; font-size: 12px; line-height: 18px; white-space: nowrap; gap: 0 8px; }
.waterfall b, .waterfall i { text-align: right; font-style: normal; font-variant-numeric: tabular-nums; }
.waterfall i { color: var(--dim); }
.waterfall svg { width: 100%; display: block; border-radius: 5px; background: var(--soft); }
.waterfall path, .spark path { vector-effect: non-scaling-stroke; }
.waterfall .ticks { stroke: var(--ink); stroke-width: 1; fill: none; }
.spark { width: 130px; height: 18px; vertical-align: middle; }
.lane { overflow: hidden; display: grid; grid-template-columns: minmax(150px, 34%) 1fr; gap: 2px 10px; align-items: center; font-size: 12px; padding: 2px 0; border-bottom: 1px solid var(--line); }
.lane i { display: block; position: relative; height: 10px; border-radius: 3px; min-width: 3px; background: var(--c); }
@media (max-width: 900px) { a.moment.out { overflow: hidden; } a.moment.out span { display: none; } }
@media (max-width: 620px) { .lane, .waterfall { grid-template-columns: minmax(0, 1fr); } .frame { margin-left: 42px; } figure.plot { padding: 12px 10px 8px; } }
@media print { .data, button.scale, .colour-by { display: none; } }
`;
