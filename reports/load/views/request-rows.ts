/** Requests of a load as rows of text, the same in every view, and one request as a timeline. */

import type { RequestRecord } from "../../../formats/records.ts";
import type { RunResult } from "../../../formats/run.ts";
import type { NotableRequest } from "../../../formats/run-requests.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { csvOf } from "../../csv.ts";
import { formatFigure, formatNumber, formatSeconds, formatValue, plural } from "../../numbers.ts";
import { barOf } from "../../terminal-text.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { quantile } from "../stats/quantiles.ts";
import type { Table } from "./breakdown-tables.ts";

type Cell = string | undefined;

const figure = (value: number | undefined): Cell => (value === undefined ? undefined : formatFigure(value));
const whole = (value: number | undefined): Cell => (value === undefined ? undefined : formatNumber(value));

/** A request, with the tenant on whose behalf it was sent, where that is known. */
export type ListedRequest = NotableRequest & { readonly tenant?: string };

/** What a column shows of a request. */
const COLUMNS: readonly (readonly [head: string, cell: (request: ListedRequest) => Cell])[] = [
  ["request", ({ id }) => id],
  ["operation", ({ op }) => op],
  ["workload", ({ workload }) => workload],
  ["tenant", ({ tenant }) => tenant],
  ["model", ({ model }) => model],
  ["turn", ({ turn }) => whole(turn)],
  ["video task", ({ task }) => task],
  ["sent at", ({ sentS }) => formatSeconds(sentS)],
  ["ttft ms", ({ ttftMs }) => figure(ttftMs)],
  ["largest gap ms", ({ gapMs }) => figure(gapMs)],
  ["e2e ms", ({ e2eMs }) => figure(e2eMs)],
  ["tokens in", ({ inputTokens }) => whole(inputTokens)],
  ["tokens out", ({ outputTokens }) => whole(outputTokens)],
  ["completion", ({ completion }) => completion],
  ["outcome", ({ outcome, status }) => (outcome === "ok" ? undefined : failureName({ outcome, status }))],
  ["reason", ({ reason }) => reason],
];

/** A row per request; columns in which none has anything are left out. The first is the id. */
export function requestTable(requests: readonly ListedRequest[]): Table {
  const shown = COLUMNS.filter(([, cell]) => requests.some((request) => cell(request) !== undefined));
  return {
    head: shown.map(([head]) => head),
    rows: requests.map((request) => shown.map(([, cell]) => cell(request) ?? "")),
  };
}

const TITLES: Readonly<Record<string, string>> = {
  ttft: "Slowest by time to first token",
  gap: "Slowest by the largest gap between two chunks",
  e2e: "Slowest by time to the last byte",
};

/** The requests of a run to look at, a list for each reason to do so. */
export function requestLists({
  requests,
  tenants = {},
}: Listing): { by: string; title: string; list: ListedRequest[] }[] {
  const { slowest = {}, failed = [] } = requests ?? {};
  const tenantOf = new Map(
    Object.entries(tenants).flatMap(([tenant, { workloads }]) => workloads.map((name) => [name, tenant] as const)),
  );
  const withTenant = (request: NotableRequest): ListedRequest => {
    const tenant = tenantOf.get(request.workload ?? "");
    return tenant === undefined ? request : { ...request, tenant };
  };
  return [
    { by: "failed", title: "Failed", list: failed },
    ...Object.entries(slowest).map(([by, list]) => ({ by, title: TITLES[by] ?? by, list })),
  ].flatMap(({ list, ...more }) => (list.length > 0 ? [{ ...more, list: list.map(withTenant) }] : []));
}

/** What lists of requests are made of. */
type Listing = Pick<RunResult, "requests"> & Partial<Pick<RunResult, "tenants">>;

/** The same as tables. */
export const requestTables = (run: Listing): { title: string; table: Table }[] =>
  requestLists(run).map(({ title, list }) => ({ title, table: requestTable(list) }));

/** Requests as lines of CSV, with a head: what `run.json` says of each, by its names. */
export function requestCsv(requests: readonly NotableRequest[]): string {
  const values = requests.map(
    (request) => new Map(Object.entries(request).filter(([, value]) => !Array.isArray(value))),
  );
  const names = [...new Set(values.flatMap((each) => [...each.keys()]))];
  const rows = values.map((each) => names.map((name) => String(each.get(name) ?? "")));
  return csvOf([names, ...rows]);
}

/**
 * A request from the moment when it was due to its end: names and texts.
 * @param origin instant of second 0 of the run, in milliseconds
 */
