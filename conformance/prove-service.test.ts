/**
 * Proof of each clause in the profile service (`tests/support/targets/prove-variants.ts`), that none fails on what the specification
 * leaves open, and that runs of one target agree. `npm run test:all` runs an eighth of the faults,
 * which the profile openai has all of; `npm run prove` runs all.
 */

import { describe, expect, test } from "vitest";
import { LEDGER } from "../contract/ledger.ts";
import { PERMITTED } from "../mock-server/variants/all-variants.ts";
import { unspoiled } from "../tests/support/commands/busy-machine.ts";
import { judgeTarget } from "../tests/support/targets/judge-target.ts";
import {
  ALL,
  check,
  clauses,
  failing,
  lateMachine,
  oneOf,
  PROVES_ALL,
  part,
  proveFaultless,
  proveFaults,
  reached,
  SETTINGS,
  UPDATE,
  withMock,
  workMsOf,
} from "../tests/support/targets/prove-variants.ts";

proveFaultless("service");

if (ALL && !UPDATE) proveFaults("service", undefined, oneOf(8, part));

describe("runs of a target of uneven latencies", () => {
  const uneven = { timing: "fast", ttftMs: "lognormal:8ms,1", itlMs: "lognormal:1ms,1", outputTokens: 6 } as const;
  /** The ordinary test takes a few of them. */
  const seeds = Array.from({ length: PROVES_ALL ? 20 : 3 }, (_, index) => index + 1);
  const runs: Record<string, string>[] = [];

  test.concurrent.each(seeds)("end with seed %d", async (seed) => {
    const verdicts = await unspoiled(
      (attempt) =>
        withMock({ ...uneven, workMs: `lognormal:${1.6 * workMsOf(attempt)}ms,0.4`, seed }, ({ url }) =>
          judgeTarget(url, SETTINGS),
        ),
      lateMachine,
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
      const verdicts = await check(url, "service", undefined, reached(name));
      expect(failing(name, verdicts)).toEqual([]);
      for (const { id } of watched) {
        const { verdict, reason: found = "" } = verdicts.get(id) ?? {};
        if (verdict !== "OBSERVED") continue;
        const reason = found.replace(/ \(exchange.*\)$/, "");
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
