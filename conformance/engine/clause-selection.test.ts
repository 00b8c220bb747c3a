import { expect, test } from "vitest";
import { isVideoClause } from "../../formats/verdicts.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { select } from "./clause-selection.ts";
import { loadClauses } from "./load-clauses.ts";

const clauses = await loadClauses();
const chosen = (options: Parameters<typeof select>[1]): string[] =>
  select(clauses, options).flatMap(({ clause, selected }) => (selected ? [clause.id] : []));

test("without --video, no clause that belongs to video is selected, and the reason says what to add", () => {
  const selections = select(clauses, {});
  expect(selections.filter(({ clause, selected }) => selected === isVideoClause(clause.id))).toEqual([]);
  expect(selections.find(({ clause }) => clause.id === "video.submit.status")?.reason).toContain("--video");
});

test("no clause outside video can create a task", () => {
  const costly = clauses.filter(
    (clause) => !isVideoClause(clause.id) && clause.probes.some(({ kind }) => kind === "task"),
  );
  expect(costly).toEqual([]);
});

test("--only takes ids, globs and areas, several joined by commas", () => {
  expect(chosen({ only: "chat.status" })).toEqual(["chat.status"]);
  expect(chosen({ only: "chat.temperature.*" }).length).toBe(9);
  expect(chosen({ only: "embeddings" }).every((id) => id.startsWith("embeddings."))).toBe(true);
  expect(chosen({ only: "chat.status, embeddings.status" })).toEqual(["chat.status", "embeddings.status"]);
});

test("a glob's other characters are literal", () => {
  expect(() => chosen({ only: "chat.statu[s]" })).toThrow(UsageError);
  expect(() => chosen({ only: "chatXstatus" })).toThrow(UsageError);
});

test("clauses of the compatible interface exist only in their profile", () => {
  const compatible = (options: Parameters<typeof select>[1]) =>
    select(clauses, options).filter(({ clause }) => clause.profile === "openai").length;
  expect([compatible({}), compatible({ profile: "openai" }) > 5]).toEqual([0, true]);
});

test("--only that matches nothing is a usage error that names the areas", () => {
  expect(() => chosen({ only: "chat.status,nothing.*" })).toThrow(/nothing\.\*.*embeddings/);
});
