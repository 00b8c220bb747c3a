import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PATHS, videoTaskPath } from "../../../contract/service.ts";
import { mockFor, send } from "../../../tests/support/targets/mock-client.ts";

const keyless = (path: string, body?: unknown) => ({ path, body, headers: {} });
const taskStatus = z.looseObject({ status: z.string() });

describe("the control path", () => {
  it("returns the state without a key", async () => {
    const mock = await mockFor({ seed: 9, faults: ["chat-201"] });
    await send(mock, { path: PATHS.embeddings, body: { model: "m", input: "a" } });
    const { status, json } = await send(mock, keyless("/_mock/state"));
    expect(status).toBe(200);
    expect(json).toMatchObject({
      byRoute: { embeddings: { 200: 1 } },
      timing: "instant",
      behaviour: "strict",
      faults: ["chat-201"],
      seed: 9,
      tasks: { processing: 0, completed: 0, failed: 0, cancelled: 0 },
      limited: false,
    });
  });

  it("returns the ledger and the tasks", async () => {
    const mock = await mockFor({ heldClock: true });
    await send(mock, { path: PATHS.videos, body: { model: "m", prompt: "p" } });
    const { json: ledger } = await send(mock, keyless("/_mock/ledger"));
    expect(ledger).toMatchObject({ rows: [{ route: "video.submit", status: 202 }] });
    const { json: tasks } = await send(mock, keyless("/_mock/tasks"));
    expect(tasks).toMatchObject({ tasks: [{ state: "processing", progress: 0 }] });
  });

  it("holds the clock, advances it, and lets it run", async () => {
    const mock = await mockFor({ workMs: 60_000 });
    await send(mock, keyless("/_mock/clock", { hold: true }));
    await send(mock, { path: PATHS.videos, body: { model: "m", prompt: "p" } });
    const [task] = mock.tasks();
    const state = async () => taskStatus.parse((await send(mock, { path: videoTaskPath(task?.id ?? "") })).json).status;
    await send(mock, keyless("/_mock/clock", { advanceMs: 59_999 }));
    expect(await state()).toBe("processing");
    await send(mock, keyless("/_mock/clock", { run: true }));
    await expect.poll(state).toBe("completed");
  });

  it("sets faults and resets", async () => {
    const mock = await mockFor();
    expect((await send(mock, keyless("/_mock/faults", { names: ["chat-201"] }))).json).toEqual({
      faults: ["chat-201"],
    });
    const wrong = await send(mock, keyless("/_mock/faults", { names: ["chat-200"] }));
    expect([wrong.status, wrong.text.includes("Did you mean")]).toEqual([400, true]);
    await send(mock, { path: PATHS.videos, body: { model: "m", prompt: "p" } });
    await send(mock, keyless("/_mock/reset", {}));
    expect([mock.state().faults, mock.tasks()]).toEqual([[], []]);
    expect(mock.state().byRoute["video.submit"]).toBeUndefined();
  });

  it.each([
    ["/_mock/nothing", undefined, 404],
    ["/_mock/faults", { name: "chat-201" }, 400],
    ["/_mock/faults", "{", 400],
    ["/_mock/clock", {}, 400],
    ["/_mock/clock", { advanceMs: -1 }, 400],
  ])("returns to %s %j the status %i", async (path, body, status) => {
    expect((await send(await mockFor(), keyless(path, body))).status).toBe(status);
  });
});
