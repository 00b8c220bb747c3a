/**
 * What reads texts from elsewhere, each with a property that holds for every text. `npm run fuzz` gives them their share of
 * the inputs, `npm run test:all` a few hundred.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { conformanceJson } from "../../formats/conformance.ts";
import { eventsOf, type ServerEvent } from "../../lib/event-stream.ts";
import { printable, TEXT_CONTROLS } from "../../lib/printable.mjs";
import { parseMetricsText } from "../../lib/prometheus-text.ts";
import { redactor } from "../../lib/redact.ts";
import { parseSlo } from "../../load/objectives/slo.ts";
import { readTrace } from "../../load/shape/traces.ts";
import { badgeWords } from "../../reports/conformance/badge.ts";
import { publishableSummary } from "../../reports/conformance/publishable.ts";
import { verifyPublished } from "../../reports/conformance/verify-published.ts";
import { buildMatrix } from "../../reports/matrix/build-matrix.ts";
import { matrixHtml } from "../../reports/matrix/html.ts";
import { replay } from "../../runs/conformance/replay-run.ts";
import { openTasks } from "../../runs/tasks/open-tasks.ts";
import { parsePublished } from "../../runs/views/published-result.ts";
import { SETTINGS } from "../../settings/all-settings.ts";
import type { Settings } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { newFolder } from "../support/commands/assay-process.ts";
import { makeRun } from "../support/results/load-run.ts";
import { clauseOf, resultOfClauses } from "../support/results/made-results.ts";
import { summarize } from "../support/results/summarize-run.ts";
import { EXCHANGES, LINES, VIDEO, verdictsOf } from "../support/results/verdict-lines.ts";
import { encodingsOf } from "../support/secrets/secret-encodings.ts";
import { damage, damaged, textOf } from "./hostile-text.ts";

export interface FuzzTarget {
  readonly name: string;
  /** Its share of all inputs, relative to the others: less for what takes longer. */
  readonly weight: number;
  readonly property: fc.IRawProperty<unknown>;
}

/** A target from an arbitrary and a check that throws when what is claimed does not hold. */
const target = <T>(
  name: string,
  weight: number,
  input: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
): FuzzTarget => ({ name, weight, property: fc.asyncProperty(input, async (value) => check(value)) });

function claim(holds: boolean, what: () => string): void {
  if (!holds) throw new Error(what());
}

/** The value that is read, or undefined when the text is refused with a sentence. */
function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError && error.message.length > 0) return undefined;
    throw error;
  }
}

/** Server-sent events, written line by line from the rules of the WHATWG. */
function eventsByTheRules(body: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  let data: string[] = [];
  let name = "";
  // The last line has no end.
  for (const line of body
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .slice(0, -1)) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (line === "") {
      if (data.length > 0) events.push({ name, data: data.join("\n") });
      [data, name] = [[], ""];
    } else if (field === "data") data.push(value);
    else if (field === "event") name = value;
  }
  return events;
}

