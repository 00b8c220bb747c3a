import { expect, test } from "vitest";
import { reasonOf } from "../../settings/usage-error.ts";
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
  expect(failureOf(error, never, { ms: 1_000, why: "" })).toEqual(expected);
  expect(failureOf(new AggregateError([error]), never, { ms: 1_000, why: "" })).toEqual(expected);
});

test("an error of OpenSSL is said without addresses and places in its source", () => {
  const error = Object.assign(
    new Error("80:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:a/b.c:1601:SSL alert 70\n"),
    { code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", reason: "tlsv1 alert protocol version" },
  );
  const message = "TLS failed: tlsv1 alert protocol version";
  expect(failureOf(error, never, { ms: 1_000, why: "" })).toEqual({ kind: "tls", message });
  expect(reasonOf(error)).toBe(message);
});

test.each([
  ["ECONNREFUSED", "refused"],
  ["ECONNRESET", "reset"],
  ["ETIMEDOUT", "timeout"],
  ["CERT_HAS_EXPIRED", "tls"],
])("%s is the target's", (code, kind) => {
  expect(failureOf(systemError(code), never, { ms: 1_000, why: "" }).kind).toBe(kind);
});
