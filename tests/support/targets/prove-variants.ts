/**
 * Proof that each clause can fail: on every fault of the mock, exactly those clauses fail that `conformance/golden/proof.json` lists. A
 * test file per profile takes this, so that both run at the same time.
 *
 * The file lists what fails or warns in the profile openai; the profile service must show the same lines without those of the
 * clauses that only openai has. Blocked and inconclusive clauses are not listed, since some depend on timing.
 */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { loadClauses } from "../../../conformance/engine/load-clauses.ts";
import type { Sink } from "../../../conformance/engine/run-files.ts";
import { FAILING_PROMPT, type Mock, type MockOptions, startMock } from "../../../mock-server/index.ts";
import { FAULTS, PERMITTED } from "../../../mock-server/variants/all-variants.ts";
import { unspoiled } from "../commands/busy-machine.ts";
import { badOnes, type ClauseVerdicts, counted, judgeTarget, KEY } from "./judge-target.ts";

export const GOLDEN = new URL("../../../conformance/golden/proof.json", import.meta.url);
const lines = z.record(z.string(), z.array(z.string()));
export const golden = z.object({ faults: lines, permitted: lines }).parse(JSON.parse(readFileSync(GOLDEN, "utf8")));
export const UPDATE = process.env["UPDATE_GOLDEN"] === "1";

type Profile = "service" | "openai";

export const clauses = await loadClauses();
const onlyOpenai = new Set(clauses.filter(({ profile }) => profile === "openai").map(({ id }) => id));
export const named = new Set(clauses.flatMap(({ provenBy }) => provenBy));
/** Clauses whose verdict on a fault depends on timing, of all faults or of one. */
const VARYING: Readonly<Record<string, readonly string[]>> = {
  // A busy machine responds late.
  any: ["video.submit.at-once"],
  // It may need longer for so much than a stream may be silent.
  "stream-huge-event": ["chat.stream.ends"],
  // All tasks share an id, so a poll finds the one that was submitted last.
  "video-same-id": ["video.cancel.stays", "video.poll.completed.stays", "video.poll.failed.stays"],
};
export const varies = (name: string, id: string): boolean =>
  [VARYING["any"], VARYING[name]].some((ids) => ids?.includes(id)) &&
  !clauses.some((clause) => clause.id === id && clause.provenBy.includes(name));
/** What fails or warns on a variant, with its reason. */
export const failing = (name: string, verdicts: ClauseVerdicts): readonly string[] =>
  badOnes(verdicts).filter((line) => !varies(name, line.split(" ")[0] ?? ""));

/** The ordinary test runs every eighth of the faults that prove a clause. */
const STRIDE = 8;
export const ALL = process.env["ASSAY_PROVE"] !== undefined;
/** Where another proof has nearly the same runs, all of it only with `npm run prove`. */
export const PROVES_ALL = process.env["ASSAY_PROVE"] === "all";
export const oneOf = <T>(stride: number, all: readonly T[]): readonly T[] =>
  PROVES_ALL ? all : all.filter((_, nth) => nth % stride === 0);
export const part = ALL ? FAULTS : FAULTS.filter(({ name }) => named.has(name)).filter((_, i) => i % STRIDE === 0);
/** Long enough to find a task processing while other runs of this file compute; longer where a busy machine found none. */
export const workMsOf = (attempt: number): number => (attempt === 1 ? 300 : 3_000);

/** A mock for one run. The runs of this file wait more than they compute, so several go on at a time. */
export async function withMock<T>(options: MockOptions, use: (mock: Mock) => Promise<T>): Promise<T> {
  const mock = await startMock({ timing: "instant", workMs: workMsOf(1), apiKeys: [KEY], ...options });
  try {
    return await use(mock);
  } finally {
    await mock.stop();
  }
}

/** Several runs share the machine: a run that its deadline cuts off would prove nothing. */
export const SETTINGS = { ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_DEADLINE: "60s" };
export const check = (url: string, profile: Profile, sink?: Sink, only = ""): Promise<ClauseVerdicts> =>
  judgeTarget(url, { ...SETTINGS, ASSAY_PROFILE: profile, ASSAY_ONLY: only }, sink);

/** The clauses about an endpoint. */
const ABOUT = {
  chat: "chat,chat.stream,auth.*.chat,auth.key.header-case,paths.unprefixed.chat",
  embeddings: "embeddings,auth.*.embeddings,paths.unprefixed.embeddings",
  video: "video,video.*,auth.*.video*,paths.unprefixed.video",
} as const;

