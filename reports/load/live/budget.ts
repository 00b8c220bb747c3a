/** What a load that is running has used of a budget: of money, or of tokens as money of which each costs 1. Pure. */

import { z } from "zod";
import { VIDEO_DURATION_DEFAULT, VIDEO_RESOLUTION_DEFAULT } from "../../../contract/service.ts";
import type { ClientLine } from "../../../formats/client.ts";
import { type Prices, pricesOf } from "../../../settings/load/prices.ts";
import { amountIn, amountOf, inCurrency } from "../metrics/amounts.ts";

/** What is read of a record. */
const spent = z.object({
  op: z.string(),
  status: z.number().optional(),
  reused: z.boolean().optional(),
  model: z.string().optional(),
  task: z.string().optional(),
  task_state: z.string().optional(),
  cost: z.number().min(0).optional().catch(undefined),
  max_tokens: z.number().min(0).optional().catch(undefined),
  input_tokens: z.number().min(0).optional().catch(undefined),
  cached_tokens: z.number().min(0).optional().catch(undefined),
  output_tokens: z.number().min(0).optional().catch(undefined),
  token_source: z.string().optional(),
  video_seconds: z.number().min(0).optional().catch(undefined),
  video_resolution: z.string().optional(),
});
type Spent = z.infer<typeof spent>;

export interface BudgetSettings {
  /** As a user writes it, such as `--max-cost 5`. */
  readonly expr: string;
  readonly prices: Prices;
  readonly most: number;
  /** What is used, in flight at most, and to come within a second, in words. */
  readonly inWords: (used: number, inFlight: number, next: number) => string;
  /** The most that one request of a chat or of embeddings may cost by the settings, and that a video may. */
  readonly chat: number;
  readonly video: number;
  /** Input tokens of a request whose usage does not state them. */
  readonly inputTokens: number;
  /** A video costs what the target states. */
  readonly takesStated: boolean;
}

/** What is known of one load generator. */
interface Source {
  line: Pick<ClientLine, "open" | "completed"> | undefined;
  /** Records that were read. */
  read: number;
}

/** Lines come once per second, and some a little later. */
const RECENT_S = 1.5;

const MODEL_OPS = ["chat", "chat.stream", "embeddings"];

export class Budget {
  readonly #of: BudgetSettings;
  readonly #sources = new Map<number, Source>();
  /** Numbers of records, and what the chats and embeddings among them that had a response may have cost at most. */
  readonly #read = { all: 0, chats: 0, submissions: 0, charged: 0, most: 0n };
  /** What each task costs that was submitted and has not ended. */
  readonly #openTasks = new Map<string, bigint>();
  /** What was used and in flight at the looks of the last second. */
  #looks: { readonly t: number; readonly sum: number }[] = [];
  #used = 0n;
  #inWords: string | undefined;
  #largestVideo: number;

  get expr(): string {
    return this.#of.expr;
  }