const metricsText = textOf(
  "a",
  "b:c",
  "{",
  "}",
  'l="v"',
  ",",
  '="',
  '\\"',
  " ",
  "1",
  ".5e3",
  "+Inf",
  "NaN",
  "# TYPE a gauge",
  "#",
  "\n",
);
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d{1,3}m`, "g");
const stream = textOf(
  "data:",
  "data: ",
  "data",
  "event: e",
  "id: 1",
  ":",
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  "\ufeff",
  "{",
  "x",
);
const SECRET = fc.stringMatching(/^[!-~]{8,40}$/).filter((secret) => !"<redacted>".includes(secret));
const amounts = textOf(
  "1",
  "0",
  "90",
  ".5",
  "1e3",
  "-",
  "+",
  "s",
  "ms",
  "m",
  "h",
  "/s",
  "%",
  "MB",
  "Gi",
  ":",
  ",",
  "=",
  " ",
);
const words = textOf(
  ...[
    "chat",
    "poisson",
    "gamma",
    "trace:",
    "constant",
    "http://",
    "127.0.0.1",
    "[::1]",
    "u:k@",
    "?a=b",
    "2/4",
    "..",
    "Z",
  ],
  ...["2030-01-01T00:00:00", "X-A: b", "{", "}", '"a":', "null", "->", "true", ",", ":", "=", "1", "10/s", "30s"],
);
const slo = textOf(
  "ttft_p99",
  "icl_p99.9",
  "error_rate",
  "goodput",
  "ok",
  "<",
  "<=",
  ">",
  "50",
  "1.5",
  "ms",
  "s",
  "%",
  "/s",
  " ",
  "&&",
);
const trace = textOf(
  ...[
    '{"timestamp": ',
    "{",
    "}",
    "1",
    "27482",
    "-1",
    "1e400",
    "null",
    '"input_length": 5',
    ", ",
    "\n",
    "\r\n",
    "TIMESTAMP",
    "\ufeff",
  ],
  ...["Timestamp,ContextTokens,GeneratedTokens\n", "2023-11-16 18:15:46.68", '"a, b"', ",", "5,18,490\n", '"'],
);
const { records, client } = makeRun({ rate: 4, warmupS: 1, durationS: 2 });
const AT = '{"at":"2030-01-01T00:00:00.000000Z"';
const JOURNAL = [
  `${AT},"event":"submitting","id":"r-1"}`,
  `${AT},"event":"accepted","id":"r-1","task":"t-1"}`,
  `${AT},"event":"submitting","id":"r-2"}`,
  `${AT},"event":"unknown","id":"r-2"}`,
  `${AT},"event":"ended","task":"t-1","state":"completed"}`,
  `${AT},"event":"accepted","id":"r-3","task":"t-2"}`,
];

const VERDICTS = verdictsOf(LINES);
const fileOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const RESULT = resultOfClauses(
  [
    clauseOf("chat.status", { evidence: [1] }),
    clauseOf("chat.response.id", { verdict: "FAIL", reason: "absent" }),
    clauseOf("embeddings.base64", { verdict: "BLOCKED", blockedBy: "chat.status", level: "compatible" }),
    clauseOf("video.submit", { verdict: "NOT-RUN", selected: false }),
  ],
  { evidence: [{ file: "exchanges.jsonl", bytes: 1, sha256: "ab" }] },
);
const PUBLISHED_LINES = conformanceJson(RESULT).replaceAll('": ', '":').split("\n");

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  target("events of a body (lib/event-stream.ts)", 8, stream, (body) => {
    const [read, expected] = [eventsOf(body).whole, eventsByTheRules(body)];
    claim(
      JSON.stringify(read) === JSON.stringify(expected),
      () => `read ${JSON.stringify(read)}, expected ${JSON.stringify(expected)}`,
    );
  }),

  target(
    "printed text (lib/printable.mjs)",
    8,
    textOf(
      "::",
      "error",
      "warning file=a",
      "##",
      "#",
      "[",
      "vso",
      "teamcity",
      "]",
      "\n",
      "\r",
      "\t",
      " ",
      "\u001b[31m",
      "\u001b[2J",
      "\u202e",
      "\u0085",
    ),
    (text) => {
      for (const colours of [true, false]) {
        const shown = printable(text, colours);
        const plain = colours ? shown.replaceAll(COLOUR, "") : shown;
        claim(plain.search(TEXT_CONTROLS) < 0, () => `a control is left in ${JSON.stringify(shown)}`);
        claim(
          !/^[^\S\n]*::|##(vso|teamcity)?\[/im.test(plain) || colours,
          () => `a command is left in ${JSON.stringify(shown)}`,
        );
      }
    },
  ),

  target(
    "redaction (lib/redact.ts)",
    1,
    fc.tuple(SECRET, textOf("%", "%7", "\\u00", "&#", "H4sI", "…", "sk-"), textOf("…", ";", "41", "x")),
    ([secret, before, after]) => {
      const { text, bytes } = redactor([secret], []);
      claim(!text(before + secret + after).includes(secret), () => "the secret is left");
      for (const [name, encoded] of Object.entries(encodingsOf(secret)).slice(0, 8)) {
        if (name.includes("a part of it")) continue;
        claim(!text(`${before}\n${encoded}\n${after}`).includes(encoded), () => `the secret is left, ${name}`);
      }
      bytes(Buffer.from(before + after, "latin1"));
    },
  ),

  target("values of settings (settings/)", 4, fc.oneof(amounts, words), (text) => {
    for (const [name, { read, write = String }] of Object.entries<Settings[string]>(SETTINGS)) {
      const value = readOrRefused(() => read(text));
      if (value === undefined) continue;
      const written = readOrRefused(() => read(write(value)));
      claim(
        JSON.stringify(written) === JSON.stringify(value),
        () => `${name}: ${JSON.stringify(value)} came back as ${JSON.stringify(written)}`,
      );
    }
  }),

  target("objectives (load/objectives/slo.ts)", 8, slo, (text) => {
    readOrRefused(() => parseSlo(text));
  }),

  target("metrics of a target (lib/prometheus-text.ts)", 8, metricsText, (text) => {
    const { samples, malformed, dropped } = parseMetricsText(text, (name) => name !== "b", 3);
    claim(samples.length <= 3 && malformed >= 0 && dropped >= 0, () => `${samples.length} samples`);
    for (const { name, series, value } of samples) {
      claim(Number.isFinite(value) && series.startsWith(name), () => `${series} is ${value}`);
      const again = parseMetricsText(`${series} ${value}`, () => true, 1).samples;
      claim(again[0]?.series === series && again[0].value === value, () => `${series} ${value} is not read again`);
    }
  }),

  target("traces (load/shape/traces.ts)", 8, trace, (text) => {
    const read = readOrRefused(() => readTrace(text, { process: "trace", file: "trace" }).trace);
    if (read === undefined) return;
    const { offsetsMs, inputTokens, outputTokens } = read;
    claim(offsetsMs.length > 0 && offsetsMs[0] === 0, () => "the first arrival is not at 0");
    claim(
      offsetsMs.every((at, index) => Number.isFinite(at) && at >= (offsetsMs[index - 1] ?? 0)),
      () => `offsets ${offsetsMs}`,
    );
    for (const lengths of [inputTokens, outputTokens]) {
      claim(lengths.length === 0 || lengths.length === offsetsMs.length, () => "lengths are missing");
      claim(
        lengths.every((length) => Number.isSafeInteger(length) && length >= 0),
        () => `lengths ${lengths}`,
      );
    }
  }),

  target("journals of tasks (runs/tasks/open-tasks.ts)", 8, damage, async (changes) => {
    const { tasks, unanswered, damaged: count } = await openTasks(damaged(JOURNAL, changes));
    claim(
      [...tasks, ...unanswered].every((id) => typeof id === "string"),
      () => "an id is no text",
    );
    claim(count <= JOURNAL.length + changes.length, () => `${count} lines are damaged`);
  }),

  target("records of a run (reports/load/)", 0.2, fc.tuple(damage, damage), async ([ofRecords, ofClient]) => {
    const shard = { records: damaged(records, ofRecords), client: damaged(client, ofClient) };
    const run = await summarize([shard]).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
    });
    claim(run === undefined || [0, 1, 2].includes(run.exitCode), () => `exit code ${run?.exitCode}`);
    // The sentence about a damaged line quotes what stands there.
    const own = run?.validity.reasons.filter((reason) => !reason.startsWith("the record is damaged")) ?? [];
    claim(!/NaN|Infinity|undefined/.test(own.join()), () => own.join());
  }),

  target("recorded exchanges (runs/conformance/replay-run.ts)", 0.2, fc.tuple(damage, fc.boolean()), ofExchanges),

  target("published conformance results (runs/views/published-result.ts)", 1, damage, (changes) => {
    const text = damaged(PUBLISHED_LINES, changes).join("\n");
    const result = readOrRefused(() => parsePublished(text, "conformance.json"));
    if (result === undefined) return;
    const sources = [RESULT, result].map((result, index) => ({ result, source: `${index}`, path: `/${index}` }));
    const matrix = buildMatrix(sources, "assay");
    claim(matrix.clauses.length >= RESULT.clauses.length, () => "clauses are missing");
    const page = matrixHtml(matrix);
    claim(page.split("<script").length === 2, () => "the page has a script of the result");
    publishableSummary(result);
    const failed = result.clauses.some(
      ({ level, verdict, selected }) => level === "required" && verdict === "FAIL" && selected,
    );
    claim(!failed || badgeWords(result).tone !== "good", () => "the badge is green");
    verifyPublished(result, {
      recorded: RESULT,
      again: RESULT,
      notJudged: new Set(),
      evidence: [],
      tools: [],
      views: [],
      otherRun: undefined,
    });
  }),
];

/** A damaged file of exchanges is refused in a sentence that names it, or leads to a verdict for each clause of the run. */
async function ofExchanges([changes, isTraffic]: [Parameters<typeof damaged>[1], boolean]): Promise<void> {
  const folder = newFolder();
  const [header = "", ...verdicts] = VERDICTS;
  const planned = isTraffic ? header.replace("{", '{"traffic":true,') : header;
  writeFileSync(join(folder, "verdicts.jsonl"), fileOf([planned, ...verdicts]));
  writeFileSync(join(folder, "exchanges.jsonl"), fileOf(damaged(EXCHANGES, changes)));
  try {
    const { result } = await replay(folder);
    claim([0, 1, 2].includes(result.exitCode), () => `exit code ${result.exitCode}`);
    claim(result.clauses.length === LINES.length + VIDEO.length, () => `${result.clauses.length} clauses`);
  } catch (error) {
    const isRefused = error instanceof UsageError || error instanceof InconclusiveError;
    if (!isRefused) throw error;
    claim(error.message.includes("exchanges.jsonl"), () => `a sentence without the file: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