/** The clauses that a variant can reach: those about its endpoints, or all; only its routes are other than those of a sound mock. */
export function reached(variant: string): string {
  const { route = [] } = [...FAULTS, ...PERMITTED].find(({ name }) => name === variant) ?? {};
  const endpoints = [...new Set([route].flat().map((one) => one.split(".")[0]))];
  const isEndpoint = (one = ""): one is keyof typeof ABOUT => Object.hasOwn(ABOUT, one);
  return endpoints.every(isEndpoint) && !PROVES_ALL ? endpoints.map((one) => ABOUT[one]).join() : "";
}

export const checkFault = (fault: string, profile: Profile, workMs = workMsOf(1)): Promise<ClauseVerdicts> =>
  withMock({ faults: [fault], workMs }, ({ url }) => check(url, profile, undefined, reached(fault)));

/** The clauses that fail or warn on a variant, without their reasons. */
const foundOn = (name: string, verdicts: ClauseVerdicts): readonly string[] =>
  failing(name, verdicts)
    .map((line) => line.split(" ").slice(0, 2).join(" "))
    .sort();
const wantedOn = (kind: keyof typeof golden, name: string, profile: Profile): readonly string[] | undefined =>
  golden[kind][name]?.filter((line) => profile === "openai" || !onlyOpenai.has(line.split(" ")[0] ?? ""));
const isGolden = (...[kind, name, profile, verdicts]: Parameters<typeof expectGolden>): boolean =>
  foundOn(name, verdicts).join() === wantedOn(kind, name, profile)?.join();

/** Expects that the clauses of the golden file fail or warn, and no other; or writes them there. */
export function expectGolden(
  kind: keyof typeof golden,
  name: string,
  profile: Profile,
  verdicts: ClauseVerdicts,
): void {
  const found = foundOn(name, verdicts);
  if (UPDATE && profile === "openai") golden[kind][name] = [...found];
  const wanted = wantedOn(kind, name, profile);
  const missed = (wanted ?? []).filter((line) => !found.includes(line)).map((line) => line.split(" ")[0] ?? "");
  expect(found, missed.map((id) => `${id}: ${JSON.stringify(verdicts.get(id))}`).join("; ")).toEqual(wanted);
}

/** Clauses that need a task that is still processing. */
const needsProcessing = (id: string): boolean =>
  /^(?:video\.(?:cancel\.|poll\.processing\.|submit\.at-once$)|auth\.[\w-]+\.video\.cancel$)/.test(id);

/** Why verdicts may not count that are not those that a test expects: a busy machine was late. */
export function lateMachine(verdicts: ClauseVerdicts): string | undefined {
  if ([...verdicts].some(([, { verdict, reason }]) => verdict === "NOT-RUN" && reason === "the deadline had passed"))
    return "the deadline of the test had passed";
  const open = [...verdicts].filter(([, { verdict }]) => verdict === "INCONCLUSIVE");
  if (open.some(([id]) => needsProcessing(id))) return "a task ended before a request found it processing";
  return open.some(([, { reason = "" }]) => reason.includes("(timeout: "))
    ? "a response did not come within the time limit of the test"
    : undefined;
}

/** The faultless mock passes every clause of a profile. */
export function proveFaultless(profile: Profile): void {
  test("the faultless mock passes every clause, and no task is left open", async () => {
    const judge = (attempt: number) =>
      withMock({ workMs: workMsOf(attempt) }, async (mock) => ({
        verdicts: await check(mock.url, profile),
        open: mock.tasks().filter(({ state }) => state === "processing"),
      }));
    const { verdicts, open } = await unspoiled(judge, (found) => lateMachine(found.verdicts));
    expect(badOnes(verdicts)).toEqual([]);
    expect(Object.keys(counted(verdicts)).sort()).toEqual(["OBSERVED", "PASS"]);
    expect(open).toEqual([]);
  });
}

/** Exactly the clauses of the golden file fail on each fault. @param seen what each came to */
export function proveFaults(profile: Profile, seen?: Map<string, ClauseVerdicts>, faults = part): void {
  describe("exactly the clauses of the golden file fail on the fault", () => {
    test.concurrent.each([...faults])("$name", async ({ name }) => {
      const verdicts = await unspoiled(
        (attempt) => checkFault(name, profile, workMsOf(attempt)),
        (found) => (isGolden("faults", name, profile, found) ? undefined : lateMachine(found)),
      );
      seen?.set(name, verdicts);
      expectGolden("faults", name, profile, verdicts);
    });
  });
}
