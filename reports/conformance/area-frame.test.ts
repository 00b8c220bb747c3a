/** What a terminal shows of a conformance run that is under way. */

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { VERDICTS, type Verdict } from "../../formats/verdicts.ts";
import { areaFrame, type PlannedClause } from "./area-frame.ts";

const clauses = (area: string, ...verdicts: readonly (Verdict | undefined)[]): readonly PlannedClause[] =>
  verdicts.map((verdict) => ({ area, verdict }));

test("areas fill up, with what is wrong in them, above what is waited for", () => {
  const all = [
    ...clauses("chat.stream", "PASS", "FAIL", "FAIL", undefined),
    ...clauses("auth", "PASS", "PASS"),
    ...clauses("video", "WARN", undefined),
  ];
  const summary = ["6 of 8 clauses checked, 2.1 s", "waiting for 1 video"];
  expect(areaFrame(all, summary, { columns: 60, rows: 24, colour: false })).toEqual([
    "chat.stream  3 of 4  ███████████████▊·····  2 FAIL",
    "auth         2 of 2  █████████████████████",
    "video        1 of 2  ██████████▌··········          1 WARN",
    ...summary,
  ]);
});

test("without room for bars there are none, and a low terminal keeps what is waited for", () => {
  const all = [...clauses("chat", "FAIL", undefined), ...clauses("auth", undefined)];
  expect(areaFrame(all, ["1 of 3", ""], { columns: 30, rows: 2, colour: false })).toEqual([
    "chat  1 of 2  1 FAIL",
    "1 of 3",
  ]);
});

test("no line is wider than the terminal, and there are no more than it has rows", () => {
  const verdict = fc.option(fc.constantFrom(...VERDICTS), { nil: undefined });
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 50 }),
    colour: fc.boolean(),
  });
  const clause = fc.record({ area: fc.constantFrom("chat", "video.submit", "auth"), verdict });
  fc.assert(
    fc.property(
      fc.array(clause, { maxLength: 300 }),
      fc.array(fc.string({ maxLength: 300 })),
      size,
      (all, summary, fits) => {
        const lines = areaFrame(all, summary, fits);
        expect(lines.length).toBeLessThanOrEqual(fits.rows);
        for (const line of lines) expect([...stripVTControlCharacters(line)].length).toBeLessThanOrEqual(fits.columns);
      },
    ),
  );
});
