/** One defect hides few clauses: a response is judged member by member where it can be recognised. */

import { expect, test } from "vitest";
import { startMock } from "../../mock-server/index.ts";
import { counted, judgeTarget } from "../../tests/support/targets/judge-target.ts";

test.each([
  ["chat-choices-missing", 12],
  ["chat-choices-empty", 12],
  ["stream-by-default", 35],
  ["embeddings-data-missing", 25],
  ["embeddings-default-base64", 8],
  ["video-poll-201", 10],
])("%s blocks at most %i clauses, and fails one", async (fault, most) => {
  const mock = await startMock({ timing: "instant", workMs: 300, faults: [fault] });
  const { FAIL, BLOCKED = 0 } = counted(
    await judgeTarget(mock.url, { ASSAY_PROFILE: "openai" }).finally(() => mock.stop()),
  );
  expect(BLOCKED).toBeLessThanOrEqual(most);
  expect(FAIL).toBe(1);
});
