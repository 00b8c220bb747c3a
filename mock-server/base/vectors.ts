/** Embeddings of the mock: unit vectors made from a hash of the text, so that equal texts have equal vectors. */

import type { EncodingFormat } from "../../contract/service.ts";
import { randomOf } from "./seeded-random.ts";

export const EMBEDDING_DIMENSIONS = 256;

/** The vector of a text; each number has six decimals. */
export function vectorOf(seed: number, model: string, text: string): readonly number[] {
  const random = randomOf(seed, "embeddings", model, text);
  const raw = Array.from({ length: EMBEDDING_DIMENSIONS }, () => random() - 0.5);
  const norm = Math.hypot(...raw);
  return raw.map((value) => Math.round((value / norm) * 1e6) / 1e6);
}

/** A vector in the requested format: numbers, or base64 of little-endian 32-bit floats. */
export function encode(vector: readonly number[], format: EncodingFormat): string | readonly number[] {
  if (format === "float") return vector;
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes.toString("base64");
}
