import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { countSteps } from "../tests/support/count-steps.ts";
import { CANARY, encodingsOf } from "../tests/support/secrets/secret-encodings.ts";
import { REDACTED, redactor } from "./redact.ts";
import { secretsOfHeaders, secretsOfProxies } from "./secret-sources.ts";
import { shorten } from "./text.ts";

/** Shared with the tests of the extension. */
const cases = z
  .array(z.object({ name: z.string(), secrets: z.array(z.string()), text: z.string(), expected: z.string() }))
  .parse(JSON.parse(readFileSync(new URL("testdata/redaction.json", import.meta.url), "utf8")));

test.each(cases)("redacts: $name", ({ secrets, text, expected }) => {
  expect(redactor(secrets, []).text(text)).toBe(expected);
});

describe("an encoding of a secret", () => {
  const { text, cutText } = redactor([CANARY], []);

  test.each(Object.entries(encodingsOf(CANARY)))("is replaced wherever it stands: %s", (_, encoded) => {
    for (const given of [encoded, `{"a":"${encoded}"}`, `x${encoded}x`, encoded + encoded]) {
      expect(text(given)).toContain(REDACTED);
      expect(text(given)).not.toContain(encoded);
    }
  });

  test.each(Object.entries(encodingsOf(CANARY)))("is replaced however it is shortened: %s", (name, encoded) => {
    // At most 4 characters of the secret are left, in the longest escape, or what base64 has before it.
    const most = name.startsWith("gzip") ? 32 : 4 * Math.ceil(encoded.length / CANARY.length) + 3;
    for (let max = most + 2; max < encoded.length; max++) {
      const cut = shorten(encoded, max);
      expect(text(cut)).toContain(REDACTED);
      expect(cutText(cut.slice(0, -1))).toContain(REDACTED);
    }
  });
});

const secrets = fc.stringMatching(/^[\x21-\x7e]{8,40}$/).filter((secret) => !REDACTED.includes(secret));

test("no secret is found in a text that repeats it in any encoding", () => {
  fc.assert(
    fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
      const { text } = redactor([secret], []);
      for (const [name, encoded] of Object.entries(encodingsOf(secret))) {
        // What escapes only some characters leaves it open which of the others are escapes.
        if (name.includes("a part of it") && /[%&\\]/.test(secret)) continue;
        expect(text(encoded), name).toContain(REDACTED);
      }
      expect(text(before + secret + after)).not.toContain(secret);
    }),
  );
});

test("a text without the secret is left as it is", () => {
  const { text } = redactor(["sk-0123456789"], []);
  const pieces = fc.constantFrom("%73", "\\u0073", "&#115;", "&amp;", "…", "sk-", "0123", "\\", "%", "H4sI", "\ud800");
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ maxLength: 3 }), pieces)), (parts) => {
      const given = parts.join("");
      expect(text(given) === given || text(given).includes(REDACTED)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(
      fc.string().filter((given) => !given.includes("s")),
      (given) => text(given) === given,
    ),
  );
});

test("a redacted text is left as it is", () => {
  const { text } = redactor([CANARY], []);
  const once = text(Object.values(encodingsOf(CANARY)).join("\n"));
  expect(text(once)).toBe(once);
});

test("a cut text does not end with the beginning of a secret", () => {
  expect(redactor(["sk-0123456789"], []).cutText("the key is sk-01234")).toBe(`the key is ${REDACTED}`);
});

