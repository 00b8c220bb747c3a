/** Vectors beside those that they should be: what they look like is named, and what only numerics make of them is no fault. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { answering } from "../../tests/support/targets/answering.ts";
import { batchesAgree, decodesAsFloat32, isPlainBase64 } from "./embeddings.ts";

type Numbers = readonly number[];

/** A vector of one text, of 32-bit floats; another length than 1. */
const vectorOf = (text: string, count = 64): Numbers =>
  Array.from({ length: count }, (_, i) => Math.fround(Math.sin((i + 1) * (text.length + text.charCodeAt(0))) * 0.37));
const LENGTH = Math.hypot(...vectorOf("a"));
const noisy = (vector: Numbers, share: number): Numbers =>
  vector.map((value, i) => value * (1 + (i % 2 ? share : -share)));

const list = (vectors: readonly (Numbers | string)[], input: unknown, more: object = {}): Exchange =>
  answering({ data: vectors.map((embedding, index) => ({ index, embedding })) }, 200, { input, ...more });
const alone = (text: string, vector = vectorOf(text)): Exchange => list([vector], text);
const batchOf = (change: (vector: Numbers, at: number) => Numbers, texts = ["a", "bb", "ccc"]): readonly Exchange[] => [
  list(
    texts.map((text, at) => change(vectorOf(text), at)),
    texts,
  ),
];
const SINGLES = ["a", "bb", "ccc"].map((text) => alone(text));

