/**
 * Proof that each clause can fail: on every fault of the mock, exactly those clauses fail that `golden/proof.json` lists.
 * `npm run prove` and CI run every fault in every profile (`ASSAY_PROVE`), the ordinary test a fixed part of them.
 *
 * After a wanted change, `UPDATE_GOLDEN=1 npm run prove` writes the golden file again: check each line of its diff. The
 * file lists what fails or warns in the profile openai; the profile service must show the same lines without those of
 * the clauses that only openai has. Blocked and inconclusive clauses are not listed, since some depend on timing.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { LEDGER } from "../contract/ledger.ts";
import type { Exchange } from "../formats/exchanges.ts";
import { FAILING_PROMPT, type Mock, type MockOptions, startMock } from "../mock-server/index.ts";
import { FAULTS, PERMITTED } from "../mock-server/variants/all-variants.ts";
import { unproven } from "../scripts/docs/coverage-page.ts";
import { unspoiled } from "../tests/support/commands/busy-machine.ts";
import { badOnes, type ClauseVerdicts, counted, judgeTarget, KEY } from "../tests/support/targets/judge-target.ts";
import { loadClauses } from "./engine/load-clauses.ts";
import { type Sink, silentSink } from "./engine/run-files.ts";
import type { Clause } from "./model/clause.ts";

const GOLDEN = new URL("./golden/proof.json", import.meta.url);
const lines = z.record(z.string(), z.array(z.string()));
const golden = z.object({ faults: lines, permitted: lines }).parse(JSON.parse(readFileSync(GOLDEN, "utf8")));
const UPDATE = process.env["UPDATE_GOLDEN"] === "1";

const PROFILES = ["service", "openai"] as const;
type Profile = (typeof PROFILES)[number];

const clauses = await loadClauses();
const onlyOpenai = new Set(clauses.filter(({ profile }) => profile === "openai").map(({ id }) => id));
const named = new Set(clauses.flatMap(({ provenBy }) => provenBy));
/** Clauses whose verdict on a fault depends on timing, of all faults or of one. */
const VARYING: Readonly<Record<string, readonly string[]>> = {
  // A busy machine responds late.
  any: ["video.submit.at-once"],
  // It may need longer for so much than a stream may be silent.
  "stream-huge-event": ["chat.stream.ends"],
  // All tasks share an id, so a poll finds the one that was submitted last.
  "video-same-id": ["video.cancel.stays", "video.poll.completed.stays", "video.poll.failed.stays"],
};
const varies = (name: string, id: string): boolean =>
  [VARYING["any"], VARYING[name]].some((ids) => ids?.includes(id)) &&
  !clauses.some((clause) => clause.id === id && clause.provenBy.includes(name));
/** What fails or warns on a variant, with its reason. */
const failing = (name: string, verdicts: ClauseVerdicts): readonly string[] =>
  badOnes(verdicts).filter((line) => !varies(name, line.split(" ")[0] ?? ""));

/** The ordinary test runs every eighth of the faults that prove a clause. */
const STRIDE = 8;
const ALL = process.env["ASSAY_PROVE"] !== undefined;
const part = ALL ? FAULTS : FAULTS.filter(({ name }) => named.has(name)).filter((_, i) => i % STRIDE === 0);
/** Long enough to find a task processing while other runs of this file compute; longer where a busy machine found none. */
const workMsOf = (attempt: number): number => (attempt === 1 ? 300 : 3_000);

afterAll(() => {
  if (ALL) process.stdout.write(`${fifthsTable()}\n`);
  const sorted = ({ faults, permitted }: typeof golden) => ({
    faults: Object.fromEntries(FAULTS.map(({ name }) => [name, faults[name] ?? []])),
    permitted: Object.fromEntries(PERMITTED.map(({ name }) => [name, permitted[name] ?? []])),
  });
  if (UPDATE) writeFileSync(GOLDEN, `${JSON.stringify(sorted(golden), null, 2)}\n`);
});

/** A mock for one run. The runs of this file wait more than they compute, so several go on at a time. */
async function withMock<T>(options: MockOptions, use: (mock: Mock) => Promise<T>): Promise<T> {
  const mock = await startMock({ timing: "instant", workMs: workMsOf(1), apiKeys: [KEY], ...options });
  try {
    return await use(mock);
  } finally {
    await mock.stop();
  }
}

