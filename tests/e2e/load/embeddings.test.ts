/** Embeddings under load: each breach of the form of vectors is an outcome with its reason. */

import { expect, test } from "vitest";
import { loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { mockOfTest } from "../../support/targets/spawned-mock.ts";

/** Faults, and the reason that the record of such a response states. */
const BREACHES = {
  "embeddings-index-constant": "data[1].index is 0 like data[0].index, where each of 0 to 3 was expected once.",
  "embeddings-dimensions": "data[1].embedding has length 255, where 256 was expected, the length of data[0].embedding.",
  "embeddings-shorter":
    "The vectors have length 255, where 256 was expected, that of the first vectors of the model assay-embedding in this run.",
  "embeddings-zero": "data[0].embedding is all zeros.",
  "embeddings-nan": "The response contains NaN, which is neither JSON nor a finite number.",
};

const SHAPE = ["--vus", "1", "--warmup", "0", "--duration", "20s", "--set", "batch-sizes=4"];

/** The second response has the first fault, the third the second one, and so on. */
const IN_TURN = Object.keys(BREACHES).flatMap((name, at) => ["--fault", `${name}@first:${at + 2}@every:${at + 2}`]);

test.concurrent("each breach is a breach of the contract", async (context) => {
  const { url } = await mockOfTest(context, "--timing", "instant", ...IN_TURN);
  const requests = Object.keys(BREACHES).length + 2;
  const { folder } = await loadToEnd("embeddings", url, [...SHAPE, "--max-requests", String(requests)]);
  const [first, ...others] = recordsOf(folder);
  expect(first).toMatchObject({ outcome: "ok", dimensions: 256, items: 4 });
  const reasons = Object.values(BREACHES).map((detail) => expect.objectContaining({ outcome: "contract", detail }));
  expect(others).toEqual([...reasons, expect.objectContaining({ outcome: "ok" })]);
});

test.concurrent("items in another order are ok", async (context) => {
  const { url } = await mockOfTest(context, "--timing", "instant", "--behaviour", "shuffled-embeddings");
  const { folder } = await loadToEnd("embeddings", url, [...SHAPE, "--max-requests", "3"]);
  expect(recordsOf(folder).map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
});
