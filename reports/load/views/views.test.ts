import { beforeAll, expect, describe as group, test } from "vitest";
import { type RunResult, runJson, runResult } from "../../../formats/run.ts";
import { METRIC_NAMES, type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { DEFAULT_SLOS } from "../../../settings/load/load-table.ts";
import { WORKED_EXAMPLE } from "../../../tests/support/pages/worked-example.ts";
import { httpError, makeRun, neverStarting, unanswered } from "../../../tests/support/results/load-run.ts";
import { pageOutline } from "../../../tests/support/results/page-outline.ts";
import { summarizedLines } from "../../../tests/support/results/records-summary.ts";
import { summarizeLoad, summarizeWithPoints } from "../../../tests/support/results/summarize-shards.ts";
import { HOSTILE } from "../../../tests/support/results/verdict-lines.ts";
import { videoRecords } from "../../../tests/support/results/video-records.ts";
import { loadCard } from "./card.ts";
import { loadHtml } from "./html.ts";
import { loadJunit } from "./junit.ts";
import { loadMarkdown } from "./markdown.ts";
import { loadLine } from "./one-line.ts";
import { loadTerminal } from "./terminal.ts";

const BASE = {
  slos: DEFAULT_SLOS,
  target: "http://127.0.0.1:8080",
  shape: "20/s constant for 30s",
  tool: "assay 0.1.0",
};

const good = () => summarizeLoad({ ...BASE, scenario: "chat-stream", shards: [makeRun()] });
/** Errors, an outage, an undecided SLO, a waiting load and a hostile target. */
const bad = () =>
  summarizeWithPoints({
    ...BASE,
    scenario: "chat-stream",
    target: `http://127.0.0.1:8080/${HOSTILE}`,
    slos: ["ttft_p95<105ms", "icl_p95<30ms", "ttft<200ms", "goodput>=0.95", "e2e_p99.9<1s"],
    shards: [
      makeRun({
        change: (record, index) => {
          if (index > 560) return unanswered(record);
          if (index % 50 === 7) return { ...httpError(record, index % 100 === 7 ? 429 : 503), detail: HOSTILE };
          return index > 500 ? { ...record, slot_wait: 30 } : record;
        },
      }),
    ],
  });
/** Streams of which nothing tells when a chunk came. */
const untimed = () =>
  summarizeLoad({
    ...BASE,
    scenario: "chat-stream",
    shards: [makeRun({ durationS: 3, change: ({ ttft, ttft_scheduled, gaps_us, ...record }) => record })],
  });
/** A target that refuses the key. */
const refused = () =>
  summarizeLoad({
    ...BASE,
    scenario: "chat-stream",
    shards: [
      makeRun({
        ...{ warmupS: 0, durationS: 1 },
        change: (record) => ({
          ...httpError(record, 401),
          detail: 'The target returned status 401. {"error":"no such key"}',
        }),
      }),
    ],
  });
const video = () => {
  const { records, client } = makeRun({ warmupS: 0, durationS: 4, change: () => undefined });
  const requests = [
    ...videoRecords("a", ["submit@0", "poll@1000:processing:40", "poll@2000:completed", "fetch@2010"]),
    ...videoRecords("b", ["submit@500", "poll@1500:processing:40", "cancel@1511"]),
  ].map((record) =>
    JSON.stringify({
      ...record,
      ...(record.task_state === "completed" && { cost: 0.5 }),
      ...(record.op === "video.submit" && record.task === "b" && { cancel_at: "50%" }),
    }),
  );
  const counted = client.map((line) => line.replace('"records":0', `"records":${requests.length}`));
  return summarizeLoad({
    ...BASE,
    scenario: "video",
    shards: [{ records: [...records, ...requests], client: counted }],
  });
};

/** Records that do not list their gaps; one of the objectives is too near to be decided by a histogram. */
const summary = () => {
  const slos = ["icl_p95<30ms", "icl_p50<20.1ms", "icl_p50<20ms"];
  const { records, client } = makeRun();
  return summarizeLoad({
    ...BASE,
    scenario: "chat-stream",
    slos,
    shards: [{ records: summarizedLines(records, slos), client }],
  });
};

/** An open loop that the target cannot keep up with: the last arrivals never start. */
const overloaded = () =>
  summarizeLoad({
    ...BASE,
    scenario: "chat-stream",
    slos: [...DEFAULT_SLOS, "ttft_scheduled_p50<2s", "ttft_scheduled_p95<2s", "ttft_scheduled_p95<1m"],
    shards: [neverStarting(400)],
  });

/** Chats and embeddings at once, the chats in error. */
const mixed = () => {
  const { records, client } = makeRun({
    change: (record, index) => {
      if (index % 4 === 0) return httpError({ ...record, op: "chat" });
      const { ttft: _, gaps_us: __, ttft_scheduled: ___, ...rest } = record;
      return index % 2 ? record : { ...rest, op: "embeddings", items: 8 };
    },
  });
  const workloads = [
    { name: "chat-stream", operation: "chat-stream", weight: 2, settings: {} },
    { name: "chat", operation: "chat", weight: 1, settings: {} },
    { name: "embeddings", operation: "embeddings", weight: 1, settings: {} },
  ];
  const workload = { title: "mixed", workloads };
  const [header = "", ...rest] = records;
  const settings = header.replace(
    '"scenario":"chat-stream"',
    `"scenario":"mixed","workload":${JSON.stringify(workload)}`,
  );
  return summarizeLoad({
    ...BASE,
    scenario: "mixed",
    slos: [...DEFAULT_SLOS, "chat.error_rate<1%", "embeddings.error_rate<5%", "embeddings.e2e<1s", "goodput>=50%"],
    shards: [{ records: [settings, ...rest], client }],
  });
};

/** A value with the first two of each longer list: of charts and windows, these show the form. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .slice(0, value.length < 20 && value.every((each) => typeof each === "number") ? undefined : 2)
      .map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

const RUNS = { good, bad, video, summary, refused, overloaded, mixed };

group.each(Object.entries(RUNS))("the %s run", (name, make) => {
  let run: RunResult;
  beforeAll(async () => {
    run = await make();
  });
  const golden = (end: string) => `./golden/${name}.${end}`;

  test("in one line", () => expect(loadLine(run, { colour: false })).toMatchFileSnapshot(golden("line.txt")));
  test("on a terminal", () => expect(loadTerminal(run, { colour: false })).toMatchFileSnapshot(golden("txt")));
  test("as Markdown", () => expect(loadMarkdown(run)).toMatchFileSnapshot(golden("md")));
  test("as JUnit XML", () => expect(loadJunit(run)).toMatchFileSnapshot(golden("junit.xml")));
  test("as HTML", () => expect(pageOutline(loadHtml(run))).toMatchFileSnapshot(golden("outline.txt")));
  test("as HTML, whose links all lead to something", () => {
    const page = loadHtml(run);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...page.matchAll(/ href="#([^"]*)"/g)].filter(([, id]) => !ids.includes(id))).toEqual([]);
  });
  test("as HTML, whose parts are folded where the run has passed and open where its first block links to", () => {
    const page = loadHtml(run);
    const open = [...page.matchAll(/<details class="card fold" open><summary><h2>([^<]*)/g)].map(([, title]) => title);
    if (run.exitCode === 0) expect(open).toEqual([]);
    else if (run.failures.length > 0) expect(open).toContain("Failures");
  });
  test("as JSON, which reads back as the same", async () => {
    expect(runResult.parse(JSON.parse(runJson(run)))).toEqual(run);
    await expect(runJson(runResult.parse(shortened(run)))).toMatchFileSnapshot(golden("json"));
  });
});

test("what was not measured reads so, in every view, and never as zero", async () => {
  const run = await untimed();
  for (const view of [loadTerminal(run, { colour: false }), loadMarkdown(run), loadHtml(run)]) {
    const rows = view.split(/\n/).filter((line) => /\bttft\b/.test(line) && /not measured/.test(line));
    expect(rows.length).toBeGreaterThan(0);
  }
});

/** The pages with the most in them; tests of pages in a browser read them too. */
test("a whole page", async () => expect(loadHtml(await bad())).toMatchFileSnapshot("./golden/bad.html"));
test("a card", async () => expect(loadCard(await bad())).toMatchFileSnapshot("./golden/bad.card.html"));

test("why requests failed stands in every view", async () => {
  const run = await refused();
  const views = [loadLine(run, { colour: false }), loadTerminal(run, { colour: false }), loadMarkdown(run)];
  for (const view of [...views, loadHtml(run), loadJunit(run)]) {
    for (const part of ["401 unauthorized", "no such key", "ASSAY_API_KEY"]) expect(view).toContain(part);
  }
});

test("colour adds escape sequences and nothing else", async () => {
  const run = await bad();
  const coloured = loadTerminal(run, { colour: true });
  expect(coloured).toContain("\u001b[");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences are what is looked for
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(loadTerminal(run, { colour: false }));
});

test("a page loads nothing, and its drawings take the colours of the page", async () => {
  const page = loadHtml(await bad());
  expect(page).not.toMatch(/<(?:link|iframe|object|embed)\b|\bsrc=(?!x onerror)|url\((?!#)|@import/);
  expect(page).not.toContain("<script>alert");
  expect(page).not.toMatch(/#a100/i);
  expect(page.match(/<figure class="plot"/g)?.length).toBeGreaterThanOrEqual(8);
});

/** Streams whose first two of ten tokens are reasoning. */
const reasoning = () =>
  summarizeLoad({
    ...BASE,
    scenario: "chat-stream",
    shards: [
      makeRun({
        change: ({ ttft = 0, ...record }) => ({
          ...record,
          ttft: ttft + 40,
          ttft_any: ttft,
          ttlt_any: ttft + 180,
          reasoning_tokens: 2,
          chunks: 8,
          gaps_us: [20_000, 20_000, 20_000, 20_000, 20_000, 20_000, 20_000],
        }),
      }),
    ],
  });

test("reasoning and content have figures of their own, and one time per token over both", async () => {
  const run = await reasoning();
  expect(run.metrics["tpot"]).toMatchObject({ count: 600, min: 20, max: 20 });
  expect(run.metrics["reasoning_tokens"]).toMatchObject({ count: 600, mean: 2 });
  expect(run.metrics["content_tokens"]).toMatchObject({ count: 600, mean: 8 });
  expect(run.metrics["output_tokens"]).toMatchObject({ count: 600, mean: 10 });
  expect(run.metrics["input_tokens_per_s"]?.value).toBeCloseTo(34.5 * 20, -1);
  for (const view of [loadTerminal(run, { colour: false }), loadMarkdown(run), loadHtml(run)]) {
    for (const name of ["ttft_any", "reasoning_tokens", "content_tokens"])
      expect(view.replaceAll("\\_", "_")).toContain(name);
  }
});

test("what no request has of reasoning takes no row", async () => {
  const view = loadTerminal(await good(), { colour: false });
  for (const name of ["ttft_any", "reasoning_tokens", "content_tokens"]) expect(view).not.toContain(name);
});

/** Conversations of three turns, of which one in ten fails in its second and one in ten ends after it. */
const conversing = () =>
  makeRun({
    warmupS: 0,
    change: (record, index) => {
      const [arrival, turn] = [Math.floor(index / 3), (index % 3) + 1];
      const kind = arrival % 10;
      if (turn === 3 && kind < 2) return undefined;
      const of = { ...record, arrival, turn, turns: 3, requested_input_tokens: 20 * turn };
      return turn === 2 && kind === 0 ? { ...httpError(of), arrival, turn, turns: 3 } : of;
    },
  });
const conversations = () => summarizeLoad({ ...BASE, scenario: "chat-stream", shards: [conversing()] });

/** The same with every other conversation of another workload, and the single requests of a third one. */
const conversationsOfWorkloads = () => {
  const { records, client } = conversing();
  const [header = "", ...lines] = records;
  const names = ["support", "sales", "single"];
  const workloads = names.map((name) => ({ name, operation: "chat-stream", settings: {} }));
  const settings = header.replace(
    '"settings":{',
    `"settings":{"workload":${JSON.stringify({ title: "load", workloads })},`,
  );
  const named = lines.map((line) => {
    const { turn, turns, requested_input_tokens, ...record } = JSON.parse(line);
    const workload = names[record.arrival % 3];
    const of = workload === "single" ? {} : { turn, turns, requested_input_tokens };
    return JSON.stringify({ ...record, ...of, workload });
  });
  return summarizeLoad({ ...BASE, scenario: "load", shards: [{ records: [settings, ...named], client }] });
};

test("conversations have their requests by turn in every view, and those that failed or ended early are counted", async () => {
  const run = await conversations();
  expect(run.counts).toMatchObject({ offered: 200, ok: 180, failed: 20 });
  expect(run.conversations).toMatchObject({ started: 200, whole: 160, short: 20, meanTurns: 2.8 });
  expect(run.conversations?.turns.map(({ turn, calls }) => [turn, calls.total, calls.ok])).toEqual([
    [1, 200, 200],
    [2, 200, 180],
    [3, 160, 160],
  ]);
  expect(run.conversations?.turns[2]?.metrics).toMatchObject({
    ttft: { count: 160 },
    e2e: { count: 160 },
    requested_input_tokens: { count: 160, mean: 60 },
  });
  const text =
    "200 conversations of 2.80 turns on average; 20 ended early, by the context limit or a response without text";
  const note = "prompts were made at 6 characters per token, 39 tokens on average; the target counted 35";
  const advice = "To make them as it counts: --set characters-per-token=6.";
  for (const view of [loadTerminal(run, { colour: false }), loadMarkdown(run), loadHtml(run)]) {
    expect(view).toContain(text);
    expect(view).toContain(note);
    expect(view).toContain(advice);
    expect(view).toMatch(
      /[Ll]atencies of 540 successful turns, including those of conversations that failed later; 20 of 200 arrivals \(10%\) not ok/,
    );
    expect(view.replaceAll("\\_", "_")).toContain("http_error 20");
  }
  expect(loadTerminal(await good(), { colour: false })).not.toMatch(/turn|prompts were made/);
});

test("each workload has its own conversations in every view", async () => {
  const run = await conversationsOfWorkloads();
  const of = (name: string) => run.parts?.[name]?.conversations;
  expect([of("support")?.started, of("sales")?.started, of("single")]).toEqual([67, 67, undefined]);
  expect(run.conversations).toMatchObject({ started: 134 });
  const total = (turn: number) => ["support", "sales"].map((name) => of(name)?.turns[turn - 1]?.calls.total ?? 0);
  expect(run.conversations?.turns.map(({ turn, calls }) => [turn, calls.total])).toEqual(
    [1, 2, 3].map((turn) => [turn, total(turn).reduce((sum, each) => sum + each)]),
  );
  for (const view of [loadTerminal(run, { colour: false }), loadMarkdown(run), loadHtml(run)]) {
    expect(view).toMatch(/support: 67 conversations of 2\.\d+ turns on average/);
    expect(view).toContain("sales: 67 conversations");
    expect(view).toMatch(/atencies of \d+ successful requests, each turn of a conversation one, including those of/);
    expect(view).toContain("support: prompts were made at 6 characters per token");
    expect(view).not.toContain("single: ");
  }
});

test("every metric is defined, named once, and measured by some run", async () => {
  const slos = [...DEFAULT_SLOS, "ttft<1s"];
  const { canary } = WORKED_EXAMPLE.shard;
  const bounded = summarizeLoad({ ...BASE, slos, scenario: "chat-stream", shards: [{ ...makeRun(), canary }] });
  const runs = await Promise.all([bounded, reasoning(), video(), mixed(), conversations()]);
  const measured = new Set(runs.flatMap(({ metrics }) => Object.keys(metrics)));
  const never = METRIC_NAMES.filter((name: MetricName) => !measured.has(name));
  expect(never).toEqual([]);
  expect([...measured].every((name) => METRIC_NAMES.some((known) => known === name))).toBe(true);
  const titles = METRIC_NAMES.map((name) => metric(name).title);
  expect(new Set(titles).size).toBe(titles.length);
});