  /** The budget, and what of it was used at the last look. */
  get state(): string {
    return [this.expr, ...(this.#inWords === undefined ? [] : [this.#inWords])].join(": ");
  }

  constructor(of: BudgetSettings) {
    this.#of = of;
    this.#largestVideo = of.video;
  }

  /** Adds a line of `records.jsonl`, as the JSON that it holds. @param number of the load generator */
  add(value: unknown, number: number): void {
    const { data: record } = spent.safeParse(value);
    if (record === undefined) return;
    this.#source(number).read += 1;
    this.#read.all += 1;
    if (MODEL_OPS.includes(record.op)) this.#addChat(record);
    else if (record.op.startsWith("video.")) this.#addVideo(record, number);
  }

  #addChat(record: Spent): void {
    this.#read.chats += 1;
    const { status = 0, reused, model, max_tokens, output_tokens = 0, token_source } = record;
    if (status >= 300 || reused === undefined) return;
    const { input_tokens: inputTokens, cached_tokens: cachedTokens = 0 } = record;
    const prices = pricesOf(this.#of.prices, model);
    const isTold = inputTokens !== undefined && (record.op === "embeddings" || token_source === "usage");
    const most = amountOf(prices, {
      requests: 1,
      inputTokens: inputTokens ?? this.#of.inputTokens,
      outputTokens: Math.max(output_tokens, max_tokens ?? 0),
    });
    this.#read.charged += 1;
    this.#read.most += most;
    this.#used += isTold
      ? amountOf(prices, {
          requests: 1,
          inputTokens,
          cachedTokens: Math.min(cachedTokens, inputTokens),
          outputTokens: output_tokens,
        })
      : most;
  }

  #addVideo({ op, task: id, task_state: state, model, cost, ...record }: Spent, number: number): void {
    if (op === "video.submit") this.#read.submissions += 1;
    if (id === undefined) return;
    // The targets of two load generators may name their tasks alike.
    const task = `${number} ${id}`;
    if (op === "video.submit") {
      const { video_seconds: seconds = VIDEO_DURATION_DEFAULT } = record;
      const { video_resolution: resolution = VIDEO_RESOLUTION_DEFAULT } = record;
      const listed = amountOf(pricesOf(this.#of.prices, model), { requests: 1, video: { seconds, resolution } });
      this.#openTasks.set(task, listed);
      return;
    }
    const listed = this.#openTasks.get(task);
    if (listed === undefined || state === undefined || state === "processing") return;
    this.#openTasks.delete(task);
    if (cost !== undefined && this.#of.takesStated) {
      this.#used += amountIn(cost);
      this.#largestVideo = Math.max(this.#largestVideo, cost);
    } else if (state === "completed") this.#used += listed;
  }

  /**
   * Takes the next line of `client.jsonl`; returns what was used when the load is to end: when the budget does not last for another
   * second like the last one.
   */
  look({ t, open, completed }: ClientLine, number: number): string | undefined {
    this.#source(number).line = { open, completed };
    const used = inCurrency(this.#used);
    const inFlight = this.#inFlight();
    const sum = used + inFlight;
    this.#looks = [...this.#looks.filter((look) => look.t > t - RECENT_S), { t, sum }];
    const [earliest] = this.#looks;
    const next = Math.max(0, sum - (this.#looks.length === 1 || earliest === undefined ? 0 : earliest.sum));
    this.#inWords = this.#of.inWords(used, inFlight, next);
    return sum + next < this.#of.most ? undefined : this.#inWords;
  }

  #source(number: number): Source {
    const known = this.#sources.get(number) ?? { line: undefined, read: 0 };
    this.#sources.set(number, known);
    return known;
  }

  /** What a chat, or embeddings, may cost at most: with its max_tokens, and an input as others had on average. */
  #chat(): number {
    const { charged, most } = this.#read;
    return Math.max(this.#of.chat, charged === 0 ? 0 : inCurrency(most) / charged);
  }

  /**
   * What may come to what is used: of requests that are open, or have ended and are in no record that was read, and of video tasks. Of
   * requests that have ended, as many are chats as of those that were read; of open ones, all that can be: polls are short.
   */
  #inFlight(): number {
    const { all, chats, submissions } = this.#read;
    const share = (count: number, otherwise: boolean): number => (all === 0 ? Number(otherwise) : count / all);
    const chat = this.#chat();
    const mixed = share(chats, this.#of.chat > 0) * chat + share(submissions, this.#of.chat === 0) * this.#largestVideo;
    let sum = 0;
    for (const { line, read } of this.#sources.values()) {
      const { open = 0, completed = read } = line ?? {};
      const openNow = Math.max(0, open - Math.max(0, read - completed));
      sum += openNow * (this.#of.chat > 0 ? chat : mixed) + Math.max(0, completed - read) * mixed;
    }
    for (const listed of this.#openTasks.values()) {
      sum += this.#of.takesStated ? Math.max(inCurrency(listed), this.#largestVideo) : inCurrency(listed);
    }
    return sum;
  }
}
