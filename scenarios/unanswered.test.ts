import { expect, test } from "vitest";
import { noted, retryPauseMs } from "./unanswered.ts";

const pauses = (...replies: readonly Parameters<typeof noted>[0][]): number[] =>
  replies.map((reply) => {
    noted(reply);
    return retryPauseMs();
  });

const OK = { outcome: "ok", status: 200 } as const;
const REFUSED = { outcome: "refused", status: 0 } as const;

test("a closed loop waits longer and longer for a target without responses, up to a second, and not at all for others", () => {
  expect(pauses(OK, { outcome: "http_error", status: 503 }, { outcome: "truncated", status: 200 })).toEqual([0, 0, 0]);
  expect(pauses(...Array.from({ length: 10 }, () => REFUSED))).toEqual([
    10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000,
  ]);
  expect(pauses(OK, { outcome: "client_error", status: 0 }, { outcome: "cancelled_by_us", status: 0 })).toEqual([
    0, 10, 0,
  ]);
});