describe("the vectors of a batch", () => {
  test.each<[string, (vector: Numbers, at: number) => Numbers, RegExp | "holds"]>([
    ["as alone", (vector) => vector, "holds"],
    ["with the noise of another kernel", (vector) => noisy(vector, 0.01), "holds"],
    [
      "of another input",
      (_, at) => vectorOf(["bb", "a", "ccc"][at] ?? ""),
      /item 0 of 3 was the vector of "bb", not of "a"/,
    ],
    ["normalised", (vector) => vector.map((value) => value / Math.hypot(...vector)), /a copy normalised to length 1/],
    ["scaled", (vector) => vector.map((value) => 3 * value), /length is 3\.00 times/],
    ["truncated", (vector) => vector.slice(0, 16), /the first 16 of 64 numbers/],
    ["unlike", (vector) => vector.toReversed().map(Math.abs), /another vector \(cosine/],
  ])("%s", (_, change, expected) => {
    const found = batchesAgree([...batchOf(change), ...SINGLES]);
    if (expected === "holds") expect(found.kind).toBe("holds");
    else expect(found).toMatchObject({ kind: "broken", observed: expect.stringMatching(expected) });
  });

  test("that are unlike that of the input alone are shown with it, which a target that varies returns", () => {
    const unlike = batchOf((vector) => vector.toReversed().map(Math.abs)).map((one) => ({ ...one, id: 36 }));
    const singles = SINGLES.map((one, i) => ({ ...one, id: 123 + i }));
    expect(batchesAgree([...unlike, ...singles])).toMatchObject({ kind: "broken", evidence: [36, 123] });
    const moved = batchOf((_, at) => vectorOf(["bb", "a", "ccc"][at] ?? "")).map((one) => ({ ...one, id: 36 }));
    expect(batchesAgree([...moved, ...singles])).toMatchObject({ kind: "broken", evidence: [36] });
  });

  test("are compared with those of another batch where no input was sent alone", () => {
    const texts = ["a", "bb", "ccc", "dddd", "eeeee"];
    const [first] = batchOf((vector) => vector, texts);
    const [turned] = batchOf((vector) => vector, texts.toReversed());
    const swapped = list(
      ["a", "bb", "ccc", "eeeee", "dddd"].map((text) => vectorOf(text)),
      texts,
    );
    expect(batchesAgree([first, turned, ...SINGLES].filter((one) => one !== undefined)).kind).toBe("holds");
    expect(batchesAgree([swapped, turned, ...SINGLES].filter((one) => one !== undefined))).toMatchObject({
      observed: expect.stringContaining("vector of"),
    });
  });

  test("that differ no more than those of one input do are no fault; where these have nothing in common, none is", () => {
    const batch = batchOf((vector) => noisy(vector, 0.2));
    expect(batchesAgree([...batch, ...SINGLES]).kind).toBe("broken");
    expect(batchesAgree([...batch, ...SINGLES, alone("a", noisy(vectorOf("a"), 0.08))]).kind).toBe("holds");
    expect(batchesAgree([...batch, ...SINGLES, alone("a", vectorOf("zz"))]).kind).toBe("not-applicable");
  });

  test("of a model that makes one vector of everything have no order", () => {
    const same = ["a", "bb"].map((text) => alone(text, vectorOf("a")));
    expect(batchesAgree([list([vectorOf("a"), vectorOf("a")], ["a", "bb"]), ...same]).kind).toBe("not-applicable");
  });
});

describe("a vector in base64", () => {
  const vector = vectorOf("a");
  const bytesOf = (size: number, write: (bytes: DataView, at: number, value: number) => void): string => {
    const bytes = new DataView(new ArrayBuffer(size * vector.length));
    for (const [i, value] of vector.entries()) write(bytes, i * size, value);
    return Buffer.from(bytes.buffer).toString("base64");
  };
  const float32 = (numbers: Numbers): string => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
  const upper = (value: number, cut: number): number =>
    (new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0) & ~(2 ** cut - 1);
  const cut = (value: number, bits: number): number =>
    new Float32Array(Uint32Array.of(upper(value, bits)).buffer)[0] ?? 0;
  const step = Math.max(...vector.map(Math.abs)) / 127;

  test.each<[string, string, RegExp | "holds"]>([
    ["as the array", float32(vector), "holds"],
    ["of an array that was printed with 4 decimals", float32(noisy(vector, 0.001)), "holds"],
    [
      "in the other byte order",
      bytesOf(4, (bytes, at, value) => bytes.setFloat32(at, value)),
      /32-bit floats in big-endian/,
    ],
    ["of doubles", bytesOf(8, (bytes, at, value) => bytes.setFloat64(at, value, true)), /64-bit floats$/],
    [
      "of bfloat16",
      bytesOf(2, (bytes, at, value) => bytes.setUint16(at, upper(value, 16) >>> 16, true)),
      /bfloat16 numbers/,
    ],
    [
      "of integers",
      bytesOf(1, (bytes, at, value) => bytes.setInt8(at, Math.round(value / step))),
      /^it was 8-bit integers/,
    ],
    ["rounded to bfloat16", float32(vector.map((value) => cut(value, 16))), /rounded to bfloat16/],
    ["rounded to half precision", float32(vector.map((value) => cut(value, 13))), /rounded to half precision/],
    ["quantised", float32(vector.map((value) => Math.round(value / step) * step)), /quantised to 8 bits/],
    ["as integers in floats", float32(vector.map((value) => Math.round(value / step))), /quantised to 8 bits/],
    ["normalised", float32(vector.map((value) => value / LENGTH)), /normalised to length 1/],
    ["truncated", float32(vector.slice(0, 16)), /the first 16 of 64/],
    ["of bits", Buffer.alloc(8, 0x5a).toString("base64"), /one bit per number/],
    ["of another text", float32(vectorOf("zz")), /another vector/],
  ])("%s", (_, text, expected) => {
    const found = decodesAsFloat32(list([text], "a", { encoding_format: "base64" }), [alone("a"), alone("a")]);
    if (expected === "holds") expect(found.kind).toBe("holds");
    else expect(found).toMatchObject({ kind: "broken", observed: expect.stringMatching(expected) });
  });

  test("that differs no more than arrays of one input do is no fault, and of these of half precision none is named", () => {
    const unsteady = [alone("a"), alone("a", noisy(vector, 0.05))];
    expect(decodesAsFloat32(list([float32(noisy(vector, 0.08))], "a"), unsteady).kind).toBe("holds");
    const halves = vector.map((value) => cut(value, 13));
    expect(decodesAsFloat32(list([float32(halves)], "a"), [alone("a", halves)]).kind).toBe("holds");
  });

  test("has one alphabet and padding", () => {
    const judged = (text: string) => isPlainBase64(list([text], "a")).kind;
    expect(["AAAAPw==", "AAA+/w==", ""].map(judged)).toEqual(["holds", "holds", "holds"]);
    expect(["AAAAPw", "AAAAPw=", "AAA-_w==", "AAAA\nPw=="].map(judged)).toEqual(Array(4).fill("broken"));
  });

  test("of any float32 values decodes; one of another length does not", () => {
    const encoded = (bytes: Uint8Array) => list([Buffer.from(bytes).toString("base64")], "a");
    fc.assert(
      fc.property(fc.float32Array({ minLength: 1, noNaN: true, noDefaultInfinity: true }), (values) => {
        const bytes = new Uint8Array(values.buffer);
        expect(decodesAsFloat32(encoded(bytes)).kind).toBe("holds");
        expect(decodesAsFloat32(encoded(bytes.slice(1))).kind).toBe("broken");
      }),
    );
  });
});
