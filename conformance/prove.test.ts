/**
 * Proof of each clause in the profile openai, which has all of them (`tests/support/targets/prove-variants.ts`). `npm run
 * test:all` runs every fault (`ASSAY_PROVE`), and every fourth one in a part of the responses; `npm run prove` runs all.
 *
 * After a wanted change, `UPDATE_GOLDEN=1 npm run prove` writes the golden file again: check each line of its diff, and
 * run it once more, which compares the profile service with it.
 */

import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { LEDGER } from "../contract/ledger.ts";
import type { Exchange } from "../formats/exchanges.ts";
import { FAULTS, PERMITTED } from "../mock-server/variants/all-variants.ts";
import { unproven } from "../scripts/docs/coverage-page.ts";
import { unspoiled } from "../tests/support/commands/busy-machine.ts";
import { badOnes, type ClauseVerdicts } from "../tests/support/targets/judge-target.ts";
import {
  ALL,
  check,
  checkFault,
  clauses,
  expectGolden,
  GOLDEN,
  golden,
  lateMachine,
  named,
  oneOf,
  part,
  proveFaultless,
  proveFaults,
  reached,
  UPDATE,
  varies,
  withMock,
  workMsOf,
} from "../tests/support/targets/prove-variants.ts";
import { silentSink } from "./engine/run-files.ts";
import type { Clause } from "./model/clause.ts";

/** What each fault came to. */
const onAlways = new Map<string, ClauseVerdicts>();

afterAll(() => {
  if (ALL) process.stdout.write(`${fifthsTable()}\n`);
  const sorted = ({ faults, permitted }: typeof golden) => ({
    faults: Object.fromEntries(FAULTS.map(({ name }) => [name, faults[name] ?? []])),
    permitted: Object.fromEntries(PERMITTED.map(({ name }) => [name, permitted[name] ?? []])),
  });
  if (UPDATE) writeFileSync(GOLDEN, `${JSON.stringify(sorted(golden), null, 2)}\n`);
});

proveFaultless("openai");

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

proveFaults("openai", onAlways);

test.skipIf(UPDATE)("the golden file lists every fault and every permitted variant", () => {
  expect(Object.keys(golden.faults).sort()).toEqual(FAULTS.map(({ name }) => name));
  expect(Object.keys(golden.permitted).sort()).toEqual(PERMITTED.map(({ name }) => name));
});

/** Whether a clause looks at several exchanges of one kind. */
const isRepeated = ({ over, again }: Clause): boolean => over !== undefined || again.length > 0;

/** Faults and clauses whose kind has exchanges that do not show the fault: most streams with max_tokens have no usage. */
const BY_ITS_OWN = new Set(["chat-max-tokens-ignored chat.stream.max_tokens.usage"]);

/** Exchanges or tasks in which a fault must show, on always, for every fifth of them to be there. */
const FIVE = 5;

/**
 * What a fault in every fifth response must come to: of the clauses that name it, those about every exchange of a kind of
 * which the run has five that show it, and those whose own request is sent again. The others rest on one request of their
 * own that costs something, or on tasks.
 */
async function dueInFifths(name: string): Promise<readonly string[]> {
  const verdicts = onAlways.get(name) ?? (await checkFault(name, "openai"));
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
    await check(mock.url, "openai", sink, reached(name)),
    new Set(mock.groundTruth().flatMap(({ id, fault }) => (fault === undefined ? [] : [id]))),
  ]);
  const shown = exchanges.filter(({ request }) => broken.has(request.headers["x-request-id"] ?? ""));
  const caught = (id: string): boolean => ["FAIL", "WARN"].includes(verdicts.get(id)?.verdict ?? "");
  const isSeen = (id: string): boolean => {
    const { over, probes = [], again = [] } = clauses.find((clause) => clause.id === id) ?? {};
    const own = new Set([...probes.slice(0, 1), ...again].map(({ name }) => name));
    const isShown = (exchange: Exchange): boolean =>
      !BY_ITS_OWN.has(`${name} ${id}`) && over?.fits([exchange]) === true;
    return over?.unit === "task" || shown.some((exchange) => isShown(exchange) || own.has(exchange.probe));
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
  test.concurrent.each([...oneOf(4, intermittent)])("$name", async ({ name }) => {
    const due = await dueInFifths(name);
    if (due.length === 0) return;
    const { wrong, unseen, missed, anyCaught } = await unspoiled(
      (attempt) => checkFifths(name, due, workMsOf(attempt)),
      (found) => (found.missed.length + found.wrong.length === 0 ? undefined : lateMachine(found.verdicts)),
    );
    fifths.set(name, { due, unseen, missed });
    expect(missed).toEqual([]);
    expect(unseen.length === due.length || anyCaught).toBe(true);
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(!ALL)(
  "exactly the clauses of the golden file fail or warn on what the specification leaves open",
  () => {
    test.concurrent.each([...oneOf(4, PERMITTED)])("$name", async ({ name }) => {
      await withMock({ behaviour: name }, async ({ url }) =>
        expectGolden("permitted", name, "openai", await check(url, "openai", undefined, reached(name))),
      );
    });
  },
);
