import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { codingsIn, decoded } from "./content-coding.ts";

const TEXT = "a text that repeats itself, a text that repeats itself";
const MOST = 1_000;

test("the codings of a header, without the one that changes nothing", () => {
  expect([undefined, "", "identity", "GZIP", "gzip, br"].map(codingsIn)).toEqual([
    ...[[], [], [], ["gzip"], ["gzip", "br"]],
  ]);
});

describe("a body", () => {
  const bytes = Buffer.from(TEXT);
  test.each([
    [[], bytes],
    [["gzip"], gzipSync(bytes)],
    [["x-gzip"], gzipSync(bytes)],
    [["deflate"], deflateSync(bytes)],
    [["br"], brotliCompressSync(bytes)],
    [["gzip", "br"], brotliCompressSync(gzipSync(bytes))],
  ])("coded as %j is decoded", (codings, coded) => {
    expect(decoded(coded, codings, MOST).bytes.toString()).toBe(TEXT);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("coded as %s is decoded up to the bound and no further", (coding, code) => {
    expect(decoded(code(Buffer.alloc(MOST)), [coding], MOST).bytes.length).toBe(MOST);
    expect(decoded(code(Buffer.alloc(MOST + 1)), [coding], MOST)).toEqual({ bytes: Buffer.alloc(0), tooLong: true });
  });

  test("that is not what its coding says is a problem, and so is a coding that is not known", () => {
    expect(decoded(bytes, ["gzip"], MOST).problem).toMatch(/^the body cannot be read as gzip: /);
    expect(decoded(bytes, ["zstd"], MOST).problem).toBe("Assay cannot read the coding zstd");
  });

  test("whose end is missing is decoded as far as it came, when it is known to be cut", () => {
    const coded = gzipSync(bytes).subarray(0, -8);
    expect(decoded(coded, ["gzip"], MOST).problem).toContain("unexpected end");
    expect(decoded(coded, ["gzip"], MOST, true).bytes.toString()).toBe(TEXT);
  });

  test("without a byte has no coding", () => expect(decoded(Buffer.alloc(0), ["zstd"], MOST).bytes.length).toBe(0));
});
