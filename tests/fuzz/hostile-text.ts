/** Texts for fuzzing: pieces that mean something to a reader, in any order, among any others; and damaged files. */

import fc from "fast-check";

/** Texts of some of these pieces, and any other. */
export const textOf = (...pieces: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 6 })),
      {
        maxLength: 24,
      },
    )
    .map((parts) => parts.join(""));

/** Values that readers of JSON lines trip over. */
const VALUES: readonly string[] = [
  "null",
  "true",
  "-5",
  "2e9",
  "1e400",
  "-0",
  "0.1",
  '""',
  '"constructor"',
  '"__proto__"',
  '"9999-12-31T23:59:59Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"\\ud800"',
  "[]",
  "[[1e9]]",
  "{}",
  '{"toString":null}',
];

/** What happens to the lines of a file: which line, and how. */
export const damage = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom("drop", "repeat", "cut", "replace", "value", "garble", "swap"),
    place: fc.nat(),
    by: fc.oneof(
      fc.constantFrom(...VALUES),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    ),
  }),
  { minLength: 1, maxLength: 6 },
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

/** Lines after that damage. */
export function damaged(lines: readonly string[], changes: Damage): string[] {
  const out = [...lines];
  for (const { at, how, place, by } of changes) {
    const index = at % Math.max(1, out.length);
    const line = out[index] ?? "";
    const cut = place % (line.length + 1);
    if (how === "drop") out.splice(index, 1);
    else if (how === "repeat") out.splice(index, 0, line);
    else if (how === "cut") out[index] = line.slice(0, cut);
    else if (how === "replace") out[index] = by;
    else if (how === "value") out[index] = withValue(line, place, by);
    else if (how === "garble") out[index] = line.slice(0, cut) + by + line.slice(cut + 1);
    else out.push(...out.splice(index, 1));
  }
  return out;
}

/** A line of JSON with another value for one of its members. */
function withValue(line: string, place: number, by: string): string {
  const members = [...line.matchAll(/"[^"\\]+":(?:"[^"\\]*"|[^,{}[\]"]+)/g)];
  const member = members[place % Math.max(1, members.length)];
  if (member === undefined) return by;
  const [text] = member;
  return `${line.slice(0, member.index)}${text.slice(0, text.indexOf(":") + 1)}${by}${line.slice(member.index + text.length)}`;
}
