import { expect, test } from "vitest";
import { clause, refusal } from "../builders/clause-builders.ts";
import type { Clause } from "../model/clause.ts";
import { holds } from "../model/findings.ts";
import { chat } from "../probes/chat.ts";
import { linked, loadClauses } from "./load-clauses.ts";

const simple = (id: string, needs: readonly string[] = []): Clause =>
  clause(id, "t", {
    row: "r",
    level: "required",
    needs,
    probe: chat(),
    judge: () => holds("fine"),
  });

test("every clause of the folder is found, and none twice", async () => {
  const ids = (await loadClauses()).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(200);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a refusal needs the clause that verifies its control", async () => {
  const above = (await loadClauses()).find(({ id }) => id === "chat.temperature.above");
  expect(above?.needs).toContain("chat.temperature.2");
});

test("every refusal differs from its control in one field", async () => {
  for (const { id, control, probes } of await loadClauses()) {
    if (control?.kind !== "request" || probes[0].kind !== "request") continue;
    const { body: ours = {} } = probes[0];
    const { body: theirs = {} } = control;
    const differing = Object.keys({ ...ours, ...theirs }).filter(
      (name) => JSON.stringify(ours[name]) !== JSON.stringify(theirs[name]),
    );
    expect(differing, id).toHaveLength(1);
  }
});

test("a broken catalogue is refused by name", () => {
  expect(() => linked([simple("chat.a"), simple("chat.a")])).toThrow(/"chat\.a"/);
  expect(() => linked([simple("chat.a", ["chat.b"])])).toThrow(/needs "chat\.b", which does not exist/);
  expect(() => linked([simple("chat.a", ["chat.b"]), simple("chat.b", ["chat.a"])])).toThrow(/needs itself/);
  expect(() => simple("nowhere.a")).toThrow(/no known area/);
  const unverified = refusal("chat.c", "t", {
    row: "r",
    probe: chat({ model: 7 }),
    control: chat({ model: "x" }),
  });
  expect(() => linked([unverified])).toThrow(/no clause verifies its control/);
});

test("no clause needs a milder one: a warning does not hide a failure", async () => {
  const rank = { observed: 0, recommended: 1, compatible: 2, required: 3 };
  const all = await loadClauses();
  const byId = new Map(all.map((one) => [one.id, one]));
  const wrong = all.flatMap(({ id, level, needs }) =>
    needs
      .filter((need) => rank[byId.get(need)?.level ?? "required"] < rank[level])
      .map((need) => `${id} needs ${need}`),
  );
  expect(wrong).toEqual([]);
});
