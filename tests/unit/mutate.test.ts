/** How `npm run mutate` draws faults, plants them and tells what came of them. */

import { expect, test } from "vitest";
import { drawFaults, isProduct, sharesOf } from "../mutate/draw-faults.ts";
import { type Fault, faultId, faultOf, type Kind, plant } from "../mutate/fault.ts";
import { type Result, tableOf } from "../mutate/fault-table.ts";
import { editsOf } from "../mutate/find-edits.ts";
import { nearTests } from "../mutate/near-tests.ts";

const TYPESCRIPT = `import { type Limit, save } from "./limits.ts";
type Five = 5 | true;
export function first(limit: Limit): number {
  const all = limit.values ?? 7;
  save(all);
  // 3 < 4
  return all < 3 ? 1_000 : 2;
}
`;

const GO = `package limits

// First is 3 < 4.
func First(limit Limit) (int, error) {
	all := limit.Values("5 < 6")
	save(all)
	if all < 3 {
		return 1_000, nil
	}
	return 2, nil
}
`;

const changes = (file: string, text: string): [Kind, number, string, string][] =>
  editsOf(file, text)
    .map((edit) => faultOf(file, text, edit))
    .map(({ kind, line, was, becomes }) => [kind, line, was, becomes]);

test("each kind changes what it says in TypeScript, and no type, comment or default", () => {
  expect(changes("lib/first.ts", TYPESCRIPT)).toEqual([
    ["early return", 3, "", " return undefined as never;"],
    ["dropped line", 5, "save(all);", ";"],
    ["comparison", 7, "<", ">="],
    ["constant", 7, "3", "4"],
    ["constant", 7, "1_000", "1001"],
    ["constant", 7, "2", "3"],
  ]);
});

test("each kind changes what it says in Go, and no comment or text", () => {
  expect(changes("extension/first.go", GO)).toEqual([
    ["comparison", 7, "<", ">="],
    ["dropped line", 6, "save(all)", ""],
    ["constant", 7, "3", "4"],
    ["constant", 8, "1_000", "1001"],
    ["constant", 10, "2", "3"],
    ["early return", 4, "", " return *new(int), *new(error)"],
  ]);
});

test("true and false become each other, and equalities are flipped", () => {
  const text = "export const same = (a: number) => (a === b) !== true || c >= d || false;\n";
  expect(changes("lib/same.ts", text).map(([, , was, becomes]) => `${was} ${becomes}`)).toEqual([
    "!== ===",
    "=== !==",
    "true false",
    ">= <",
    "false true",
  ]);
});

const sources = [..."abcdefgh"].map((name) => ({ file: `lib/${name}.ts`, text: TYPESCRIPT }));
const drawn = (seed: number, count = 10) => drawFaults(sources, { seed, count, compiles: () => true });

test("the same seed draws the same faults, each once, and another seed others", () => {
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
  expect(new Set(drawn(1, 48).map(faultId)).size).toBe(48);
});

test("what does not compile is drawn again, and no more is drawn than there is", () => {
  const isConstant = ({ kind }: Fault) => kind === "constant";
  const faults = drawFaults(sources, { seed: 1, count: 99, compiles: isConstant });
  expect(faults).toHaveLength(24);
  expect(faults.every(isConstant)).toBe(true);
});

test("folders have faults in proportion to their lines, and each at least one", () => {
  expect(sharesOf([900, 90, 10], 12)).toEqual([10, 1, 1]);
  expect(sharesOf([900, 90, 10], 2)).toEqual([2, 0, 0]);
  expect(sharesOf([50, 50], 6)).toEqual([3, 3]);
});

test("sources of the product are code that is neither a test nor a tool of this repository", () => {
  const files = ["lib/a.ts", "lib/a.test.ts", "lib/testdata/a.ts", "scripts/b.mjs", "scripts/docs/c.ts", "tests/d.ts"];
  expect(files.filter(isProduct)).toEqual(["lib/a.ts", "scripts/b.mjs"]);
  expect(isProduct("extension/sse/parser.go")).toBe(true);
  expect(isProduct("extension/sse/parser_test.go")).toBe(false);
});

test("every fault changes its place alone, also among equal lines", () => {
  const text = `${TYPESCRIPT}${TYPESCRIPT}`;
  for (const edit of editsOf("lib/a.ts", text)) {
    const expected = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    expect(plant(faultOf("lib/a.ts", text, edit), text)).toBe(expected);
  }
});

const [fault] = drawn(1, 1);
if (fault === undefined) throw new Error("Nothing was drawn.");

test("a fault is planted wherever its line has moved to, once; without the line, an error says so", () => {
  const planted = plant(fault, `// A new line.\n${TYPESCRIPT}`);
  expect(planted).toBe(`// A new line.\n${plant(fault, TYPESCRIPT)}`);
  expect(() => plant(fault, planted)).toThrow(
    /^Cannot plant a fault in lib\/\w\.ts: its line \d is no longer there: ".+"/,
  );
});

test("the nearest tests that import a file come first", () => {
  const files = [
    { file: "lib/b.test.ts", text: 'import "./b.ts";' },
    { file: "lib/b.ts", text: 'import { a } from "./a.ts";' },
    { file: "lib/a.test.ts", text: 'import "./a.ts";' },
    { file: "tests/e2e/a.test.ts", text: 'import "../../lib/a.ts";' },
    { file: "lib/c.test.ts", text: 'import "./c.ts";' },
  ];
  expect(nearTests("lib/a.ts", files, 9)).toEqual(["lib/a.test.ts", "lib/b.test.ts"]);
  expect(nearTests("lib/a.ts", files, 1)).toEqual(["lib/a.test.ts"]);
});

test("the table tells what saw each fault, and counts", () => {
  const faults = drawn(1, 3);
  const result = (nth: number, values: Partial<Result>): [string, Result] => {
    const id = faultId(faults[nth] ?? fault);
    return [id, { id, seenBy: null, passed: [], failed: "", seconds: 1.4, ...values }];
  };
  const table = tableOf(
    faults,
    new Map([
      result(0, { seenBy: "near", failed: "lib/a.test.ts > a | b" }),
      result(1, { passed: ["near", "related"] }),
    ]),
  );
  expect(table).toContain("| nearest unit tests | lib/a.test.ts > a \\| b | 1 |\n");
  expect(table).toContain("| nobody, up to related unit tests |  | 1 |\n");
  expect(table).toContain("| not run |  |  |\n");
  expect(table).toContain("nearest unit tests: 1 seen\nrelated unit tests: 0 seen\n");
  expect(table).toContain("nobody: 1\nnot run: 1\n");
});
