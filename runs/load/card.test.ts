import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordedSettings } from "../../formats/records.ts";
import { runResult } from "../../formats/run.ts";
import { loadCard } from "../../reports/load/views/card.ts";
import { settingsJson } from "../../settings/load/load-json.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { planLoad } from "./plan-load.ts";

const GOOD = runResult.parse(JSON.parse(readFileSync("reports/load/views/golden/good.json", "utf8")));
const folder = newFolder();
const target = "http://127.0.0.1:9";
const written = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const planned = (scenario: string | undefined, flags: Readonly<Record<string, unknown>>) =>
  planLoad(scenario, { target, ...flags }, { env: { ASSAY_API_KEY: "key" } });

/** The blocks of a card that can be copied. */
const blocksOf = (card: string): string[] =>
  [...card.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, text = ""]) =>
    text.replace(
      /&(quot|lt|gt|amp|#39);/g,
      (_, name: string) => ({ quot: '"', lt: "<", gt: ">", amp: "&" })[name] ?? "'",
    ),
  );

function cardOf(plan: ReturnType<typeof planned>): string[] {
  const { scenario, settings } = plan;
  const recorded = recordedSettings.parse({ ...settingsJson(plan.settings), scenario, duration: settings.duration });
  const { seed, promptSeed } = settings;
  return blocksOf(loadCard({ ...GOOD, scenario, target, settings: recorded, seed, promptSeed }));
}

const WORKLOADS = `
rate: 20
slo: "chats.ttft<1s"
workloads:
  - { name: chats, operation: chat-stream, weight: 3, model: lora, max-tokens: "uniform:10,30" }
  - { name: batch, operation: embeddings, tenant: b, batch-sizes: "4,8" }
`;

test.each<[string | undefined, Readonly<Record<string, unknown>>]>([
  [
    "chat-stream",
    { rate: "20", duration: "30s", seed: "7", slo: ["ttft_p95<1s", "ok>=5"], maxTokens: "uniform:10,30" },
  ],
  ["chat", { vus: "4", inputTokens: "100", turns: "1..3", header: ["x-team=ASSAY_TEAM"], tag: ["a=b"] }],
  ["video", { rate: "0.5", cancelShare: "0.25", pollSchedule: "jitter:20%" }],
  [undefined, { workload: written("w.yaml", WORKLOADS), warmup: "0" }],
])("the file on the card of %s with %j describes the same load", (scenario, flags) => {
  const plan = planned(scenario, flags);
  const [file = "", command = ""] = cardOf(plan);
  const name = written("load.yaml", file);
  const again = scenario === undefined ? planned(undefined, { workload: name }) : planned(scenario, { config: name });
  const { seed, promptSeed, ...settings } = plan.settings;
  expect({ ...again.settings, workload: undefined }).toMatchObject({ ...settings, workload: undefined });
  expect([again.settings.seed, again.settings.promptSeed]).toEqual([seed, promptSeed]);
  expect(command).toMatch(
    scenario === undefined ? /^assay load --workload load\.yaml / : `assay load ${scenario} --config`,
  );
});

test("a card has no path of an installation, and says that settings of another version are not known", () => {
  const settings = { ...GOOD.settings, prompts: "/opt/assay/scenarios/prompts/default.jsonl" };
  expect(loadCard({ ...GOOD, settings })).not.toContain("/opt/assay");
  expect(loadCard({ ...GOOD, settings: { ...GOOD.settings, rate: "soon" } })).toContain(
    "Another version wrote the settings of this run",
  );
});
