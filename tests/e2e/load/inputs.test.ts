/** What requests contain, as the target received it: prompts of files, prompts that are made, conversations, choices by weight. */

import { appendFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { MADE_CHARACTERS_PER_TOKEN } from "../../../lib/text.ts";
import { VOCABULARY } from "../../../load/inputs/vocabulary.ts";
import { byteLevel, tokenizerFile, tokensOf } from "../../support/byte-level-tokenizer.ts";
import { newFile, newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, FEW_USERS, type Loaded, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { ANSWER_TEXT, FAILING, type RecordingTarget, recordingTarget } from "./recording-target.ts";

const Message = z.object({ role: z.string(), content: z.string() });
const Chat = z.object({ messages: z.array(Message), max_tokens: z.number() });
const CHARACTERS = 6;
/** Has a token for some of the words that prompts are made of. */
const TOKENIZER = byteLevel(VOCABULARY.slice(0, 80));

let target: RecordingTarget;
beforeAll(async () => {
  target = await recordingTarget();
});
afterAll(() => void target.server.close());

const bodyOf = (id = ""): string => target.received.get(id) ?? "";

const SHORT = [...FEW_UNITS, ...FEW_USERS, "--warmup", "0", "--duration", "1s"];

/** Loads the target with the workloads of a file. */
function loadFile(text: string, flags: readonly string[] = [], env?: Readonly<Record<string, string>>) {
  const file = newFile("inputs.yaml", text);
  return loadToEnd(undefined, target.url, [...SHORT, "--workload", file, ...flags], env);
}

/** Bodies of the requests of some workloads, without those of polls, by the number of their arrival and turn. */
const bodiesOf = ({ folder }: Loaded, ...workloads: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    recordsOf(folder)
      .filter(({ workload = "", op }) => workloads.includes(workload) && op !== "video.poll")
      .map(({ id, arrival = -1, turn = 1 }) => [`${arrival}.${turn}`, bodyOf(id)] as const)
      .sort(([one], [other]) => one.localeCompare(other)),
  );

describe("workloads of a file", () => {
  const WORKLOADS = ["files", "made", "batches", "videos", "built-in"];
  let ours: Loaded;
  let others: Readonly<Record<"users" | "segment" | "seed", Loaded>>;

  beforeAll(async () => {
    const prompts = newFile("prompts.txt", "a line\nanother line\n");
    const file = `
tokenizer: "${tokenizerFile(TOKENIZER)}"
workloads:
  - { name: files, operation: chat, weight: 2, prompts: "${prompts}" }
  - { name: made, operation: chat-stream, weight: 3, input-tokens: "normal:60,20", max-tokens: "uniform:5,9", shared-prefix-tokens: 10x2 }
  - { name: batches, operation: embeddings, weight: 3, input-tokens: 3, batch-sizes: { 1: 8, 4: 2 } }
  - { name: videos, operation: video, weight: 3, video-durations: { 5: 7, 10: 3 }, video-resolutions: [720p, 1080p], cancel-share: 0 }
  - { name: built-in, operation: chat, weight: 2 }
poll-interval: 50ms
`;
    const rate = ["--rate", "100", "--max-in-flight", "100", "--seed", "1"];
    const [first, users, segment, seed] = await Promise.all([
      loadFile(file, rate),
      loadFile(file, ["--vus", "3", "--max-requests", "60", "--seed", "1"]),
      loadFile(file, [...rate, "--segment", "2/3"]),
      loadFile(file, [...rate, "--seed", "2"]),
    ]);
    ours = first;
    others = { users, segment, seed };
  });

  test.each(WORKLOADS)("send the same bytes for the same seed from users and segments: %s", (name) => {
    const bodies = bodiesOf(ours, name);
    expect(Object.keys(bodies).length).toBeGreaterThan(5);
    for (const part of [others.users, others.segment]) {
      const shared = Object.entries(bodiesOf(part, name)).filter(([key]) => key in bodies);
      expect(shared.length).toBeGreaterThan(2);
      expect(bodies).toMatchObject(Object.fromEntries(shared));
    }
    expect(bodiesOf(others.seed, name)).not.toEqual(bodies);
  });

  test("have the prompts of the seed alone", () => {
    expect(ours.run).not.toHaveProperty("promptSeed");
  });

  const chats = (name: string) => Object.values(bodiesOf(ours, name)).map((body) => Chat.parse(JSON.parse(body)));

  test("have the prompts of a file of their own", () => {
    const said = chats("files").flatMap(({ messages }) => messages.map(({ content }) => content));
    expect(new Set(said)).toEqual(new Set(["a line", "another line"]));
  });

  test("have lengths of the distribution, begin with one of the prefixes, and differ", () => {
    const prefixes = new Set(chats("made").map(({ messages: [system] }) => system?.content));
    expect(prefixes.size).toBe(2);
    for (const prefix of prefixes) expect(tokensOf(TOKENIZER, prefix ?? "")).toBe(10);
    expect(new Set(chats("made").map(({ messages }) => messages[1]?.content)).size).toBe(chats("made").length);
    for (const { id, workload, requested_input_tokens, max_tokens } of recordsOf(ours.folder)) {
      if (workload !== "made") continue;
      const { messages, max_tokens: asked } = Chat.parse(JSON.parse(bodyOf(id)));
      const tokens = messages.reduce((sum, { content }) => sum + tokensOf(TOKENIZER, content), 0);
      expect([requested_input_tokens, max_tokens]).toEqual([tokens, asked]);
      expect(asked).toBeOneOf([5, 6, 7, 8, 9]);
    }
  });

  test("are reported with the length that was asked for and the one that the target counted", () => {
    const { requested_input_tokens: asked, input_tokens: counted } = ours.run.parts?.["made"]?.metrics ?? {};
    expect(asked?.count).toBe(chats("made").length);
    expect(asked?.mean).toBeGreaterThan(50);
    expect(counted?.mean).not.toBe(asked?.mean);
    expect(ours.stdout).toContain("requested_input_tokens");
    expect(ours.stdout).toMatch(
      /made: prompts were made with the tokenizer tokenizer.json, .* tokens on average; the target counted/,
    );
  });

  test("have batches and videos by weight or in turn", () => {
    const Embeddings = z.object({ input: z.union([z.string(), z.array(z.string())]) });
    const Video = z.object({ duration: z.literal([5, 10]), resolution: z.string() });
    const parsed = (name: string) => Object.values(bodiesOf(ours, name)).map((body): unknown => JSON.parse(body));
    const sizes = parsed("batches").map((body) => [Embeddings.parse(body).input].flat().length);
    expect(new Set(sizes)).toEqual(new Set([1, 4]));
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(sizes.length / 2);
    const videos = parsed("videos").map((body) => Video.parse(body));
    expect(new Set(videos.map(({ resolution }) => resolution))).toEqual(new Set(["720p", "1080p"]));
    expect(videos.filter(({ duration }) => duration === 5).length).toBeGreaterThan(videos.length / 2);
  });
});

describe("prompts of the built-in file", () => {
  const Texts = z.object({
    messages: z.array(Message).optional(),
    input: z.union([z.string(), z.array(z.string())]).optional(),
    prompt: z.string().optional(),
  });
  /** What the requests of a load say, each input once; of conversations the first message. */
  const saidIn = ({ folder }: Loaded, op?: string): readonly string[] =>
    recordsOf(folder)
      .filter(
        (record) => record.op !== "video.poll" && (op === undefined || record.op === op) && (record.turn ?? 1) === 1,
      )
      .flatMap(({ id }) => {
        const { messages: [first] = [], input = [], prompt = [] } = Texts.parse(JSON.parse(bodyOf(id)));
        return [first?.content ?? [], input, prompt].flat();
      });
  const WORKLOADS = `
poll-interval: 50ms
workloads:
  - { name: chats, operation: chat, weight: 8 }
  - { name: talks, operation: chat-stream, weight: 2, turns: 2 }
  - { name: batches, operation: embeddings, weight: 3, batch-sizes: [8, 12] }
  - { name: videos, operation: video, weight: 2, cancel-share: 0 }
`;
  const OPENING = /^\d{10} /;

  test("are another one in each request and in each run, unless the same prompts are asked for", async () => {
    // A slot for each arrival: none is left out, however busy the machine is.
    const rate = ["--rate", "100", "--max-in-flight", "100"];
    const [one, other, plain] = await Promise.all([
      loadFile(WORKLOADS, rate),
      loadFile(WORKLOADS, rate),
      loadFile(WORKLOADS, [...rate, "--set", "unique-prompts=false"]),
    ]);
    for (const op of ["chat", "chat.stream", "embeddings", "video.submit"]) {
      expect(saidIn(one, op).length).toBeGreaterThan(5);
      for (const text of saidIn(one, op)) expect(text).toMatch(OPENING);
    }
    const said = saidIn(one);
    expect(new Set(said).size).toBe(said.length);
    expect(new Set(said.map((text) => text.replace(OPENING, ""))).size).toBeLessThan(said.length);
    expect(new Set([...said, ...saidIn(other)]).size).toBe(said.length + saidIn(other).length);
    expect(saidIn(plain).filter((text) => OPENING.test(text))).toEqual([]);
    expect(new Set(saidIn(plain)).size).toBeLessThan(saidIn(plain).length);
    expect(one.run).toMatchObject({ seed: 1, promptSeed: expect.any(Number) });
    expect(one.stdout).toContain(`1, of prompts ${one.run.promptSeed}`);
  });
});

test("prompts of a file are sent in its order where that is asked for", async () => {
  const prompts = newFile("prompts.txt", Array.from({ length: 8 }, (_, index) => `line ${index}\n`).join(""));
  const order = ["--prompts", prompts, "--set", "prompts-order=sequential"];
  const { folder } = await loadToEnd("chat", target.url, [...SHORT, "--rate", "20", ...order]);
  const sent = recordsOf(folder).map(({ id, arrival }) => {
    const { messages } = Chat.parse(JSON.parse(bodyOf(id)));
    return [arrival, messages[0]?.content];
  });
  expect(sent.length).toBeGreaterThan(8);
  expect(sent).toEqual(sent.map(([arrival]) => [arrival, `line ${Number(arrival) % 8}`]));
});

describe("conversations", () => {
  test("carry each response back, interleave, and are the same in another run; the result shows each turn", async () => {
    const file = `
think-time: uniform:50ms,150ms
input-tokens: 20
workloads:
  - { name: talks, operation: chat-stream, rate: 10/s, turns: 2..4, max-tokens: 7 }
  - { name: calls, operation: chat, rate: 5/s, turns: 2 }
  - { name: single, operation: chat-stream, rate: 10/s }
`;
    const seed = ["--seed", "1"];
    const [loaded, again] = await Promise.all([loadFile(file, seed), loadFile(file, seed)]);
    const conversing = ["talks", "calls"];
    expect(bodiesOf(again, ...conversing)).toEqual(bodiesOf(loaded, ...conversing));
    const records = recordsOf(loaded.folder);
    for (const { workload = "", arrival, turn, turns, id } of records) {
      expect([turn !== undefined, turns !== undefined]).toEqual(Array(2).fill(conversing.includes(workload)));
      if (turn === undefined || turns === undefined) continue;
      const { messages } = Chat.parse(JSON.parse(bodyOf(id)));
      expect(messages.map(({ role }) => role)).toEqual(
        Array.from({ length: 2 * turn - 1 }, (_, at) => (at % 2 === 0 ? "user" : "assistant")),
      );
      expect(messages[0]?.content).toHaveLength(20 * CHARACTERS);
      const answers = messages.filter(({ role }) => role === "assistant");
      expect(answers.every(({ content }) => content === ANSWER_TEXT)).toBe(true);
      expect(turn).toBeLessThanOrEqual(turns);
      expect(records.filter((record) => record.arrival === arrival)).toHaveLength(turns);
    }
    const arrivals = records.flatMap(({ workload, arrival = 0 }) => (workload === "talks" ? [arrival] : []));
    expect(arrivals).not.toEqual(arrivals.toSorted((one, other) => one - other));
    const { talks, calls, single } = loaded.run.parts ?? {};
    expect(talks?.counts).toMatchObject({ offered: 10, ok: 10 });
    expect(talks?.conversations).toMatchObject({ started: 10, whole: 10, short: 0 });
    expect(talks?.conversations?.turns.map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
    expect(talks?.conversations?.turns[0]?.calls).toMatchObject({ total: 10, ok: 10 });
    expect(calls?.conversations).toMatchObject({ started: 5, whole: 5, meanTurns: 2 });
    expect(single).toMatchObject({ counts: { offered: 10, ok: 10 } });
    expect(single).not.toHaveProperty("conversations");
    expect(loaded.stdout).toContain("talks: prompts were made at 6 characters per token");
    expect(loaded.stdout).toMatch(/talks: 10 conversations of [23](\.\d+)? turns on average\n +turn +requests/);
  });

  test("of a file larger than the memory take their turns from it, and one whose turn fails ends with it", async () => {
    const MB = 2 ** 20;
    const said = (...texts: readonly string[]) => ({
      conversations: texts.flatMap((value) => [
        { from: "human", value },
        { from: "gpt", value: "not this" },
      ]),
    });
    const file = join(newFolder(), "chats.json");
    const pair = [said("one", "two", FAILING, "four"), said("un", "deux")].map((entry) =>
      JSON.stringify({ id: "x".repeat(MB / 8), ...entry }),
    );
    const part = Array(32).fill(pair).flat().join(",");
    for (let written = 0; written < 32; written += 1) {
      appendFileSync(file, `${written === 0 ? "[" : ","}${part}${written === 31 ? "]" : ""}`);
    }
    const { run, folder, stdout } = await loadToEnd(
      "chat-stream",
      target.url,
      [...SHORT, "--rate", "10", "--turns", "4", "--set", "think-time=50ms", "--prompts", file],
      { NODE_OPTIONS: "--max-old-space-size=128" },
    );
    expect(run.client.rssMaxMb).toBeLessThan(statSync(file).size / MB);
    const records = recordsOf(folder);
    const of = (turns: number) => records.filter((record) => record.turns === turns);
    expect(of(4).map(({ turn, outcome }) => [turn, outcome])).not.toContainEqual([4, expect.anything()]);
    const thirds = of(4).filter(({ turn }) => turn === 3);
    expect(thirds.every(({ outcome }) => outcome === "http_error")).toBe(true);
    const last = of(2).find(({ turn }) => turn === 2);
    const { messages } = Chat.parse(JSON.parse(bodyOf(last?.id)));
    expect(messages.map(({ content }) => content)).toEqual(["un", ANSWER_TEXT, "deux"]);
    const failed = thirds.length;
    expect(failed).toBeGreaterThan(0);
    expect(run.counts).toMatchObject({ offered: 10, failed, ok: 10 - failed });
    expect(run.conversations).toMatchObject({ started: 10, short: 0 });
    expect(stdout).toContain("http_error");
  });
});

describe("requests of one session name it in the header", () => {
  const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  /** The sessions that the target received, by the number of the arrival. */
  const sessionsOf = ({ folder }: Loaded): ReadonlyMap<number, string> => {
    const sessions = new Map<number, string>();
    for (const { id = "", arrival = -1 } of recordsOf(folder)) {
      const session = String(target.headers.get(id)?.["x-session-id"]);
      expect(session).toMatch(UUID);
      expect(sessions.get(arrival) ?? session).toBe(session);
      sessions.set(arrival, session);
    }
    return sessions;
  };
  const shape = ["--rate", "10", "--turns", "2", "--session-header", "X-Session-Id"];

  test("of a conversation, another one in each run", async () => {
    const [one, other] = await Promise.all([1, 2].map(() => loadToEnd("chat", target.url, [...SHORT, ...shape])));
    if (one === undefined || other === undefined) throw new Error("no run");
    expect(recordsOf(one.folder).length).toBeGreaterThan(10);
    const all = [one, other].flatMap((run) => [...sessionsOf(run).values()]);
    expect(new Set(all).size).toBe(all.length);
  });

  test("of a file, whose delays are kept between the turns", async () => {
    const file = newFile(
      "sessions.jsonl",
      JSON.stringify({ session_id: "s", turns: [{ text: "a" }, { text: "b", delay: 600 }] }),
    );
    const loaded = await loadToEnd("chat", target.url, [...SHORT, ...shape, "--rate", "5", "--prompts", file]);
    const records = recordsOf(loaded.folder);
    const second = records.find(({ turn }) => turn === 2);
    const first = records.find(({ turn, arrival }) => turn === 1 && arrival === second?.arrival);
    if (first === undefined || second === undefined) throw new Error("no conversation");
    const pauseMs = Date.parse(second.sent) - Date.parse(first.sent) - (first.e2e ?? 0);
    expect(pauseMs).toBeGreaterThan(590);
    expect(loaded.stderr).not.toContain("delay");
  });

  test("as a trace states them, with the blocks of their prompts", async () => {
    const file = join(newFolder(), "trace.jsonl");
    const chats = [-1, -1, 0, 2].map((parent, at) => ({
      timestamp: at * 0.3,
      chat_id: at,
      parent_chat_id: parent,
      input_length: 40,
      hash_ids: at === 1 ? [4, 5, 6] : [1, 2, 10 + at],
    }));
    writeFileSync(file, chats.map((each) => JSON.stringify(each)).join("\n"));
    const flags = ["--arrival", `trace:${file}`, "--session-header", "X-Session-Id"];
    const replayed = await loadToEnd("chat", target.url, [...FEW_UNITS, ...flags]);
    const [first, second, third, fourth] = [0, 1, 2, 3].map((arrival) => sessionsOf(replayed).get(arrival));
    expect([third, fourth]).toEqual([first, first]);
    expect(second).not.toBe(first);
    expect(replayed.stderr).not.toContain("chat_id");
    const texts = [0, 1, 2, 3].map((arrival) => {
      const record = recordsOf(replayed.folder).find((each) => each.arrival === arrival);
      return Chat.parse(JSON.parse(bodyOf(record?.id))).messages[0]?.content ?? "";
    });
    const beginnings = texts.map((text) => text.slice(0, 2 * 16 * MADE_CHARACTERS_PER_TOKEN - 1));
    expect(beginnings.map((text) => beginnings.indexOf(text))).toEqual([0, 1, 0, 0]);
    expect(new Set(texts.map((text) => text.slice(-7 * MADE_CHARACTERS_PER_TOKEN))).size).toBe(4);
  });
});
