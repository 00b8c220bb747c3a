/** Replies of words chosen by a hash; some are not ASCII, so that clients receive characters split over chunks. */

import { codePoints } from "../../lib/text.ts";
import type { Random } from "../base/seeded-random.ts";

const WORDS = (
  "the a of and to in is that for it as with on by at from this which are be an or was not have one all can more " +
  "time model service load answer token stream request measure second first chunk latency queue batch server client " +
  "under over between after before while because each every small large slow fast steady quiet bright clear simple " +
  "river mountain city garden window letter music paper stone water light shadow morning evening winter summer " +
  "café naïve façade Zürich señor 東京 語 данные Ελλάδα 🙂 🚀"
).split(" ");

const SENTENCE = 12;

/** Every token is one of these strings, which all open streams share. */
const FIRST = WORDS;
const INNER = WORDS.map((word) => ` ${word}`);
const LAST = WORDS.map((word) => ` ${word}.`);

/** A reply as tokens; joined, they are the text. Each token but the first begins with a space. */
export function replyTokens(count: number, random: Random): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const form = i === 0 ? FIRST : i % SENTENCE === SENTENCE - 1 ? LAST : INNER;
    return form[Math.floor(random() * form.length)] ?? "";
  });
}

const QUOTED = new Map([...FIRST, ...INNER, ...LAST].map((token) => [token, JSON.stringify(token)]));

/** A token as JSON. */
export const quoted = (token: string): string => QUOTED.get(token) ?? JSON.stringify(token);

const CODE_POINTS_PER_TOKEN = 4;

/** An estimate of a text's tokens: one per four code points, rounded up, at least one. */
export const estimateTokens = (text: string): number =>
  Math.max(1, Math.ceil(codePoints(text) / CODE_POINTS_PER_TOKEN));
