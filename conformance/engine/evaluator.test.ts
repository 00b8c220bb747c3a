import { expect, test } from "vitest";
import { clause } from "../builders/clause-builders.ts";
import type { Clause } from "../model/clause.ts";
import { elsewhere } from "../model/findings.ts";
import { chat } from "../probes/chat.ts";
import { evaluator } from "./evaluator.ts";

/** A clause whose response says nothing about it, and another of which this one follows. */
const undecided = (id: string, by: string): Clause =>
  clause(id, "t", {
    row: "r",
    level: "required",
    undecidedBy: [by],
    probe: chat(),
    pick: (exchanges) => exchanges,
    anyResponse: true,
    judge: () => elsewhere("says nothing"),
  });

const CONTEXT = { keyGiven: true, failingPrompt: false };

test.each([
  ["each other", [undecided("chat.a", "chat.b"), undecided("chat.b", "chat.a")]],
  ["themselves", [undecided("chat.a", "chat.a"), undecided("chat.b", "chat.b")]],
  [
    "one another in a ring",
    [undecided("chat.a", "chat.b"), undecided("chat.b", "chat.c"), undecided("chat.c", "chat.a")],
  ],
])("clauses that say of %s why nothing was observed all have a verdict", async (_, clauses) => {
  const verdictOf = evaluator(clauses, async () => [], CONTEXT);
  const verdicts = await Promise.all(clauses.map(({ id }) => verdictOf(id)));
  for (const { verdict } of verdicts) expect(["INCONCLUSIVE", "BLOCKED"]).toContain(verdict);
});