/** Several runs share the machine: a run that its deadline cuts off would prove nothing. */
const SETTINGS = { ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_DEADLINE: "60s" };
const check = (url: string, profile: Profile, sink?: Sink): Promise<ClauseVerdicts> =>
  judgeTarget(url, { ...SETTINGS, ASSAY_PROFILE: profile }, sink);

const checkFaults = (faults: readonly string[], profile: Profile, workMs = workMsOf(1)): Promise<ClauseVerdicts> =>
  withMock({ faults, workMs }, ({ url }) => check(url, profile));

/** What each fault came to in the profile openai. */
const onAlways = new Map<string, ClauseVerdicts>();

describe("the faultless mock", () => {
  test.each(PROFILES)("passes every clause of the profile %s, and no task is left open", async (profile) => {
    const judge = (attempt: number) =>
      withMock({ workMs: workMsOf(attempt) }, async (mock) => ({
        verdicts: await check(mock.url, profile),
        open: mock.tasks().filter(({ state }) => state === "processing"),
      }));
    const { verdicts, open } = await unspoiled(judge, (found) => endedTooSoon(found.verdicts, () => false));
    expect(badOnes(verdicts)).toEqual([]);
    expect(Object.keys(counted(verdicts)).sort()).toEqual(["OBSERVED", "PASS"]);
    expect(open).toEqual([]);
  });
});

describe("provenBy", () => {
  test("names only faults that the mock has", () => {
    const known = new Set(FAULTS.map(({ name }) => name));
    expect([...named].filter((name) => !known.has(name)).sort()).toEqual([]);
  });
  test("names a fault for every clause that can fail", () => {
    expect(unproven(clauses).map(({ id }) => id)).toEqual([]);
  });
  test.skipIf(UPDATE)("names only faults on which the clause fails", () => {
    const passed = clauses.flatMap(({ id, level, provenBy }) =>
      provenBy
        .filter((name) => !golden.faults[name]?.includes(`${id} ${level === "recommended" ? "WARN" : "FAIL"}`))
        .map((name) => `${id} on ${name}`),
    );
    expect(passed).toEqual([]);
  });
});

/** The clauses that fail or warn on a variant, without their reasons. */
const foundOn = (name: string, verdicts: ClauseVerdicts): readonly string[] =>
  failing(name, verdicts)
    .map((line) => line.split(" ").slice(0, 2).join(" "))
    .sort();
const wantedOn = (kind: keyof typeof golden, name: string, profile: Profile): readonly string[] | undefined =>
  golden[kind][name]?.filter((line) => profile === "openai" || !onlyOpenai.has(line.split(" ")[0] ?? ""));
const isGolden = (...[kind, name, profile, verdicts]: Parameters<typeof expectGolden>): boolean =>
  foundOn(name, verdicts).join() === wantedOn(kind, name, profile)?.join();

/** Expects that the clauses of the golden file fail or warn, and no other; or writes them there. */
function expectGolden(kind: keyof typeof golden, name: string, profile: Profile, verdicts: ClauseVerdicts): void {
  const found = foundOn(name, verdicts);
  if (UPDATE && profile === "openai") golden[kind][name] = [...found];
  expect(found).toEqual(wantedOn(kind, name, profile));
}

/** Clauses that need a task that is still processing. */
const needsProcessing = (id: string): boolean => /^video\.(cancel\.|poll\.processing\.|submit\.at-once$)/.test(id);
/** Why the verdicts on tasks do not count: a busy machine found all tasks ended that it should have found processing. */
function endedTooSoon(verdicts: ClauseVerdicts, isExpected: (id: string) => boolean): string | undefined {
  const open = [...verdicts].some(
    ([id, { verdict }]) => needsProcessing(id) && verdict === "INCONCLUSIVE" && !isExpected(id),
  );
  return open ? "a task ended before a request found it processing" : undefined;
}
/** The same, of a fault whose verdicts are not those of the golden file. */
const wasTooFast = (name: string, profile: Profile, verdicts: ClauseVerdicts): string | undefined =>
  isGolden("faults", name, profile, verdicts) ? undefined : endedTooSoon(verdicts, () => !name.startsWith("video-"));

