/**
 * Pseudo-random choices: each is a hash of the seed, the route and the request's key, so they do not depend on the order
 * in which requests arrive.
 */

import { fnv1a } from "../../lib/hash.ts";

/** Returns the next number in [0, 1). */
export type Random = () => number;

/** Numbers that depend only on the seed and the parts (mulberry32 seeded with their hash). */
export function randomOf(seed: number, ...parts: readonly string[]): Random {
  let state = fnv1a(`${seed}\u0000${parts.join("\u0000")}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Hexadecimal digits that depend only on the seed and the parts. */
export function hexOf(digits: number, seed: number, ...parts: readonly string[]): string {
  const random = randomOf(seed, ...parts);
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
}
