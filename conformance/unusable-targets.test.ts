/** Targets that cannot be judged: the run ends in bounded time, is not green, and says why. */

import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAILING_PROMPT, type Mock, startMock } from "../mock-server/index.ts";
import { unusable } from "../mock-server/variants/unusable.ts";
import { unusableStreams } from "../mock-server/variants/unusable-streams.ts";
import { badOnes, type ClauseVerdicts, judgeTarget } from "../tests/support/targets/judge-target.ts";
import { loadClauses } from "./engine/load-clauses.ts";

const clauses = await loadClauses();
const BOUND_MS = 60_000;

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ timing: "instant" });
});
afterAll(() => mock.stop());

function expectNotGreen(verdicts: ClauseVerdicts): void {
  const required = clauses.filter(({ level }) => level === "required").map(({ id }) => verdicts.get(id)?.verdict);
  expect(required.filter((verdict) => verdict !== "PASS" && verdict !== "NOT-APPLICABLE").length).toBeGreaterThan(20);
  expect(verdicts.get("chat.minimal")?.verdict === "PASS" && verdicts.get("chat.response.id")?.verdict === "PASS").toBe(
    false,
  );
  expect([...verdicts.values()].filter(({ verdict }) => verdict === "HARNESS-ERROR")).toEqual([]);
}

/** The clauses that passed, with their reasons. */
const passed = (verdicts: ClauseVerdicts): readonly string[] =>
  [...verdicts].filter(([, { verdict }]) => verdict === "PASS").map(([id, { reason }]) => `${id}: ${reason}`);

/** The clauses about what comes for stream true; those about a target that streams without being asked are not among them. */
const aboutStreams = clauses
  .filter(({ probes: [probe] }) => probe.kind === "request" && /"stream":true/.test(JSON.stringify(probe)))
  .map(({ id }) => id);

describe("a target where", () => {
  test.each(unusable.map(({ name }) => name))(
    "%s: ends in bounded time, not green, and nothing passes",
    { timeout: BOUND_MS },
    async (name) => {
      mock.reset();
      mock.setFaults([name]);
      const verdicts = await judgeTarget(mock.url, { ASSAY_PROFILE: "openai" });
      expectNotGreen(verdicts);
      expect(passed(verdicts)).toEqual([]);
    },
  );

  test.each(unusableStreams.map(({ name }) => name))(
    "%s: no clause about streams passes, and no other fails",
    { timeout: BOUND_MS },
    async (name) => {
      mock.reset();
      mock.setFaults([name]);
      const verdicts = await judgeTarget(mock.url, { ASSAY_PROFILE: "openai", ASSAY_FAILING_PROMPT: FAILING_PROMPT });
      expect(aboutStreams).toContain("chat.stream.temperature.max");
      expect(passed(verdicts).filter((line) => aboutStreams.some((id) => line.startsWith(`${id}: `)))).toEqual([]);
      expect(verdicts.get("chat.stream.accepted")?.verdict).toBe(
        name === "stream-plain-error" ? "INCONCLUSIVE" : "FAIL",
      );
      expect(badOnes(verdicts).filter((line) => / FAIL /.test(line) && !line.startsWith("chat.stream."))).toEqual([]);
    },
  );

  test.each([
    ["all-404", /^the target returned 404 with ".*check --target/],
    [
      "all-html",
      /^the target returned 200 with an HTML or XML page, and nothing else at this address .* check --target/,
    ],
    ["all-redirect", /^the target returned 30\d with the location ".*check --target/],
  ])("%s: is a wrong address, not a target that fails", { timeout: BOUND_MS }, async (name, reason) => {
    mock.reset();
    mock.setFaults([name]);
    const verdicts = await judgeTarget(mock.url, { ASSAY_PROFILE: "openai" });
    expect(badOnes(verdicts)).toEqual([]);
    const causes = [...verdicts].filter(([, { verdict }]) => verdict === "INCONCLUSIVE");
    expect(causes.map(([id]) => id)).toEqual(expect.arrayContaining(["chat.minimal", "embeddings.minimal"]));
    for (const id of ["chat.minimal", "embeddings.minimal", "video.submit.minimal"])
      expect(verdicts.get(id)?.reason).toMatch(reason);
  });

  test.each(["all-401", "all-404", "all-429", "all-garbage", "all-html"])(
    "%s: one cause has one status and one sentence on each endpoint, and all else is blocked under it",
    { timeout: BOUND_MS },
    async (name) => {
      mock.reset();
      mock.setFaults([name]);
      const verdicts = [...(await judgeTarget(mock.url, { ASSAY_PROFILE: "openai" }))];
      const isRoot = (id: string): boolean => /^(?:auth\.key\.\w+|\w+(?:\.submit)?\.minimal)$/.test(id);
      const roots = verdicts.filter(([, { verdict }]) => ["INCONCLUSIVE", "FAIL"].includes(verdict));
      expect(roots.map(([id]) => id).filter((id) => !isRoot(id))).toEqual([]);
      expect(roots).toHaveLength(3);
      const sentences = roots.map(([, { reason }]) => reason.replace(/ \(exchanges?[^)]*\).*$/, ""));
      expect(new Set(sentences).size).toBe(1);
      expect(new Set(verdicts.flatMap(([, { blockedBy }]) => blockedBy ?? []))).toEqual(
        new Set(roots.map(([id]) => id)),
      );
    },
  );

  test("every path is there without the prefix only: each endpoint fails with that sentence", {
    timeout: BOUND_MS,
  }, async () => {
    mock.reset();
    mock.setFaults(["prefix-missing"]);
    const verdicts = await judgeTarget(mock.url);
    for (const id of ["chat.minimal", "embeddings.minimal", "video.submit.minimal"]) {
      expect(verdicts.get(id)).toMatchObject({
        verdict: "FAIL",
        reason: expect.stringMatching(/requires the prefix \/v1.*returned 404.*without the prefix/),
      });
    }
    expect(badOnes(verdicts).filter((line) => line.includes(" FAIL "))).toHaveLength(3);
  });

  test("errors are pages, and one endpoint refuses everything: that one fails", { timeout: BOUND_MS }, async () => {
    const behind = await startMock({ timing: "instant", behaviour: "html-errors", faults: ["embeddings-missing"] });
    const verdicts = await judgeTarget(behind.url).finally(() => behind.stop());
    expect(verdicts.get("embeddings.minimal")?.verdict).toBe("FAIL");
    expect(verdicts.get("chat.minimal")?.verdict).toBe("PASS");
  });

  test("embeddings alone are missing: they fail, for chat is there", { timeout: BOUND_MS }, async () => {
    mock.reset();
    mock.setFaults(["embeddings-missing"]);
    expect((await judgeTarget(mock.url)).get("embeddings.minimal")?.verdict).toBe("FAIL");
  });

  test("nothing listens: ends at once, not green, and says that it was refused", { timeout: BOUND_MS }, async () => {
    const verdicts = await judgeTarget(`http://127.0.0.1:${await freePort()}`);
    expectNotGreen(verdicts);
    expect(verdicts.get("chat.minimal")).toMatchObject({
      verdict: "INCONCLUSIVE",
      reason: expect.stringContaining("refused"),
    });
  });
});

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
