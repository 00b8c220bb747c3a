/** How large the page of a load of many requests, operations and tenants is. */

import { expect, test } from "vitest";
import { httpError, makeRun } from "../../tests/support/results/load-run.ts";
import { summarizeWithPoints } from "../../tests/support/results/summarize-shards.ts";
import { loadHtml } from "./views/html.ts";

const OPS = ["chat-stream", "chat", "embeddings"] as const;

test("the page of 20,000 requests of three operations and four tenants has less than 1.5 MB", async () => {
  const workloads = ["search", "support", "billing", "research"].flatMap((tenant) =>
    OPS.map((operation) => ({ name: `${tenant}-${operation}`, operation, tenant, weight: 1, settings: {} })),
  );
  const { records, client } = makeRun({
    ...{ rate: 320, warmupS: 2, durationS: 61 },
    change: ({ gaps_us, ttft = 0, ttft_scheduled, ...record }, index) => {
      const workload = workloads[index % workloads.length];
      const factor = 0.3 + ((index * 7_919) % 1_009) / 300;
      const id = `3f2a9c1e-77b1-4c2d-9e0f-${index.toString(16).padStart(12, "0")}`;
      const of = { ...record, id, arrival: index, workload: workload?.name, e2e: (record.e2e ?? 0) * factor };
      if (index % 35 === 0)
        return { ...httpError(of, index % 2 === 0 ? 503 : 429), arrival: index, workload: of.workload };
      if (workload?.operation === "embeddings") return { ...of, op: "embeddings", items: 8 };
      if (workload?.operation === "chat") return { ...of, op: "chat" };
      return {
        ...of,
        ttft: ttft * factor,
        gaps_us: gaps_us?.map((gap, at) => Math.round((gap * ((index + at) % 97)) / 40)),
      };
    },
  });
  const [header = "", ...lines] = records;
  const settings = header.replace(
    '"settings":{',
    `"settings":{"workload":${JSON.stringify({ title: "mixed", workloads })},`,
  );
  const shards = [{ records: [settings, ...lines], client }];
  const run = await summarizeWithPoints({
    slos: [],
    target: "http://t",
    shape: "",
    tool: "assay",
    scenario: "mixed",
    shards,
  });
  expect(run.points?.kind).toHaveLength(20_000);
  expect(loadHtml(run).length).toBeLessThan(1_500_000);
});
