/**
 * By what single requests that exceed a bound differ from the others: the group of one value that tells most of them apart. A group is
 * found on one half of the requests and judged on the other, so that of many candidates none looks good by having been sought. Pure.
 */

import { draw } from "../../../load/inputs/random.ts";

/** What may tell requests apart. Of a number, what lies above or below a value; of an instant, an interval; of a name, some of them. */
export interface Candidate {
  readonly kind: "number" | "instant" | "name";
  /** Of each request; NaN where it has none. Names are numbers from 0. */
  readonly of: Float64Array;
}

/** Requests from `low` to `high`, both included, of which one may be infinite; of names, those of the set. */
export interface Group {
  readonly candidate: number;
  readonly low: number;
  readonly high: number;
  readonly names?: ReadonlySet<number>;
}

/** How a group tells requests apart: those inside it and those outside, and how many of each exceed. */
export interface Told {
  readonly inside: Count;
  readonly outside: Count;
  /** Share of the variance of exceeding that the group explains, 0 to 1. */
  readonly explained: number;
}

interface Count {
  readonly bad: number;
  readonly all: number;
}

/** Values between which the edges of groups lie. */
const CUTS = 32;
/** Shares of the variance from which a group is named, and from which another one adds to it. */
const NAMED = 0.1;
const ADDED = 0.1;
/** Chi-square of one degree of freedom that chance exceeds once in a thousand. */
const CHI_SQUARE = 10.83;

/**
 * The groups that explain which requests exceed: none, one, or two where the second adds much.
 * @param bad whether each request exceeds: 1 or 0
 */
export function groupsOf(bad: Uint8Array, candidates: readonly Candidate[]): Group[] {
  const half = bad.map((_, row) => (draw(1, row, "half") < 0.5 ? 0 : 1));
  const rows = (wanted: number): number[] => [...bad.keys()].filter((row) => half[row] === wanted);
  const [sought, judged] = [rows(0), rows(1)];
  const first = bestGroup(bad, candidates, sought);
  if (first === undefined) return [];
  const of = (groups: readonly Group[]) => told(bad, candidates, groups, judged);
  const alone = of([first]);
  if (!isClear(alone, judged.length) || alone.explained < NAMED) return [];
  const rest = sought.filter((row) => !isIn(first, candidates, row));
  const others = candidates.map((each, index) => (index === first.candidate ? NONE : each));
  const second = bestGroup(bad, others, rest);
  if (second === undefined) return [first];
  const outside = judged.filter((row) => !isIn(first, candidates, row));
  const adds = of([first, second]).explained - alone.explained >= ADDED;
  return adds && isClear(told(bad, candidates, [second], outside), outside.length) ? [first, second] : [first];
}

const NONE: Candidate = { kind: "number", of: new Float64Array() };

const isClear = ({ explained, inside, outside }: Told, count: number): boolean =>
  explained * count > CHI_SQUARE && inside.bad * outside.all > outside.bad * inside.all;

/** What groups tell of some requests: those in any of them against the rest. */
export function told(
  bad: Uint8Array,
  candidates: readonly Candidate[],
  groups: readonly Group[],
  rows: Iterable<number> = bad.keys(),
): Told {
  const [inside, outside] = [
    { bad: 0, all: 0 },
    { bad: 0, all: 0 },
  ];
  for (const row of rows) {
    const side = groups.some((group) => isIn(group, candidates, row)) ? inside : outside;
    side.all += 1;
    side.bad += bad[row] ?? 0;
  }
  return { inside, outside, explained: explainedBy(inside, outside) };
}

export function isIn({ candidate, low, high, names }: Group, candidates: readonly Candidate[], row: number): boolean {
  const value = candidates[candidate]?.of[row] ?? Number.NaN;
  return names === undefined ? value >= low && value <= high : names.has(value);
}

/** The square of the correlation of being inside and exceeding. */
function explainedBy(inside: Count, outside: Count): number {
  const all = inside.all + outside.all;
  const bad = inside.bad + outside.bad;
  if (inside.all === 0 || outside.all === 0 || bad === 0 || bad === all) return 0;
  const difference = inside.bad / inside.all - outside.bad / outside.all;
  return (difference ** 2 * inside.all * outside.all) / (bad * (all - bad));
}

/** Of candidates that explain about as much, the first is taken. */
const TIE = 0.02;