describe("bytes that are no text", () => {
  const { bytes } = redactor([CANARY], []);
  const binary = Buffer.from([0xff, 0, 0x1f, 0x8b]);

  test("keep all but the secret", () => {
    expect(bytes(Buffer.concat([binary, Buffer.from(CANARY), binary]))).toEqual(
      Buffer.concat([binary, Buffer.from(REDACTED), binary]),
    );
  });

  test.each([0, 1, 6, 9])("are replaced from where gzip hides the secret, level %d", (level) => {
    const packed = gzipSync(`{"key":"${JSON.stringify(encodingsOf(CANARY))}"}`, { level });
    expect(bytes(Buffer.concat([binary, packed])).toString("latin1")).toBe(`${binary.toString("latin1")}${REDACTED}`);
    expect(bytes(packed.subarray(0, -12)).toString("latin1")).toBe(REDACTED);
    expect(bytes(gzipSync(packed, { level })).toString("latin1")).toBe(REDACTED);
    expect(bytes(Buffer.concat([packed, Buffer.from("and more")])).toString("latin1")).toBe(REDACTED);
    expect(bytes(Buffer.concat([gzipSync("nothing"), packed])).toString("latin1")).toMatch(/<redacted>$/);
  });

  test("are left as they are when gzip hides none", () => {
    const packed = gzipSync("nothing to hide ".repeat(99));
    expect(bytes(packed)).toBe(packed);
  });

  test("are replaced when their header has a name, or when they are damaged after the secret", () => {
    const packed = gzipSync(CANARY, { level: 9 });
    const named = Buffer.concat([packed.subarray(0, 3), Buffer.from([8]), packed.subarray(4, 10), Buffer.from("a\0")]);
    expect(bytes(Buffer.concat([named, packed.subarray(10)])).toString("latin1")).toBe(REDACTED);
    const damaged = gzipSync(CANARY + "x".repeat(99_999), { level: 0 });
    expect(bytes(damaged.fill(7, 70_000)).toString("latin1")).toContain(REDACTED);
  });

  test("are replaced when there is too much to look into", () => {
    expect(bytes(gzipSync(Buffer.alloc(9_000_000))).toString("latin1")).toBe(REDACTED);
  });
});

test("the work for a text grows with its length alone", async () => {
  const session = new Session();
  onTestFinished(() => session.disconnect());
  const { module, stepsOf } = await countSteps(session, "/lib/", () => import("./redact.ts"));
  const { text } = module.redactor([CANARY, "a".repeat(40)], []);
  const decoding = vi.spyOn(Buffer.prototype, "toString");
  onTestFinished(() => decoding.mockRestore());
  /** Steps, and bytes that Node decodes in one. */
  const workFor = async (given: string): Promise<number> => {
    decoding.mockClear();
    const steps = await stepsOf(() => text(given));
    return decoding.mock.contexts.reduce((sum, { length }) => sum + length, steps);
  };
  for (const part of ["\\", "%25", "&amp;", "a…", "H4sI", "sk-Qz7&", "aaaaaaaaaaaaaaaaaaaaaaaaa "]) {
    const short = await workFor(part.repeat(4_000 / part.length));
    const long = await workFor(part.repeat(40_000 / part.length));
    expect(short, part).toBeGreaterThan(0);
    expect(long, part).toBeLessThan(11 * short);
  }
});

test("the values of Authorization and of named headers go, whatever they are", () => {
  const { headers } = redactor([], ["X-Team"]);
  expect(headers({ Authorization: "Bearer a", "x-team": "b", "x-request-id": "c" })).toEqual({
    Authorization: REDACTED,
    "x-team": REDACTED,
    "x-request-id": "c",
  });
});

test("a secret of fewer than 8 bytes is replaced as the value of its header only", () => {
  const { text, headers } = redactor(["task", "1"], ["x-team"]);
  expect(text('{"object":"task","index":1}')).toBe('{"object":"task","index":1}');
  expect(headers({ "x-team": "1", "retry-after": "1" })).toEqual({ "x-team": REDACTED, "retry-after": "1" });
});

test("the secrets of headers are their values and the credentials within them", () => {
  const basic = Buffer.from("user:pass-0123").toString("base64");
  expect(
    secretsOfHeaders({ "x-team": "t", authorization: "Bearer key-0123", "Proxy-Authorization": `basic ${basic}` }),
  ).toEqual(["t", "key-0123", basic, "user:pass-0123", "pass-0123"]);
  expect(secretsOfHeaders({ authorization: "Bearer key" })).toEqual(["Bearer key"]);
  expect(secretsOfHeaders({ cookie: "a=1; session=2" })).toEqual(["a=1; session=2", "1", "2"]);
});

test("the secrets of proxies are their passwords, or the only name in their address", () => {
  const proxies = { HTTPS_PROXY: "http://user:p%40ss-0123@proxy:8080", http_proxy: "token-0123@proxy", NO_PROXY: "x" };
  expect(secretsOfProxies(proxies)).toEqual(["token-0123", "p@ss-0123"]);
});
