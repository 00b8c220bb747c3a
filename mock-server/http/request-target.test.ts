import { expect, it } from "vitest";
import { requestTarget } from "./request-target.ts";

it.each([
  ["/v1/a%20b?c=d", "m", "/v1/a%20b?c=d"],
  ["*", "m", "*"],
  ["//v1", undefined, "//v1"],
  ["/v1", "", "/v1"],
  ["/v1?u=http://[x", "[::1]:80", "/v1?u=http://[x"],
  ["http://other/v1/a%20b?c=d", "m", "/v1/a%20b?c=d"],
  ["HTTP://other?c=d", "m", "/?c=d"],
  ["http://other", "m", "/"],
])("the target of %s with the host %s is %s", (sent, host, target) => {
  expect(requestTarget(sent, host)).toBe(target);
});

it.each([
  ["http://[x/v1", "m"],
  ["http://x:abc/v1", "m"],
  ["http://", "m"],
  ["/v1", "[x"],
  ["/v1", "x:abc"],
  ["/v1", "a b"],
])("%s with the host %s is not valid", (sent, host) => {
  expect(requestTarget(sent, host)).toBeUndefined();
});