describe("exactly the clauses of the golden file fail on the fault", () => {
  // In a new golden file a fault is written by the profile openai, which therefore comes first.
  describe.each(ALL ? PROFILES.toReversed() : PROFILES.slice(1))("in the profile %s", (profile) => {
    test.concurrent.each(part)("$name", async ({ name }) => {
      const verdicts = await unspoiled(
        (attempt) => checkFaults([name], profile, workMsOf(attempt)),
        (found) => wasTooFast(name, profile, found),
      );
      if (profile === "openai") onAlways.set(name, verdicts);
      expectGolden("faults", name, profile, verdicts);
    });
  });

  test.skipIf(UPDATE)("and the file lists every fault and every permitted variant", () => {
    expect(Object.keys(golden.faults).sort()).toEqual(FAULTS.map(({ name }) => name));
    expect(Object.keys(golden.permitted).sort()).toEqual(PERMITTED.map(({ name }) => name));
  });
});

/** Whether a clause looks at several exchanges of one kind. */
const isRepeated = ({ over, again }: Clause): boolean => over !== undefined || again.length > 0;

/** Exchanges or tasks in which a fault must show, on always, for every fifth of them to be there. */
const FIVE = 5;

/**
 * What a fault in every fifth response must come to: of the clauses that name it, those about every exchange of a kind of
 * which the run has five that show it, and those whose own request is sent again. The others rest on one request of their
 * own that costs something, or on tasks.
 */
async function dueInFifths(name: string): Promise<readonly string[]> {
  const verdicts = onAlways.get(name) ?? (await checkFaults([name], "openai"));
  onAlways.set(name, verdicts);
  const due = clauses.filter(({ id, provenBy, over, again }) => {
    const share = verdicts.get(id)?.share;
    const isKind = over !== undefined && share !== undefined && share.count >= FIVE;
    return provenBy.includes(name) && (isKind || again.length >= FIVE);
  });
  return due.map(({ id }) => id);
}

/** What a fault in every fifth response came to. */
interface Fifth {
  /** Clauses that must catch it wherever it shows. */
  readonly due: readonly string[];
  /** Those of them of whose kind no exchange showed it. */
  readonly unseen: readonly string[];
  readonly missed: readonly string[];
}
const fifths = new Map<string, Fifth>();

function fifthsTable(): string {
  const rows = [...fifths.values()];
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const about = clauses.filter(isRepeated).flatMap(({ provenBy }) => provenBy);
  return [
    `${clauses.length} clauses, ${LEDGER.length} rows, ${FAULTS.length} faults, ${named.size} of which prove clauses.`,
    `In every fifth response: ${rows.filter(({ due }) => due.length > 0).length} faults, ${sum(({ due }) => due.length)} pairs of fault and clause with five exchanges, of which ${sum(({ unseen }) => unseen.length)} did not show: ${sum(({ missed }) => missed.length)} missed.`,
    `${about.length - sum(({ due }) => due.length)} more pairs have fewer exchanges in a run.`,
  ].join("\n");
}

/** Runs the suite on a fault in every fifth response, and compares what it finds with what is due. */
async function checkFifths(name: string, due: readonly string[], workMs: number) {
  const exchanges: Exchange[] = [];
  const sink = { ...silentSink, exchange: (one: Exchange) => void exchanges.push(one) };
  const [verdicts, broken] = await withMock({ faults: [`${name}@every:5`], workMs }, async (mock) => [
    await check(mock.url, "openai", sink),
    new Set(mock.groundTruth().flatMap(({ id, fault }) => (fault === undefined ? [] : [id]))),
  ]);
  const shown = exchanges.filter(({ request }) => broken.has(request.headers["x-request-id"] ?? ""));
  const caught = (id: string): boolean => ["FAIL", "WARN"].includes(verdicts.get(id)?.verdict ?? "");
  const isSeen = (id: string): boolean => {
    const { over, probes = [], again = [] } = clauses.find((clause) => clause.id === id) ?? {};
    const own = new Set([...probes.slice(0, 1), ...again].map(({ name }) => name));
    return over?.unit === "task" || shown.some((exchange) => over?.fits([exchange]) || own.has(exchange.probe));
  };
  // Where the fault is always on, what rests on the clause that catches it is not judged; here it is, and also fails.
  const always = onAlways.get(name);
  const wrong = badOnes(verdicts).filter((line) => {
    const [id = "", verdict = ""] = line.split(" ");
    const before = always?.get(id)?.verdict ?? "";
    return before !== verdict && before !== "BLOCKED" && !varies(name, id);
  });
  return {
    verdicts,
    wrong,
    unseen: due.filter((id) => !isSeen(id) && !caught(id)),
    missed: due.filter((id) => isSeen(id) && !caught(id)),
    anyCaught: due.some(caught),
  };
}

