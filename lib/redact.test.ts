import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { REDACTED, redactor } from "./redact.ts";

/** Shared with the tests of the extension. */
const cases = z
  .array(z.object({ name: z.string(), secrets: z.array(z.string()), text: z.string(), expected: z.string() }))
  .parse(JSON.parse(readFileSync(new URL("testdata/redaction.json", import.meta.url), "utf8")));

test.each(cases)("redacts: $name", ({ secrets, text, expected }) => {
  expect(redactor(secrets, []).text(text)).toBe(expected);
});

const secrets = fc.stringMatching(/^[\x21-\x7e]{8,40}$/).filter((secret) => !REDACTED.includes(secret));

test("a secret is found nowhere in a text that echoes it, plain, in JSON, in an address or in base64", () => {
  fc.assert(
    fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
      const { text } = redactor([secret], []);
      const forms = [
        secret,
        JSON.stringify(secret),
        encodeURIComponent(secret),
        Buffer.from(secret).toString("base64"),
      ];
      for (const form of forms) expect(text(before + form + after)).not.toContain(secret);
      expect(text(Buffer.from(secret).toString("base64"))).toContain(REDACTED);
    }),
  );
});

test("a text without the secret is left as it is", () => {
  const { text } = redactor(["sk-0123456789"], []);
  fc.assert(
    fc.property(
      fc.string().filter((given) => !given.includes("sk-")),
      (given) => text(given) === given,
    ),
  );
});

test("a cut text does not end with the beginning of a secret", () => {
  expect(redactor(["sk-0123456789"], []).cutText("the key is sk-01234")).toBe(`the key is ${REDACTED}`);
});

test("a short key is taken out only where it stands alone", () => {
  const { text } = redactor(["test"], []);
  expect(text("key test of the latest")).toBe(`key ${REDACTED} of the latest`);
});

test("the values of Authorization and of named headers go, whatever they are", () => {
  const { headers } = redactor([], ["X-Team"]);
  expect(headers({ Authorization: "Bearer a", "x-team": "b", "x-request-id": "c" })).toEqual({
    Authorization: REDACTED,
    "x-team": REDACTED,
    "x-request-id": "c",
  });
});

test("a short secret is taken out where it stands alone, not within a word", () => {
  const { text } = redactor(["s3", ""], []);
  expect(text("Bearer s3 and s3, not s3cret")).toBe(`Bearer ${REDACTED} and ${REDACTED}, not s3cret`);
});
