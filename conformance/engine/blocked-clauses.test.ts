/** One defect hides few clauses: a response is judged member by member where it can be recognised. */

import { expect, test } from "vitest";
import { startMock } from "../../mock-server/index.ts";
import { counted, judgeTarget } from "../../tests/support/targets/judge-target.ts";

test.each([
  ["chat-choices-missing", 12, 1],
  ["chat-choices-empty", 12, 1],
  ["stream-by-default", 35, 1],
  ["embeddings-data-missing", 25, 1],
  ["embeddings-default-base64", 8, 1],
  ["video-poll-201", 10, 1],
  ["chat-messages-optional", 0, 1],
  ["prefix-missing", 0, 3],
  ["auth-bare-key", 0, 3],
  ["chat-max-tokens-refused", 10, 1],
])("%s blocks at most %i clauses, and fails %i", async (fault, most, failed) => {
  const mock = await startMock({ timing: "instant", workMs: 300, faults: [fault] });
  const { FAIL, BLOCKED = 0 } = counted(
    await judgeTarget(mock.url, { ASSAY_PROFILE: "openai" }).finally(() => mock.stop()),
  );
  expect(BLOCKED).toBeLessThanOrEqual(most);
  expect(FAIL).toBe(failed);
});

test("a reply without max_tokens that does not end leaves its own clause inconclusive, and few under it", async () => {
  const mock = await startMock({ timing: "instant", faults: ["chat-max-tokens-absent-silent"] });
  const verdicts = await judgeTarget(mock.url, { ASSAY_VIDEO: "false", ASSAY_DEADLINE: "8s" }).finally(() =>
    mock.stop(),
  );
  expect(verdicts.get("chat.max_tokens.omitted")).toMatchObject({
    verdict: "INCONCLUSIVE",
    reason: expect.stringContaining("4000 ms, half of --deadline; raise that"),
  });
  const { FAIL, BLOCKED = 0, INCONCLUSIVE } = counted(verdicts);
  expect([FAIL, INCONCLUSIVE]).toEqual([undefined, 1]);
  expect(BLOCKED).toBeLessThanOrEqual(4);
});
