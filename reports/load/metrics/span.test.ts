import { expect, describe as group, test } from "vitest";
import { makeRun } from "../../../tests/support/results/load-run.ts";
import { summarize } from "../../../tests/support/results/summarize-run.ts";

/** Ten whole responses and their tokens, of a run that was planned to last ten minutes. */
const RUN = makeRun({ warmupS: 0, durationS: 1, rate: 10 });

group("the window of a run that was cut short includes its last response", () => {
  const planned = (more: string) =>
    RUN.records.map((line, index) =>
      index === 0 ? line.replace('"duration":1000', `"duration":600000${more}`) : line,
    );
  const stopped = RUN.client.map((line) => line.replace('"final":true', '"final":true,"stopped":"interrupted"'));

  test.each([
    ["by a bound on arrivals", planned(',"maxRequests":10'), RUN.client],
    ["by its user", planned(""), stopped],
  ])("%s", async (_, records, client) => {
    const { metrics, durationS, counts } = await summarize([{ records, client }]);
    expect(counts.ok).toBe(10);
    expect((metrics["requests_per_s"]?.value ?? 0) * durationS).toBeCloseTo(10, 6);
    expect((metrics["output_tokens_per_s"]?.value ?? 0) * durationS).toBeCloseTo(100, 6);
  });
});
