import { beforeAll, describe, expect, it } from "vitest";
import { PATHS, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import {
  chatCompletion,
  embeddingList,
  videoCancellation,
  videoSubmission,
  videoTask,
} from "../../tests/support/contract/service-schemas.ts";
import { mockFor, send } from "../../tests/support/targets/mock-client.ts";
import { type Observation, SURVEY, SURVEY_WORK_MS, SURVEYED } from "../../tests/support/targets/mock-survey.ts";
import { ROUTES } from "../base/route-name.ts";
import { startMock } from "../mock.ts";
import { FAILING_PROMPT } from "../service/failing-prompt.ts";
import { DEFAULT_BEHAVIOUR, PERMITTED } from "./all-variants.ts";

describe("each permitted variant but strict changes a response", () => {
  const observations = [...new Set(ROUTES.flatMap((route) => SURVEY[route]))];
  const strict = new Map<Observation, string>();

  beforeAll(async () => {
    const mock = await startMock({ timing: "instant", ...SURVEYED });
    for (const observe of observations) strict.set(observe, await observe(mock, true));
    await mock.stop();
  });

  it.each(PERMITTED.filter(({ name }) => name !== DEFAULT_BEHAVIOUR))("$name", async ({ name, route = ROUTES }) => {
    const mock = await mockFor({ ...SURVEYED, behaviour: name });
    const changes: string[] = [];
    for (const observe of new Set([route].flat().flatMap((one) => SURVEY[one]))) {
      if ((await observe(mock)) === strict.get(observe)) continue;
      changes.push("changed");
      break;
    }
    expect(changes).toEqual(["changed"]);
  });
});

it.each(PERMITTED)("$name conforms to the contract", async ({ name: behaviour }) => {
  const mock = await mockFor({ ...SURVEYED, behaviour });
  const answer = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") =>
    (await send(mock, { path, body, method })).json;
  const messages = [{ role: "user", content: "hi" }];
  chatCompletion.parse(await answer(PATHS.chat, { model: "mock-chat", messages }));
  embeddingList.parse(await answer(PATHS.embeddings, { model: "mock-embedding", input: ["a", "b"] }));
  const submit = async (prompt: string) =>
    videoSubmission.parse(await answer(PATHS.videos, { model: "mock-video", prompt })).id;
  const [done, failing, cancelled] = [await submit("p"), await submit(FAILING_PROMPT), await submit("p")];
  const status = async (id: string) => videoTask.parse(await answer(videoTaskPath(id))).status;
  expect(await status(done)).toBe("processing");
  videoCancellation.parse(await answer(videoCancelPath(cancelled), undefined, "POST"));
  mock.advance(SURVEY_WORK_MS);
  expect([await status(done), await status(failing), await status(cancelled)]).toEqual([
    "completed",
    "failed",
    "cancelled",
  ]);
  await answer(videoCancelPath(done), undefined, "POST");
  expect(await status(done)).toBe("completed");
});
