import { expect, test } from "vitest";
import { weakerNotice } from "./weaker-notice.ts";

test.each([
  [["error_rate<5%"], "error_rate<5% decides nothing: every load must meet error_rate<1%."],
  [["ttft_p95<800ms", "ok>=0"], "ok>=0 decides nothing: every load must meet ok>=1."],
])("%j is said to decide nothing", (slo, words) => {
  expect(weakerNotice({ slo })).toBe(`${words} Leave that out with --set no-default-slos.`);
  expect(weakerNotice({ slo, noDefaultSlos: true })).toBeUndefined();
});

test.each([
  "error_rate<0.5%",
  "error_rate<1%",
  "chat.error_rate<5%",
  "error_rate<5% in every 10s",
  "ok>=100",
  "ttft_p95<800ms",
])("%s decides something", (slo) => {
  expect(weakerNotice({ slo: [slo] })).toBeUndefined();
});
