import { describe, expect, it } from "vitest";
import {
  PATHS,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTIONS,
  videoCancelPath,
  videoTaskPath,
} from "../../../contract/service.ts";
import { steadyNow } from "../../../lib/steady-clock.ts";
import { videoCancellation, videoSubmission, videoTask } from "../../../tests/support/contract/service-schemas.ts";
import { mockFor, type Sent, send } from "../../../tests/support/targets/mock-client.ts";
import type { Mock } from "../../mock.ts";
import { FAILING_PROMPT } from "../failing-prompt.ts";

const WORK_MS = 1000;
const held = (behaviour = "strict") => mockFor({ heldClock: true, workMs: WORK_MS, behaviour });
const submit = (fields: object = {}): Sent => ({ path: PATHS.videos, body: { model: "m", prompt: "p", ...fields } });

async function submitted(mock: Mock, fields: object = {}) {
  const { status, json } = await send(mock, submit(fields));
  expect(status).toBe(202);
  return videoSubmission.parse(json);
}
async function polled(mock: Mock, id: string) {
  const { status, json } = await send(mock, { path: videoTaskPath(id) });
  expect(status).toBe(200);
  return videoTask.parse(json);
}
const cancel = (mock: Mock, id: string) => send(mock, { method: "POST", path: videoCancelPath(id) });

describe("a video task", () => {
  it("is submitted with id, model, processing and a time in UTC, the present", async () => {
    const before = Math.floor(steadyNow());
    const task = await submitted(await held(), { model: "video-1" });
    const after = steadyNow();
    expect(task).toMatchObject({ model: "video-1", status: "processing" });
    expect(task.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(task.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(task.created_at)).toBeLessThanOrEqual(after);
  });

  it("is processing, with progress, until its work is done, and then stays completed", async () => {
    const mock = await held();
    const { id } = await submitted(mock);
    expect(await polled(mock, id)).toEqual({ id, status: "processing", progress: 0 });
    mock.advance(WORK_MS - 1);
    expect(await polled(mock, id)).toEqual({ id, status: "processing", progress: 99 });
    mock.advance(1);
    const done = await polled(mock, id);
    expect(done).toMatchObject({ id, status: "completed", usage: { total_cost: 0.5 } });
    expect(Object.keys(done)).toEqual(["id", "status", "video_url", "usage"]);
    mock.advance(100 * WORK_MS);
    expect(await polled(mock, id)).toEqual(done);
  });

  it("has a video at its address once it is completed, for whoever asks", async () => {
    const mock = await held();
    const { id } = await submitted(mock);
    const path = `/videos/${id}.mp4`;
    expect((await send(mock, { path, headers: {} })).status).toBe(404);
    mock.advance(WORK_MS);
    expect(await polled(mock, id)).toMatchObject({ video_url: mock.url + path });
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, text } = await send(mock, { method, path, headers: {} });
      expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([200, "video/mp4", "4096"]);
      expect(text).toHaveLength(method === "GET" ? 4096 : 0);
    }
    expect((await send(mock, { method: "POST", path, headers: {} })).status).toBe(405);
  });

  it("fails with content_filter when its prompt contains the failing phrase, with status 200", async () => {
    const mock = await held();
    const { id } = await submitted(mock, { prompt: `A film. ${FAILING_PROMPT}` });
    mock.advance(WORK_MS);
    expect(await polled(mock, id)).toMatchObject({ status: "failed", error: { code: "content_filter" } });
    expect((await cancel(mock, id)).status).toBe(409);
    expect((await polled(mock, id)).status).toBe("failed");
  });

  it("is cancelled while processing, and stays cancelled when its work would have been done", async () => {
    const mock = await held();
    const { id } = await submitted(mock);
    const { status, json } = await cancel(mock, id);
    expect(status).toBe(200);
    expect(videoCancellation.parse(json)).toEqual({ id, status: "cancelled" });
    mock.advance(WORK_MS);
    expect(await polled(mock, id)).toEqual({ id, status: "cancelled" });
    expect((await cancel(mock, id)).status).toBe(409);
  });

  it("cannot be cancelled once completed", async () => {
    const mock = await held();
    const { id } = await submitted(mock);
    mock.advance(WORK_MS);
    expect((await cancel(mock, id)).status).toBe(409);
    expect((await polled(mock, id)).status).toBe("completed");
  });

  it("progresses when the clock runs", async () => {
    const mock = await mockFor({ workMs: 30 });
    const { id } = await submitted(mock);
    await expect.poll(async () => (await polled(mock, id)).status).toBe("completed");
  });

  it("has a unique id, which its row of the ground truth contains", async () => {
    const mock = await held();
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await submitted(mock)).id));
    expect(new Set(ids).size).toBe(50);
    expect(new Set(mock.groundTruth().map(({ task }) => task))).toEqual(new Set(ids));
    expect(mock.tasks()).toHaveLength(50);
  });

  it("is removed, oldest first, when too many have ended; processing ones are kept", async () => {
    const mock = await mockFor({ heldClock: true, workMs: WORK_MS, taskCap: 3 });
    const early = [await submitted(mock), await submitted(mock), await submitted(mock)];
    mock.advance(WORK_MS);
    const late = await submitted(mock);
    expect((await send(mock, { path: videoTaskPath(early[0]?.id ?? "") })).status).toBe(404);
    expect((await polled(mock, early[1]?.id ?? "")).status).toBe("completed");
    expect((await polled(mock, late.id)).status).toBe("processing");
  });
});

describe("submissions", () => {
  const allowed = [
    ...VIDEO_DURATIONS.map((duration) => ({ duration })),
    ...VIDEO_RESOLUTIONS.map((resolution) => ({ resolution })),
    ...VIDEO_ASPECT_RATIOS.map((aspect_ratio) => ({ aspect_ratio })),
    { duration: 10, resolution: "1080p" },
    { unknown: true },
  ];
  it.each(allowed)("are accepted: %j", async (fields) => {
    await submitted(await held(), fields);
  });

  it.each([
    ["ASCII", "a"],
    ["two-byte letters", "é"],
    ["code points outside the BMP", "🎬"],
  ])("are accepted with a prompt of exactly the limit in %s, and refused with one more", async (_, letter) => {
    const mock = await held();
    await submitted(mock, { prompt: letter.repeat(VIDEO_PROMPT_MAX) });
    expect((await send(mock, submit({ prompt: letter.repeat(VIDEO_PROMPT_MAX + 1) }))).status).toBe(400);
  });

  it("count UTF-16 units with utf16-prompts", async () => {
    const mock = await held("utf16-prompts");
    await submitted(mock, { prompt: "🎬".repeat(VIDEO_PROMPT_MAX / 2) });
    expect((await send(mock, submit({ prompt: "🎬".repeat(VIDEO_PROMPT_MAX / 2 + 1) }))).status).toBe(400);
  });

  it.each([
    ["model", { model: undefined }],
    ["prompt", { prompt: undefined }],
    ["prompt", { prompt: 7 }],
    ["duration", { duration: 7 }],
    ["duration", { duration: "5" }],
    ["duration", { duration: 5.5 }],
    ["resolution", { resolution: "480p" }],
    ["resolution", { resolution: 720 }],
    ["aspect_ratio", { aspect_ratio: "4:3" }],
  ])("are refused for a wrong %s: %j, and make no task", async (param, fields) => {
    const mock = await held();
    const { status, json } = await send(mock, submit(fields));
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param } });
    expect(mock.tasks()).toEqual([]);
  });
});