function bestGroup(bad: Uint8Array, candidates: readonly Candidate[], rows: readonly number[]): Group | undefined {
  let best: Group | undefined;
  let most = 0;
  for (const [index, candidate] of candidates.entries()) {
    const found = bestOf(bad, candidate, rows);
    if (found === undefined || found.explained <= most + (best === undefined ? 0 : TIE)) continue;
    best = { candidate: index, ...found.group };
    most = found.explained;
  }
  return best;
}

interface Found {
  readonly group: Omit<Group, "candidate">;
  readonly explained: number;
}

/** The best group of one candidate: of its values in classes, those that follow each other; of names, those with most that exceed. */
function bestOf(bad: Uint8Array, candidate: Candidate, rows: readonly number[]): Found | undefined {
  const known = rows.filter((row) => !Number.isNaN(candidate.of[row] ?? Number.NaN));
  const classes = candidate.kind === "name" ? namesOf(bad, candidate, known) : classesOf(bad, candidate, known);
  if (classes.length < 2) return undefined;
  const total = { bad: sum(classes, "bad"), all: sum(classes, "all") };
  let best: Found | undefined;
  for (let from = 0; from < classes.length; from += 1) {
    const inside = { bad: 0, all: 0 };
    for (let to = from; to < classes.length; to += 1) {
      inside.bad += classes[to]?.bad ?? 0;
      inside.all += classes[to]?.all ?? 0;
      if (!isAllowed(candidate, from, to, classes.length)) continue;
      const outside = { bad: total.bad - inside.bad, all: total.all - inside.all };
      const explained = explainedBy(inside, outside);
      const isMore = inside.bad * outside.all > outside.bad * inside.all;
      if (isMore && explained > (best?.explained ?? 0))
        best = { group: groupOf(candidate, classes, from, to), explained };
    }
  }
  return best;
}

/** A number is above or below a value, names are those with most that exceed; only an instant has two ends. */
const isAllowed = ({ kind }: Candidate, from: number, to: number, count: number): boolean =>
  from === 0 || (kind !== "name" && to === count - 1) || kind === "instant";

interface Class extends Count {
  readonly low: number;
  readonly high: number;
}

const sum = (classes: readonly Class[], name: "bad" | "all"): number =>
  classes.reduce((total, each) => total + each[name], 0);

/** What lies beyond the last class, of requests that the group was not found on, is in it too. */
function groupOf({ kind }: Candidate, classes: readonly Class[], from: number, to: number): Found["group"] {
  const own = classes.slice(from, to + 1);
  if (kind === "name") return { low: 0, high: 0, names: new Set(own.map((each) => each.low)) };
  return {
    low: from === 0 ? Number.NEGATIVE_INFINITY : (own[0]?.low ?? Number.NaN),
    high: to === classes.length - 1 ? Number.POSITIVE_INFINITY : (own.at(-1)?.high ?? Number.NaN),
  };
}

/** Classes of about as many requests each, in ascending order; equal values are of one class. */
function classesOf(bad: Uint8Array, { of }: Candidate, rows: readonly number[]): Class[] {
  const ascending = rows.toSorted((a, b) => (of[a] ?? 0) - (of[b] ?? 0));
  const size = Math.max(1, Math.ceil(rows.length / CUTS));
  const classes: Class[] = [];
  let from = 0;
  for (let to = 1; to <= ascending.length; to += 1) {
    const isSame = of[ascending[to] ?? -1] === of[ascending[to - 1] ?? -1];
    if (to < ascending.length && (to - from < size || isSame)) continue;
    classes.push(classOf(bad, of, ascending.slice(from, to)));
    from = to;
  }
  return classes;
}

/** One class per name, those with the largest share that exceeds first. */
function namesOf(bad: Uint8Array, { of }: Candidate, rows: readonly number[]): Class[] {
  const byName = new Map<number, number[]>();
  for (const row of rows) {
    const name = of[row] ?? Number.NaN;
    const own = byName.get(name) ?? [];
    own.push(row);
    byName.set(name, own);
  }
  return [...byName.values()].map((own) => classOf(bad, of, own)).toSorted((a, b) => b.bad / b.all - a.bad / a.all);
}

const classOf = (bad: Uint8Array, of: Float64Array, rows: readonly number[]): Class => ({
  bad: rows.reduce((total, row) => total + (bad[row] ?? 0), 0),
  all: rows.length,
  low: of[rows[0] ?? -1] ?? Number.NaN,
  high: of[rows.at(-1) ?? -1] ?? Number.NaN,
});
