import { expect, test } from "vitest";
import { HeldBytes } from "../../proxy/held-bytes.ts";
import type { SeenRequest } from "../../proxy/tap.ts";
import type { ToCheck } from "./check-messages.ts";
import { ExchangeRecorder } from "./exchange-recorder.ts";

const REQUEST: SeenRequest = { method: "GET", url: "http://a/", headers: ["Host", "a"], startedMs: 0 };
const MIB = 1 << 20;
const CHUNK = Buffer.alloc(64 << 10, "x");

/** A recorder, and what the process that checks holds of what it hands over: bodies until they are dropped or checked. */
function recorderWith(mostBytes: number) {
  const messages: ToCheck[] = [];
  const bodies = new Map<number, number>();
  let most = 0;
  const recorder = new ExchangeRecorder((message) => {
    messages.push(message);
    if (message.kind === "body") bodies.set(message.id, (bodies.get(message.id) ?? 0) + message.bytes.length);
    most = Math.max(
      most,
      [...bodies.values()].reduce((sum, bytes) => sum + bytes, 0),
    );
    if (message.kind === "drop") {
      bodies.delete(message.id);
      recorder.released(message.id, message.what);
    }
  }, new HeldBytes(mostBytes));
  const begin = (request = REQUEST) => recorder.begin(request, () => undefined);
  const ends = () => messages.flatMap((message) => (message.kind === "exchange" ? [message] : []));
  return { recorder, messages, begin, ends, most: () => most };
}

test("what 250 open streams hold together has a bound; those beyond it have no body, and say so", () => {
  const { recorder, begin, ends, most } = recorderWith(16 * MIB);
  const open = Array.from({ length: 250 }, () => begin());
  for (const stream of open) stream.head(200, ["Content-Type", "text/event-stream"], 1);
  for (let sent = 0; sent < 4 * MIB; sent += CHUNK.length) for (const stream of open) stream.responseData(CHUNK, 2);
  expect(most()).toBeLessThanOrEqual(16 * MIB);
  for (const stream of open) stream.end(3);
  const whole = ends().filter(({ seen }) => !seen.truncated.response);
  expect([ends().length, recorder.unchecked]).toEqual([250, 0]);
  expect(whole.length).toBeGreaterThan(0);
  expect(whole.length).toBeLessThanOrEqual(4);
  for (const { last, seen } of ends()) {
    if (seen.truncated.response) expect(last.response.length).toBe(0);
    expect(seen.response?.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(4 * MIB);
  }
  for (const { id } of ends()) recorder.released(id, "all");
  const later = begin();
  later.head(200, [], 1);
  for (let sent = 0; sent < 8 * MIB; sent += CHUNK.length) later.responseData(CHUNK, 2);
  later.end(3);
  expect(ends().at(-1)?.seen.truncated.response).toBe(false);
});

test("a request is handed over before its exchange ends, so that its secrets are known", () => {
  const { begin, messages } = recorderWith(MIB);
  begin();
  expect(messages).toEqual([{ kind: "request", id: 1, request: REQUEST }]);
});

test("an exchange whose headers cannot be held is passed on unchecked, and holds nothing", () => {
  const { recorder, begin, ends } = recorderWith(64 << 10);
  const heavy = ["X-Long", "x".repeat(50 << 10)];
  const first = begin({ ...REQUEST, headers: heavy });
  begin({ ...REQUEST, headers: heavy }).end(1);
  const third = begin();
  third.head(200, heavy, 1);
  third.responseData(CHUNK, 2);
  third.end(3);
  expect([recorder.taken, recorder.unchecked, ends().length]).toEqual([3, 2, 0]);
  first.end(1);
  expect(ends().map(({ id }) => id)).toEqual([1]);
  recorder.released(1, "all");
  begin({ ...REQUEST, headers: heavy }).end(1);
  expect(recorder.unchecked).toBe(2);
});

test("a request body that was dropped is said too", () => {
  const { begin, ends } = recorderWith(32 << 10);
  const upload = begin();
  upload.requestData(CHUNK);
  upload.end(1, { by: "target", message: "gone", code: "" });
  expect(ends()[0]?.seen.truncated).toEqual({ request: true, response: false });
});
