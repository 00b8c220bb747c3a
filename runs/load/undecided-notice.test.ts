import { expect, test } from "vitest";
import { planLoad } from "./plan-load.ts";
import { undecidedNotice } from "./undecided-notice.ts";

const noticeOf = (flags: Readonly<Record<string, unknown>>, scenario = "chat-stream"): string | undefined =>
  undecidedNotice(planLoad(scenario, { target: "http://127.0.0.1:9", ...flags }, { env: {} }));

test.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
  [
    "a short first run",
    { rate: "5", duration: "10s", slo: "ttft_p99<800ms" },
    "50 requests are scheduled: error_rate<1% needs 299, ttft_p99<800ms needs 1,146. Use --duration 1m to decide the first, --duration 230s to decide all.",
  ],
  [
    "one objective",
    { rate: "5", duration: "10s" },
    "50 requests are scheduled: error_rate<1% needs 299. Use --duration 1m to decide it.",
  ],
  [
    "windows that hold too few",
    { rate: "5", duration: "100s", slo: "ttft_p95<800ms in every 10s" },
    "ttft_p95<800ms in every 10s needs 223 requests per window: use a higher rate, or windows of 45s.",
  ],
  [
    "a number of arrivals",
    { rate: "50", maxRequests: "20" },
    "20 requests are scheduled: error_rate<1% needs 299. These stay undecided, which is exit code 2.",
  ],
  [
    "conversations, whose turns are alike",
    { rate: "10", duration: "30s", turns: "4", slo: "ttft_p99<800ms" },
    "300 requests are scheduled: ttft_p99<800ms needs 1,146. Use --duration 115s to decide it.",
  ],
  [
    "a load that a week is too short for",
    { rate: "1/h", duration: "10h" },
    "10 requests are scheduled: error_rate<1% needs 299. These stay undecided, which is exit code 2.",
  ],
  [
    "one of which that is so",
    { rate: "2/h", duration: "10h", slo: "ttft_p99<800ms" },
    "20 requests are scheduled: error_rate<1% needs 299, ttft_p99<800ms needs 1,146. Use --duration 150h to decide 1 of 2.",
  ],
  ["a load that is long enough", { rate: "10", duration: "115s", slo: "ttft_p99<800ms" }, undefined],
  ["virtual users", { vus: "1", duration: "1s", slo: "ttft_p99<800ms" }, undefined],
])("%s", (_, flags, notice) => {
  expect(noticeOf(flags)).toBe(notice);
});

test("a workload has its part of the arrivals", () => {
  const notice = noticeOf(
    { rate: "30", duration: "10s", mix: "chat=2,embeddings=1", slo: "chat.error_rate<1%" },
    "mixed",
  );
  expect(notice).toContain(
    "300 requests are scheduled: chat.error_rate<1% needs 299. Use --duration 15s to decide it.",
  );
});
