import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCENARIOS } from "../scenarios/scenario-list.ts";
import { UsageError } from "../settings/usage-error.ts";
import { BUNDLED_PROMPTS, bundledCode, bundleScenario, scenarioFile } from "./bundle-scenario.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "assay-bundle-"));
});
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};
const outsiders = (code: string): readonly string[] =>
  [...new Set([...code.matchAll(/^import .*?"([^"]+)";$/gm)].map(([, name]) => name ?? ""))].sort();

describe("the bundle of a scenario", () => {
  it.each(Object.keys(SCENARIOS))("of %s imports nothing but k6's modules", async (name) => {
    const out = join(folder, `${name}.js`);
    await bundleScenario({ file: scenarioFile(name) }, out);
    const code = await readFile(out, "utf8");
    expect(outsiders(code)).toEqual(["k6/data", "k6/x/assay"]);
    expect(code).toMatch(/export \{[^}]*default[^}]*options[^}]*\}/);
  });

  it("leaves to one function what is made once per process, so that virtual users do not hold it", async () => {
    const out = join(folder, "once.js");
    await bundleScenario({ file: scenarioFile("chat-stream") }, out);
    const lines = (await readFile(out, "utf8")).split("\n");
    const made = lines.filter((line) =>
      /^\s*(?:async )?function (?:checkedSettings|readTraces|optionsOf)\(/.test(line),
    );
    expect(made).toHaveLength(3);
    expect(made.filter((line) => !line.startsWith(" "))).toEqual([]);
  });

  it("is made of a user's own file, in TypeScript or JavaScript, which imports from @assay-load/assay/scenarios", async () => {
    const docs = await readFile(new URL("../scenarios/index.ts", import.meta.url), "utf8");
    const example = /```ts\n([\s\S]*?)```/.exec(docs)?.[1]?.replace(/^ \* ?/gm, "") ?? "";
    for (const name of ["own.ts", "own.js"]) {
      const out = join(folder, "deep", "er", `${name}.bundle.js`);
      await bundleScenario({ file: await write(name, example) }, out);
      expect(outsiders(await readFile(out, "utf8"))).toEqual(["k6/data", "k6/x/assay"]);
    }
  });

  it("is built again when a user's own file has changed; what was built of Assay's own serves no other entry", async () => {
    const bundled = async (file: string) => {
      await bundleScenario({ file }, join(folder, "again.js"));
      return readFile(join(folder, "again.js"), "utf8");
    };
    const before = await bundled(await write("changing.ts", "export default () => 1;"));
    expect(await bundled(await write("changing.ts", "export default () => 2;"))).not.toBe(before);
    const entry = { file: scenarioFile("mixed") };
    const own = { ofWorkloads: { w: join(folder, "changing.ts") } };
    const codes = [{}, { primes: true }, own, {}].map((more) => bundledCode({ ...entry, ...more }));
    const [plain, primed, others, again] = await Promise.all(codes);
    expect(new Set([plain, primed, others]).size).toBe(3);
    expect(again).toBe(plain);
  });

  it("leaves no half of a file behind when the scenario is wrong, and says where it is", async () => {
    const entry = await write("broken.ts", "export default (;");
    const out = join(folder, "broken.js");
    await expect(bundleScenario({ file: entry }, out)).rejects.toThrow(UsageError);
    await expect(bundleScenario({ file: entry }, out)).rejects.toThrow(
      /Cannot bundle .*broken\.ts for k6:[\s\S]*broken\.ts:1:16/,
    );
    expect((await readdir(folder)).filter((name) => name.startsWith("broken.js"))).toEqual([]);
  });

  it("is not made of Node's modules, which k6 has not", async () => {
    const entry = await write(
      "node.ts",
      'import { readFileSync } from "node:fs"; export default () => readFileSync("x");',
    );
    await expect(bundleScenario({ file: entry }, join(folder, "node.js"))).rejects.toThrow("k6 is not Node");
  });
});

describe("the file of a scenario", () => {
  it("is found by name or by path", async () => {
    const own = await write("mine.ts", "");
    expect(scenarioFile("chat-stream")).toMatch(/scenarios\/chat-stream\.ts$/);
    expect(scenarioFile("mine.ts", folder)).toBe(own);
    expect(scenarioFile(own)).toBe(own);
  });

  it("is asked for when there is none", () => {
    expect(() => scenarioFile("chat-straem")).toThrow(
      '"chat-straem" is not a scenario; name one of chat-stream, chat, embeddings, video, mixed, or a file of your own',
    );
    expect(() => scenarioFile("toString")).toThrow("is not a scenario");
    expect(() => scenarioFile("gone.ts", folder)).toThrow(
      `Cannot read the scenario ${join(folder, "gone.ts")}: there is no`,
    );
  });

  it("comes with prompts", async () => {
    expect((await readFile(BUNDLED_PROMPTS, "utf8")).length).toBeGreaterThan(0);
  });
});
