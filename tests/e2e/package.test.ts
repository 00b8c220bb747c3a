/** Assay as a package: packed, and installed beside the packages that it depends on, it runs without a TypeScript compiler. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { cleanEnvironment, newFolder } from "../support/assay-process.ts";
import { startMockProcess } from "../support/spawned-mock.ts";

const folder = newFolder();
const modules = join(folder, "node_modules");
const installed = join(modules, "@assay-load", "assay");
const env = { ...cleanEnvironment(), ASSAY_API_KEY: "k", npm_config_loglevel: "error" };

/** The packages that npm installs with Assay: what is for development only, such as the compiler of a checkout, is not. */
const lock = z
  .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
const dependencies = Object.entries(lock.packages)
  .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
  .map(([path]) => path);

beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: ROOT, env });
  mkdirSync(installed, { recursive: true });
  const file = join(folder, packed.toString().trim().split("\n").at(-1) ?? "");
  execFileSync("tar", ["-xzf", file, "-C", installed, "--strip-components=1"]);
  for (const path of dependencies.filter((path) => existsSync(join(ROOT, path)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
});

const program = join(installed, "scripts", "assay.mjs");
const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: "utf8" });

test("it has every source compiled, and a checkout keeps nothing of that", () => {
  const sources = readdirSync(join(installed, "scripts"), { recursive: true, encoding: "utf8" });
  const missing = sources.filter(
    (name) => name.endsWith(".ts") && !existsSync(join(installed, "compiled", "scripts", name.replace(/ts$/, "js"))),
  );
  expect(missing).toEqual([]);
  expect(existsSync(join(ROOT, "compiled"))).toBe(false);
});

test.each([
  ["nodenext", ["--module", "nodenext"]],
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
])("a scenario type-checks in an empty project, with the globals of k6 and its modules (%s)", (name, flags) => {
  const docs = readFileSync(join(ROOT, "docs", "load.md"), "utf8");
  const examples = [...docs.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  expect(examples.length).toBeGreaterThan(1);
  const wrong = 'import { chat } from "@assay-load/assay/scenarios";\nchat(3);\nexport default __VU + settings;\n';
  const files = [...examples, wrong].map((code, index) => {
    const file = join(folder, `${name}-${index}.ts`);
    writeFileSync(file, code);
    return file;
  });
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, "--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", ...flags, ...files],
    { cwd: folder, encoding: "utf8" },
  );
  expect(stdout.trim().split("\n")).toEqual([
    expect.stringMatching(
      /\(2,6\): error TS2345: Argument of type 'number' is not assignable to parameter of type 'Prompt'/,
    ),
    expect.stringMatching(/\(3,23\): error TS2304: Cannot find name 'settings'/),
  ]);
});

test("its help is that of a checkout", () => {
  const { status, stdout, stderr } = run("--help");
  expect([status, stderr]).toEqual([0, ""]);
  const here = spawnSync(process.execPath, [join(ROOT, "scripts", "assay.mjs"), "--help"], { env, encoding: "utf8" });
  expect(stdout).toBe(here.stdout);
});

test("it checks a target, replays that, plans a load, and passes traffic on in a thread of its own", async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const checked = run("conformance", "--target", url, "--only", "chat.*", "--out", "checked");
  expect(checked.stdout, checked.stderr).toContain("CONFORMS");
  expect(checked.status).toBe(0);
  expect(run("replay", "checked").stdout).toContain("All verdicts are unchanged.");
  expect(run("load", "chat", "--target", url, "--plan").stdout).toContain("arrivals");
  const proxy = spawn(process.execPath, [program, "proxy", "--target", url, "--out", "passed"], { cwd: folder, env });
  const ended = new Promise((resolve) => proxy.once("close", resolve));
  const base = await new Promise<string>((resolve) =>
    proxy.stdout.setEncoding("utf8").on("data", (text: string) => resolve(/ready (\S+)/.exec(text)?.[1] ?? "")),
  );
  try {
    await fetch(`${base}/v1/chat/completions`, { method: "POST", body: "{}" });
  } finally {
    proxy.kill("SIGINT");
    await ended;
  }
  expect(readFileSync(join(folder, "passed", "exchanges.jsonl"), "utf8")).toContain("/v1/chat/completions");
});