export function requestTimeline(record: RequestRecord, origin: number): [string, string][] {
  const at = (instant: string): string => `${((readInstant(instant) - origin) / 1_000).toFixed(3)} s`;
  const after = (ms: number | undefined, more = ""): Cell =>
    ms === undefined ? undefined : `after ${formatValue(ms, "ms")}${more}`;
  const { op, outcome, status, detail, tags = {}, flags = [], slot_wait: wait = 0, turn, turns } = record;
  const lines: [string, Cell][] = [
    ["operation", `${op}, in the phase ${record.phase}`],
    ["outcome", outcome === "ok" ? "ok" : failureName({ outcome, status, clientFault: record.client_fault })],
    ["reason", detail],
    ["due", `at ${at(record.scheduled)} of the run`],
    ["sent", `at ${at(record.sent)}${wait > 0 ? `, after ${formatValue(wait, "ms")} without a free slot` : ""}`],
    ["connection", connectionOf(record)],
    ["headers", after(record.ttfb, status ? `, status ${status}` : "")],
    ["first token", after(record.ttft)],
    ["chunks", chunksOf(record)],
    ["gaps", sparkline(record.gaps_us ?? [])],
    ["stalls", stallsOf(record.gaps_us ?? [])],
    ["[DONE]", after(record.done)],
    ["end", after(record.e2e, record.bytes === undefined ? "" : `, ${plural(record.bytes, "byte")}`)],
    ["tokens", tokensOf(record)],
    ["model", record.model],
    ["workload", record.workload],
    ["turn", turn === undefined ? undefined : `${turn}${turns === undefined ? "" : ` of ${turns}`}`],
    ["arrival", whole(record.arrival)],
    ["video task", taskOf(record)],
    ["unusual", flags.length === 0 ? undefined : flags.join(", ")],
    ["completion", record.completion],
    ["trace", record.trace_id],
    ...Object.entries(tags).map(([name, value]): [string, Cell] => [`tag ${name}`, value]),
  ];
  return lines.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as [string, string]]));
}

function connectionOf({ reused, proto, resent, address, ...phases }: RequestRecord): Cell {
  if (reused === undefined && proto === undefined && address === undefined) return undefined;
  const kind = reused === undefined ? [] : [reused ? "used before" : "new"];
  const again = resent === undefined || resent === false || resent === 0 ? [] : ["sent again on it"];
  const named = [phase("look-up", phases.lookup), phase("connect", phases.connect), phase("TLS", phases.tls)].flat();
  const to = address === undefined ? [] : [`to ${address}`];
  return [...kind, ...to, ...named, ...(proto === undefined ? [] : [proto]), ...again].join(", ");
}

const phase = (name: string, ms: number | undefined): readonly string[] =>
  ms === undefined ? [] : [`${name} ${formatValue(ms, "ms")}`];

function chunksOf({ chunks, coalesced = 0, gaps_us: gaps = [] }: RequestRecord): Cell {
  if (chunks === undefined) return undefined;
  const ordered = gaps.toSorted((a, b) => a - b);
  const [median, most] = [ordered.length === 0 ? undefined : quantile(ordered, 500), ordered.at(-1)];
  return [
    formatNumber(chunks),
    ...(coalesced > 0 ? [`${formatNumber(coalesced)} of them in one read with the one before`] : []),
    ...(median === undefined || most === undefined
      ? []
      : [`gaps of ${formatValue(median / 1_000, "ms")} (median) to ${formatValue(most / 1_000, "ms")}`]),
  ].join(", ");
}

const WIDTH = 60;

/** The gaps in their order as bars, each as high as the largest of those that it stands for. */
export function sparkline(gaps: readonly number[]): Cell {
  if (gaps.length < 2) return undefined;
  const width = Math.min(WIDTH, gaps.length);
  const from = (bar: number): number => Math.floor((bar * gaps.length) / width);
  const highest = Array.from({ length: width }, (_, bar) =>
    gaps.slice(from(bar), from(bar + 1)).reduce((most, gap) => Math.max(most, gap), 0),
  );
  const most = Math.max(...highest, 1);
  return highest.map((gap) => barOf(gap / most)).join("");
}

/** Named at most. */
const STALLS = 5;

function stallsOf(gaps: readonly number[]): Cell {
  const stalls = gaps.flatMap((us, index) => (us > STALL_MS * 1_000 ? [{ ms: us / 1_000, chunk: index + 1 }] : []));
  if (stalls.length === 0) return undefined;
  const named = stalls.slice(0, STALLS).map(({ ms, chunk }) => `${formatValue(ms, "ms")} after chunk ${chunk}`);
  return [...named, ...(stalls.length > STALLS ? [`${stalls.length - STALLS} more`] : [])].join(", ");
}

function tokensOf({ input_tokens: input, output_tokens: output, max_tokens: most, finish_reason: why }: RequestRecord) {
  const parts = [
    ...(input === undefined ? [] : [`${formatNumber(input)} in`]),
    ...(output === undefined ? [] : [`${formatNumber(output)} out`]),
    ...(most === undefined ? [] : [`at most ${formatNumber(most)}`]),
    ...(why === undefined ? [] : [`finish_reason ${why}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}

function taskOf({ task, task_state: state, progress, cost }: RequestRecord): Cell {
  if (task === undefined) return undefined;
  const parts = [task, state, progress === undefined ? undefined : `progress ${progress}`];
  return [...parts, cost === undefined ? undefined : `cost ${formatNumber(cost)}`]
    .filter((part) => part !== undefined)
    .join(", ");
}