describe("a fault in every fifth response is caught wherever five exchanges show it", () => {
  const about = new Set(clauses.filter(isRepeated).flatMap(({ provenBy }) => provenBy));
  const intermittent = part.filter(({ name }) => about.has(name));
  test.concurrent.each(intermittent)("$name", async ({ name }) => {
    const due = await dueInFifths(name);
    if (due.length === 0) return;
    const { wrong, unseen, missed, anyCaught } = await unspoiled(
      (attempt) => checkFifths(name, due, workMsOf(attempt)),
      (found) =>
        found.missed.length + found.wrong.length === 0 ? undefined : endedTooSoon(found.verdicts, () => false),
    );
    fifths.set(name, { due, unseen, missed });
    expect(missed).toEqual([]);
    expect(unseen.length === due.length || anyCaught).toBe(true);
    expect(wrong).toEqual([]);
  });
});

describe("runs of a target of uneven latencies", () => {
  const uneven = { timing: "fast", ttftMs: "lognormal:8ms,1", itlMs: "lognormal:1ms,1", outputTokens: 6 } as const;
  /** The ordinary test takes a few of them. */
  const seeds = Array.from({ length: ALL ? 20 : 3 }, (_, index) => index + 1);
  const runs: Record<string, string>[] = [];

  test.concurrent.each(seeds)("end with seed %d", async (seed) => {
    const verdicts = await unspoiled(
      (attempt) =>
        withMock({ ...uneven, workMs: `lognormal:${1.6 * workMsOf(attempt)}ms,0.4`, seed }, ({ url }) =>
          judgeTarget(url, SETTINGS),
        ),
      (found) => endedTooSoon(found, () => false),
    );
    runs.push(Object.fromEntries([...verdicts].map(([id, { verdict }]) => [id, verdict])));
  });

  test("come to the same verdicts", () => {
    expect(runs).toHaveLength(seeds.length);
    const flipped = Object.keys(runs[0] ?? {}).filter((id) => runs.some((run) => run[id] !== runs[0]?.[id]));
    expect(flipped.map((id) => `${id}: ${runs.map((run) => run[id]).join(" ")}`)).toEqual([]);
    expect(new Set(Object.values(runs[0] ?? {}))).toEqual(new Set(["PASS", "OBSERVED"]));
  });
});

describe("no clause fails on what the specification leaves open", () => {
  const watched = clauses.filter(({ level }) => level === "observed");
  /** What each of them observed. */
  const seen = new Map<string, Set<string>>();
  test.concurrent.each(PERMITTED)("$name", async ({ name }) => {
    await withMock({ behaviour: name }, async ({ url }) => {
      const verdicts = await check(url, "service");
      if (ALL) expectGolden("permitted", name, "openai", await check(url, "openai"));
      expect(failing(name, verdicts)).toEqual([]);
      for (const { id } of watched) {
        const reason = verdicts.get(id)?.reason.replace(/ \(exchange.*\)$/, "") ?? "";
        // What is open about a form is its body; of everything else, whether it was served.
        const point = id.includes("form") ? reason : reason.replace(/(returned \d+):.*/s, "$1");
        seen.set(id, (seen.get(id) ?? new Set()).add(point));
      }
    });
  });

  test("each open point is met by more than one choice", () => {
    const open = LEDGER.filter(({ level }) => level === "observed").map(({ id }) => id);
    const varied = watched.filter(({ id }) => (seen.get(id)?.size ?? 0) > 1).flatMap(({ rows }) => rows);
    expect(open.filter((row) => !varied.includes(row))).toEqual([]);
  });
});
