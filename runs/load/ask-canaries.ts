/**
 * Canary prompts (`--canary`): asked alone before a load, twice each, and one after another while it runs, from this process and
 * not from the load generator. They are no requests of the load. Responses are bounded in size and time.
 */

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Connection } from "../../conformance/engine/target-connection.ts";
import { sleep } from "../../conformance/engine/waiting.ts";
import { withOwnHeaders } from "../../contract/own-headers.ts";
import { bearer, PATHS } from "../../contract/service.ts";
import type { CanaryLine } from "../../formats/canary.ts";
import { FILES } from "../../formats/file-names.ts";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import { boundedText } from "../../lib/bounded-text.ts";
import { eventsOf } from "../../lib/event-stream.ts";
import { isErrorObject, isObject, type Json, parseJson } from "../../lib/json.ts";
import { appendToOwnFile } from "../../lib/own-files.ts";
import { steadyNow } from "../../lib/steady-clock.ts";
import { shorten } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { messagesOf, promptsIn } from "../../load/inputs/prompts.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { Connections } from "../../route/connections.ts";
import { formatInstant } from "../../settings/instants.ts";
import { parseModels } from "../../settings/load/models.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** Each is asked alone before the load, so that many would take long. */
const MOST_PROMPTS = 20;
const INTERVAL_MS = 1_000;
const LONGEST_MS = 60_000;
const MOST_TOKENS = 256;

/** Asked alone more than once: a target that responds differently without a load says nothing about it. */
const TIMES_ALONE = 2;

/**
 * The bodies of the requests, for the prompts of a file; none without one.
 * @throws UsageError for a file that cannot be read, or has too many prompts
 */
export function canaryBodies({
  canary,
  seed,
  workloads: [first],
}: Pick<LoadSettings, "canary" | "seed" | "workloads">) {
  if (canary === undefined || first === undefined) return [];
  let text: string;
  try {
    text = readTextFile(canary);
  } catch (error) {
    throw new UsageError(`Cannot read the canary prompts from ${canary}: ${reasonOf(error)}. Name another file.`);
  }
  const prompts = [...promptsIn([text], canary)];
  if (prompts.length > MOST_PROMPTS) {
    throw new UsageError(
      `Cannot use ${canary} as canary prompts: it has ${prompts.length}, and each is sent on its own before the load. Leave at most ${MOST_PROMPTS}.`,
    );
  }
  const model = parseModels(first.chatModel)[0]?.model ?? first.chatModel;
  const common = { model, stream: true, temperature: 0, seed, max_tokens: MOST_TOKENS };
  return prompts.map((prompt) => JSON.stringify({ ...common, messages: messagesOf(prompt) }));
}

interface Options {
  /** The result folder. */
  readonly folder: string;
  readonly connection: Connection;
  readonly redact: (text: string) => string;
  readonly say: (sentence: string) => void;
}

/** Asks each prompt alone, then returns what asks them while the load runs, until `stop`. @throws UsageError when its file cannot be created */
export async function startCanaries(
  bodies: readonly string[],
  options: Options,
): Promise<() => { stop(): Promise<void> }> {
  if (bodies.length === 0) return () => ({ stop: () => Promise.resolve() });
  const file = join(options.folder, FILES.canary);
  try {
    writeFileSync(file, `${JSON.stringify({ schema: "assay.canary/1", prompts: bodies.length })}\n`, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`Cannot write ${file}: ${reasonOf(error)}. Free space on its disk, or name another folder.`);
  }
  const canaries = new Canaries(bodies, file, options);
  for (let time = 0; time < TIMES_ALONE; time += 1) await canaries.askEach();
  return () => canaries.follow();
}

class Canaries {
  readonly #bodies: readonly string[];
  readonly #file: string;
  readonly #options: Options;
  readonly #ended = new AbortController();
  readonly #connections;
  #failed = false;

  constructor(bodies: readonly string[], file: string, options: Options) {
    this.#bodies = bodies;
    this.#file = file;
    this.#options = options;
    this.#connections = new Connections(options.connection);
  }

  async askEach(): Promise<void> {
    for (const [index, body] of this.#bodies.entries()) await this.#ask(index + 1, body, true);
  }

  /** Asks one after another, each a time after the one before. */
  follow(): { stop(): Promise<void> } {
    const { signal } = this.#ended;
    const loop = (async () => {
      for (let nth = 0; !signal.aborted; nth += 1) {
        await sleep(INTERVAL_MS, signal);
        const index = nth % this.#bodies.length;
        if (!signal.aborted) await this.#ask(index + 1, this.#bodies[index] ?? "", false);
      }
    })();
    return {
      stop: async () => {
        this.#ended.abort();
        await loop;
        await this.#connections.destroy();
      },
    };
  }

  /** A response that is under way when the load ends is left out. */
  async #ask(prompt: number, body: string, alone: boolean): Promise<void> {
    const { redact } = this.#options;
    let came: Pick<CanaryLine, "text" | "error">;
    try {
      came = { text: redact(textOf(await this.#response(body))) };
    } catch (error) {
      came = { error: redact(reasonOf(error)).slice(0, 300) };
    }
    if (this.#ended.signal.aborted) return;
    this.#save({ at: formatInstant(steadyNow()), prompt, alone, ...came });
    if (came.error !== undefined) this.#sayOnce(`Canary prompt ${prompt} got no response: ${came.error}`);
  }

  #save(line: CanaryLine): void {
    try {
      appendToOwnFile(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#sayOnce(`Cannot write ${this.#file}: ${reasonOf(error)}`);
    }
  }

  /** The first thing that went wrong; the load does without. */
  #sayOnce(what: string): void {
    if (!this.#failed) this.#options.say(`${what}. The load does not depend on it; further attempts are made.`);
    this.#failed = true;
  }

  /** @throws Error when there is no complete response with the status 200 within the bounds */
  async #response(body: string): Promise<string> {
    const { target, apiKey, headers, withoutHeader } = this.#options.connection;
    const { statusCode, body: response } = await this.#connections.request(target + PATHS.chat, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: bearer(apiKey) }),
        ...withOwnHeaders({ requestId: randomUUID(), body, headers, withoutHeader }),
      },
      body,
      signal: timeLimit(LONGEST_MS, this.#ended.signal).signal,
    });
    const text = await boundedText(response, SIZE_LIMITS.checked);
    if (text === undefined) throw new Error(`the response has more than ${SIZE_LIMITS.checked / 2 ** 20} MiB`);
    if (statusCode !== 200) throw new Error(`the status is ${statusCode}, not 200: ${shorten(text, 200)}`);
    return text;
  }
}

/** The content of a streamed response, or of a whole one. @throws Error for one that holds an error: its text is not all of it */
export function textOf(response: string): string {
  const whole = parseJson(response);
  if (isObject(whole)) return contentOf(withoutError(whole), "message");
  return eventsOf(response)
    .whole.map(({ name, data }) => {
      if (name === "error") throw new Error(`the response holds an error: ${shorten(data, 200)}`);
      return contentOf(withoutError(parseJson(data)), "delta");
    })
    .join("");
}

function withoutError(value: unknown): unknown {
  if (isObject(value) && isErrorObject(value))
    throw new Error(`the response holds an error: ${shorten(JSON.stringify(value), 200)}`);
  return value;
}

function contentOf(value: unknown, member: "delta" | "message"): string {
  const choices = isObject(value) ? value["choices"] : undefined;
  const [first]: readonly Json[] = Array.isArray(choices) ? choices : [];
  const part = isObject(first) ? first[member] : undefined;
  const content = isObject(part) ? part["content"] : undefined;
  return typeof content === "string" ? content : "";
}
