import { expect, test } from "vitest";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import { objectivesOf } from "../../settings/load-table.ts";
import { planLoad } from "./plan-load.ts";

const plan = (scenario: string, flags: Readonly<Record<string, unknown>>) =>
  planLoad(scenario, { target: "http://127.0.0.1:9", ...flags }, { env: { ASSAY_API_KEY: "key" } });

test.each(Object.entries(SCENARIOS))("the demo of %s has objectives and reads all its flags", (scenario, { demo }) => {
  const { settings } = plan(scenario, demo);
  expect(objectivesOf(settings).length).toBeGreaterThan(0);
  for (const value of Object.values(demo)) expect(["string", "boolean"]).toContain(typeof value);
});

test("a load without an objective is refused", () => {
  expect(() => plan("chat", { noDefaultSlos: true })).toThrow("Add one with --slo");
});
