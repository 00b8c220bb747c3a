import { expect, test } from "vitest";
import { failureOf } from "./failures.ts";

const never = new AbortController().signal;
const systemError = (code: string): Error => Object.assign(new Error(`connect ${code} 192.0.2.7:443`), { code });

test.each([
  ["EMFILE", "machine"],
  ["ENFILE", "machine"],
  ["EADDRNOTAVAIL", "machine"],
  ["ENOBUFS", "machine"],
  ["ENOMEM", "machine"],
  ["ENETUNREACH", "machine"],
  ["EHOSTUNREACH", "machine"],
  ["EPERM", "machine"],
  ["ENOTFOUND", "dns"],
  ["EAI_AGAIN", "dns"],
  ["EAI_FAIL", "dns"],
])("%s is a failure of this machine, and says so", (code, kind) => {
  const error = systemError(code);
  const expected = { kind, message: `on this machine: connect ${code} 192.0.2.7:443` };
  expect(failureOf(error, never, 1_000)).toEqual(expected);
  expect(failureOf(new AggregateError([error]), never, 1_000)).toEqual(expected);
});

test.each([
  ["ECONNREFUSED", "refused"],
  ["ECONNRESET", "reset"],
  ["ETIMEDOUT", "timeout"],
  ["CERT_HAS_EXPIRED", "tls"],
])("%s is the target's", (code, kind) => {
  expect(failureOf(systemError(code), never, 1_000).kind).toBe(kind);
});
