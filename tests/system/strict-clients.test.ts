/**
 * What the official clients do with a target that does not keep to the OpenAI-compatible interface: the table of
 * docs/conformance.md is what they did, and whatever makes one of them throw is a FAIL in the profile openai.
 */

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Mock, startMock } from "../../mock-server/index.ts";
import { FAULTS, PERMITTED } from "../../mock-server/variants/all-variants.ts";
import { appliesTo, type Variant } from "../../mock-server/variants/variant.ts";
import { buildGoProgram } from "../support/go-program.ts";
import { clientsTable } from "../support/pages/clients-table.ts";
import { pythonWithPackages } from "../support/python-client.ts";
import { type UseOutcome, useEverything } from "./client-uses.ts";

/** Variants that take seconds for each request, or more. */
const SLOW = /stall|heartbeats|pause|slow/;
const variants = [...FAULTS, ...PERMITTED].filter(
  (variant) =>
    variant.route !== undefined &&
    (["chat", "chat.stream", "embeddings"] as const).some((route) => appliesTo(variant, route)) &&
    !SLOW.test(variant.name),
);

const proof = z
  .object({ faults: z.record(z.string(), z.array(z.string())), permitted: z.record(z.string(), z.array(z.string())) })
  .parse(JSON.parse(readFileSync(new URL("../../conformance/golden/proof.json", import.meta.url), "utf8")));
const failsOn = ({ kind, name }: Variant): readonly string[] =>
  (proof[kind === "fault" ? "faults" : "permitted"][name] ?? []).filter((line) => line.endsWith(" FAIL"));

type Outcomes = Readonly<Record<string, UseOutcome>>;
const outcomes: z.ZodType<Outcomes> = z.record(
  z.string(),
  z.object({ value: z.unknown().optional(), error: z.string().optional() }),
);

interface Received {
  readonly javascript: Outcomes;
  readonly python: Outcomes;
  readonly go: Outcomes;
}

/** What a program received from each address, in order. */
async function receivedBy(program: string, args: readonly string[], urls: readonly string[]): Promise<Outcomes[]> {
  const { stdout } = await promisify(execFile)(program, [...args, ...urls], { maxBuffer: 2 ** 26 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => outcomes.parse(JSON.parse(line)));
}

/** What all clients received from each address, in order. */
async function useAll(urls: readonly string[]): Promise<Received[]> {
  const script = fileURLToPath(new URL("openai_strict.py", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "assay-clients-"));
  try {
    const python = await receivedBy(pythonWithPackages(), ["-W", "ignore", script], urls);
    const go = await receivedBy(await buildGoProgram("openai-go", folder), [], urls);
    const all: Received[] = [];
    for (const [index, url] of urls.entries()) {
      all.push({ javascript: await useEverything(url), python: python[index] ?? {}, go: go[index] ?? {} });
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The uses that threw, and those that gave something else than with a target that conforms: `throws: helper; differs: stream`. */
function effectOf(now: Outcomes, usual: Outcomes): string {
  const uses = Object.keys(usual);
  const threw = uses.filter((use) => now[use]?.error !== undefined);
  const differ = uses.filter(
    (use) => !threw.includes(use) && JSON.stringify(now[use]?.value) !== JSON.stringify(usual[use]?.value),
  );
  const parts = [
    ...(threw.length > 0 ? [`throws: ${threw.join(", ")}`] : []),
    ...(differ.length > 0 ? [`differs: ${differ.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "works" : parts.join("; ");
}

const mocks: Mock[] = [];
const effects = new Map<string, Readonly<Record<keyof Received, string>>>();
let usual: Received | undefined;

beforeAll(async () => {
  const started = async (options: Parameters<typeof startMock>[0]) => {
    const mock = await startMock({ timing: "instant", ...options });
    mocks.push(mock);
    return mock.url;
  };
  const urls = [
    await started({}),
    ...(await Promise.all(
      variants.map(({ kind, name }) => started(kind === "fault" ? { faults: [name] } : { behaviour: name })),
    )),
  ];
  const [healthy, ...all] = await useAll(urls);
  usual = healthy;
  for (const [index, { name }] of variants.entries()) {
    effects.set(name, {
      javascript: effectOf(all[index]?.javascript ?? {}, healthy?.javascript ?? {}),
      python: effectOf(all[index]?.python ?? {}, healthy?.python ?? {}),
      go: effectOf(all[index]?.go ?? {}, healthy?.go ?? {}),
    });
  }
});
afterAll(() => Promise.all(mocks.map((mock) => mock.stop())));

test("all clients accept what the mock sends, in every use, and read the same from it", () => {
  for (const client of [usual?.javascript, usual?.python, usual?.go]) {
    for (const [use, { error }] of Object.entries(client ?? {})) expect(error, use).toBeUndefined();
  }
  expect(usual?.python).toEqual(usual?.javascript);
  expect(usual?.python["embeddings"]).toMatchObject({ value: { norms: [1, 1] } });
});

describe("the page says what the clients do under each fault of the interface", () => {
  test.each(clientsTable())("$fault", ({ fault, javascript, python, go }) => {
    expect({ javascript, python, go }).toEqual(effects.get(fault));
  });
});

/** What makes a client throw although the interface allows it, or although nobody can tell whose fault it was. */
const EXPECTED_TO_THROW: Readonly<Record<string, string>> = {
  "capped-replies": "parse refuses a reply that was cut at a limit: that is its purpose",
  "chat-max-tokens-absent-silent": "a model that does not end by itself is INCONCLUSIVE: the clients give up first",
  "filtered-replies": "parse refuses a reply that content review ended: that is its purpose",
  "known-models": "a target need not know the model of the test",
  "stream-429": "a target may ask to try again later",
  "stream-bad-chunk": "a connection that breaks is a warning",
  "stream-reset": "a connection that breaks is a warning",
  "stream-truncated": "a connection that breaks is a warning",
};

test("whatever makes a client throw fails the profile openai", () => {
  const unfailed = variants
    .filter((variant) => {
      const { javascript = "", python = "", go = "" } = effects.get(variant.name) ?? {};
      return `${javascript} ${python} ${go}`.includes("throws") && failsOn(variant).length === 0;
    })
    .map(({ name }) => name);
  expect(unfailed.toSorted()).toEqual(Object.keys(EXPECTED_TO_THROW));
});
