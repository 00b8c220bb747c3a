/** Requests of a page, each as a timeline: when it was due, sent, had its headers, its chunks and stalls, and ended. */

import { OPS } from "../../../contract/operations.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { NotableRequest } from "../../../formats/run-requests.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { formatFigure, formatNumber, formatSeconds, formatValue, plural } from "../../numbers.ts";
import { type Html, html, htmlFacts } from "../../page/html-template.ts";
import { tag } from "../../page/page.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { requestCurl } from "./request-curl.ts";
import { type ListedRequest, requestLists, requestTable } from "./request-rows.ts";
import { waterfallHtml } from "./waterfall.ts";

type Listed = Pick<RunResult, "requests" | "target" | "tenants">;

/** The lists of requests, each request as a timeline where it is listed first; its id is an anchor. */
export function requestCards(run: Listed): Html[] {
  const shown = new Set<string>();
  const told = new Set<number>();
  return requestLists(run).map(({ by, title, list }) => {
    const { head, rows } = requestTable(list);
    const hasGaps = list.some(({ gapsMs }) => gapsMs !== undefined);
    const table = rows.map(([id = "", ...cells], index) => [
      html`<a href="#req-${id}"><code>${id}</code></a>`,
      ...(hasGaps ? [sparkline(list[index]?.gapsMs ?? [])] : []),
      ...cells,
    ]);
    const fresh = list.filter(({ id }) => !shown.has(id));
    for (const { id } of fresh) shown.add(id);
    const [first = "", ...others] = head;
    return html`<details class="card"><summary>${title} (${formatNumber(list.length)})</summary><div class="scroll" id="requests-${by}" tabindex="0" role="region" aria-label="${title}"><table class="numbers"><thead><tr>${[first, ...(hasGaps ? ["gaps"] : []), ...others].map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${table.map(([id, ...cells], index) => html`<tr data-t="${list[index]?.sentS}"><th scope="row">${id}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>
${fresh.map((request) => card(request, run, relatedOf(run, request, told)))}</details>`;
  });
}

/** The requests of its arrival, with the first of them that is shown. */
function relatedOf(
  { requests }: Pick<RunResult, "requests">,
  { id, arrival }: NotableRequest,
  told: Set<number>,
): readonly NotableRequest[] {
  if (arrival === undefined || told.has(arrival)) return [];
  told.add(arrival);
  return requests?.related?.find((list) => list.some((other) => other.id === id)) ?? [];
}

function card(request: ListedRequest, { requests, target }: Listed, related: readonly NotableRequest[]): Html {
  const { id, op, outcome, status, sentS, reason } = request;
  const isOk = outcome === "ok";
  return html`<details class="request" data-t="${sentS}"><summary><code>${id}</code> ${tag(isOk ? "ok" : failureName({ outcome, status }), isOk ? "good" : "bad")} ${op}, sent at ${formatSeconds(sentS)}</summary>
<div id="req-${id}">${reason === undefined ? "" : html`<p>${reason}</p>`}${waterfallHtml(
    request,
    requests?.median?.find((other) => other.op === op),
  )}${htmlFacts(factsOf(request))}${lanes(related)}${curlOf(request, target)}<p class="small">More: <code>assay show DIR ${id}</code></p></div></details>
`;
}

/** A command that sends such a request; the prompt itself is not recorded. */
function curlOf({ op, model, maxTokens, task }: NotableRequest, target: string): Html {
  const kind = OPS.find((each) => each === op);
  const command = kind && requestCurl({ op: kind, model, max_tokens: maxTokens, task }, target);
  if (command === undefined) return html``;
  return html`<p class="small">Send one like it:</p><pre class="curl" tabindex="0">${command}</pre>`;
}

const ms = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : formatValue(value, "ms");

function factsOf(request: ListedRequest): [string, string][] {
  const {
    sentS,
    lateMs,
    ttfbMs,
    ttftMs,
    e2eMs,
    gapMs,
    chunks,
    stallsMs,
    inputTokens,
    outputTokens,
    model,
    workload,
    tenant,
    turn,
    task,
    completion,
    traceId,
  } = request;
  const all: [string, string | undefined][] = [
    [
      "sent",
      `${sentS.toFixed(3)} s of the run${lateMs === undefined ? "" : `, ${formatFigure(Math.max(0, lateMs))} ms after it was due`}`,
    ],
    ["headers after", ms(ttfbMs)],
    ["first token after", ms(ttftMs)],
    [
      "chunks",
      chunks === undefined
        ? undefined
        : `${formatNumber(chunks)}${gapMs === undefined ? "" : `, largest gap ${formatValue(gapMs, "ms")}`}`,
    ],
    [
      "stalls",
      stallsMs?.map(([from, to]) => `${formatValue(to - from, "ms")} from ${formatValue(from, "ms")} on`).join(", "),
    ],
    ["end after", ms(e2eMs)],
    [
      "tokens",
      inputTokens === undefined && outputTokens === undefined
        ? undefined
        : [
            ...(inputTokens === undefined ? [] : [`${formatNumber(inputTokens)} in`]),
            ...(outputTokens === undefined ? [] : [`${formatNumber(outputTokens)} out`]),
          ].join(", "),
    ],
    ["model", model],
    ["workload", workload],
    ["tenant", tenant],
    ["turn", turn === undefined ? undefined : String(turn)],
    ["video task", task],
    ["completion", completion],
    ["trace", traceId],
  ];
  return all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as [string, string]]));
}

const SIZE = 1_000;

/** Of fewer gaps than this, bars are as narrow as of this many. */
const FEW_GAPS = 25;

/** The gaps in their order as bars; what is a stall has another colour. */
function sparkline(gaps: readonly number[]): Html {
  if (gaps.length < 2) return html``;
  const most = gaps.reduce((max, gap) => Math.max(max, gap), 0.001);
  const width = SIZE / Math.max(gaps.length, FEW_GAPS);
  const bars = (isOne: (gap: number) => boolean): string =>
    gaps
      .flatMap((gap, index) =>
        isOne(gap)
          ? [
              `M${(index * width).toFixed(0)} 100v-${Math.max(4, (100 * gap) / most).toFixed(0)}h${(width * 0.8).toFixed(1)}V100z`,
            ]
          : [],
      )
      .join("");
  return html`<svg class="spark" viewBox="0 0 ${SIZE} 100" preserveAspectRatio="none" role="img" aria-label="${plural(gaps.length, "gap")} of up to ${formatValue(most, "ms")}"><path fill="var(--s1)" d="${bars((gap) => gap <= STALL_MS)}"/><path fill="var(--unsure)" d="${bars((gap) => gap > STALL_MS)}"/></svg>`;
}

/** The requests of an arrival, one below another on the same time. */
function lanes(related: readonly NotableRequest[]): Html {
  if (related.length === 0) return html``;
  const from = related.reduce((least, { sentS }) => Math.min(least, sentS), Number.POSITIVE_INFINITY);
  const to = related.reduce((most, { sentS, e2eMs = 0 }) => Math.max(most, sentS + e2eMs / 1_000), from + 0.001);
  const percent = (seconds: number): string => `${((100 * seconds) / (to - from)).toFixed(2)}%`;
  const rows = related.map(({ op, turn, outcome, status, sentS, e2eMs = 0, state, progress }) => {
    const isOk = outcome === "ok";
    const what = [
      turn === undefined ? op : `turn ${turn}`,
      isOk ? undefined : failureName({ outcome, status }),
      state,
      progress === undefined ? undefined : `${progress}%`,
    ];
    return html`<div class="lane"><span>${what.filter((part) => part !== undefined).join(", ")} <span class="dim">at ${formatNumber(Number((sentS - from).toFixed(3)))} s, ${formatValue(e2eMs, "ms")}</span></span><i style="left:${percent(sentS - from)};width:${percent(e2eMs / 1_000)};--c:var(--${isOk ? "s1" : "bad"})"></i></div>`;
  });
  const isTask = related.some(({ op }) => op.startsWith("video."));
  return html`<h3>${isTask ? "Calls of the video task" : related.some(({ turn }) => turn !== undefined) ? "Turns of the conversation" : "Requests of the arrival"}</h3>${rows}`;
}
