/** Types of the Go module that is compiled into k6 (`extension/`). */

/// <reference types="k6" />

declare module "k6/x/assay" {
  type Field = Omit<import("../contract/fields.ts").Field, "section">;

  type Op = typeof import("../contract/operations.ts").OPS[number];

  /** How arrivals are distributed, and for how long. Times in milliseconds, rates in arrivals per second. */
  export interface Schedule {
    /** `closed`: each virtual user starts again as soon as it is free. Otherwise an open loop, at `rates` or of a trace. */
    readonly process: "closed" | "constant" | "poisson" | "gamma" | "trace";
    /** Stages of the measured time, all equally long; the warm-up has the first rate. */
    readonly rates?: readonly { readonly from: number; readonly to: number }[];
    /** Coefficient of variation of the inter-arrival times, for `gamma`. */
    readonly cv?: number;
    readonly warmupMs: number;
    readonly durationMs: number;
    /** Measured arrivals of the whole run, of all its parts and segments, after which nothing new starts; absent: unlimited. */
    readonly maxArrivals?: number;
    readonly seed: number;
    /** Virtual users of a closed loop, and the time over which they start, evenly spread. */
    readonly users?: number;
    readonly rampUpMs?: number;
    /**
     * Every arrival ends with `handOver`: a few virtual users of k6 make all requests. With the turns of conversations, and where it is
     * absent, one waits for each response.
     */
    readonly handsOver?: boolean;
    /** When the schedule starts, in milliseconds since 1970; absent: when the first virtual user is ready. */
    readonly startAtMs?: number;
  }

  /** Records without their gaps, which are counted in histograms instead. */
  export interface GapSummary {
    /** Every record counts its gaps that are longer than each of these, in whole microseconds. */
    readonly overUs: readonly number[];
  }

  /** Settings of the whole run, the same in every virtual user. */
  export interface RunOptions {
    readonly schedule: Schedule;
    /**
     * Of workloads with arrivals of their own: those of each, by the name of the k6 scenario whose virtual users take them;
     * `schedule` is then that of the first. All have the same warm-up, duration, seed and start. Arrival k of stream s of n
     * has the number k * n + s.
     */
    readonly streams?: readonly { readonly scenario: string; readonly schedule: Schedule }[];
    /** Time without data, within a stream, after which a request ends as `stalled`; 0: never. */
    readonly stallMs: number;
    /** Time after which a request ends as `timeout`; 0: never. */
    readonly timeoutMs: number;
    /** Memory in bytes that the process should not exceed; absent: half of what is available. */
    readonly memoryLimitBytes?: number;
    /** PEM file with certificates to trust in addition to the system's. */
    readonly caFile?: string;
    /** PEM files of the certificate for a target that asks for one, and of its key; absent: in the same file. */
    readonly clientCert?: string;
    readonly clientKey?: string;
    /** Headers that it adds of its own accord and shall leave out, in small letters. */
    readonly withoutHeader?: readonly string[];
    /** How many connections requests over HTTP/2 share; absent: each request under way has one of its own. */
    readonly h2Connections?: number;
    /** `HOST:PORT:ADDR`: addresses in place of those that the resolver knows. */
    readonly resolve?: readonly string[];
    /** Absent: records list their gaps. */
    readonly gapSummary?: GapSummary;
    /** Sends a W3C `traceparent` with every request and records its trace; absent: none is sent. */
    readonly traceparent?: boolean;
    /** Share of the arrivals whose exchanges are passed on to be checked; absent: none are. */
    readonly check?: number;
    /** The part of the run, of so many equal ones, that this process and others of the same part share; absent: the whole. */
    readonly segment?: { readonly part: number; readonly of: number };
    /** Written to the first line of `records.jsonl`; contains no secret. */
    readonly settings: Readonly<Record<string, unknown>>;
  }

  /** Recorded arrivals, one column per fact; lengths in tokens, 0 for unknown, empty when none is known. */
  export interface Trace {
    /** Milliseconds since the first arrival, ascending. */
    readonly offsetsMs: readonly number[];
    readonly inputTokens: readonly number[];
    readonly outputTokens: readonly number[];
    /** Ids of the blocks of all prompts, and where those of each arrival start; absent where they are not known. */
    readonly blocks?: { readonly tokens: number; readonly ids: readonly number[]; readonly starts: readonly number[] };
    /** A number of the session of each arrival; absent: each is of its own. */
    readonly sessions?: readonly number[];
    /** Later turns of the conversations that arrivals begin, and where those of each start; absent: each is a single request. */
    readonly turns?: {
      readonly starts: readonly number[];
      readonly thinkMs: readonly number[];
      readonly inputTokens: readonly number[];
      readonly outputTokens: readonly number[];
    };
  }

  /** A turn that a trace states, after the first: the time from the end of the response before, and tokens, 0 for unknown. */
  export interface TracedTurn {
    readonly thinkMs: number;
    /** Of what the user says in it. */
    readonly inputTokens: number;
    readonly outputTokens: number;
  }

  /**
   * Declares the run; call it in the init context. Every virtual user passes the same options.
   * @param trace gives what the process `trace` replays, of the stream at a position, 0 where there is only one; it is called once per
   * process and stream, not once per virtual user.
   */
  export function configure(options: RunOptions, trace?: (stream: number) => Trace): void;

  /** One arrival that is due. The requests of the virtual user belong to it until it asks for the next. */
  export interface Arrival {
    /** Number of the arrival within the run, from 0; unique over virtual users, and over the segments of a run. */
    readonly index: number;
    readonly phase: "warmup" | "measure";
    /** Lengths that the trace states; absent where it does not. */
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    /** Ids of the blocks of its prompt, and the tokens of a block. */
    readonly blocks?: readonly number[];
    readonly blockTokens?: number;
    /** Its further turns, where the trace states a conversation. */
    readonly turns?: readonly TracedTurn[];
  }

  /**
   * Waits until this virtual user's next arrival is due; null once the schedule has ended or the run is stopping. The arrival
   * before has come to its end then, so a virtual user calls this until it returns null.
   */
  export function nextArrival(): Arrival | null;

  /** Ends the arrival under way as one whose scenario threw. @param detail what it threw */
  export function scenarioThrew(detail: string): void;

  /** What a response must look like for the outcome `ok`; anything else is `contract` (or `malformed`). */
  export interface Expectation {
    readonly status: number;
    readonly fields: readonly Field[];
    /** Further fields, by the value of a string field: those of a video task depend on its status. */
    readonly variants?: { readonly by: string; readonly fields: Readonly<Record<string, readonly Field[]>> };
    /** Array fields that must contain at least one item. */
    readonly nonEmpty?: readonly string[];
    /** Arrays of numbers that must all have the same length, and each at least one number that is not zero. */
    readonly vectors?: string;
    /** Array whose length must be the request's `items`, such as `data`. */
    readonly counted?: string;
    /** Integers that must be 0 to n-1, each once, in any order, such as `data[].index`. */
    readonly indexes?: string;
  }

  /**
   * A JSON value of the response, by the name that it gets in the record and in the reply. `cached_tokens` may be the whole usage, where
   * services have it in different members.
   */
  export type ReadName =
    | "input_tokens"
    | "output_tokens"
    | "reasoning_tokens"
    | "cached_tokens"
    | "task"
    | "completion"
    | "task_state"
    | "task_error"
    | "progress"
    | "cost"
    | "video_url";

  export interface EndpointOptions {
    readonly op: Op;
    readonly method: "GET" | "POST" | "HEAD";
    /** Absolute address; `{task}` stands for the URL-encoded task of a call. Of `video.fetch`: that of the target. */
    readonly url: string;
    /** Sent with every request but `video.fetch`; values may be secrets and are never recorded. */
    readonly headers: Readonly<Record<string, string>>;
    readonly model: string;
    /** Name of the workload whose requests it sends; absent: the load has one. */
    readonly workload?: string;
    /** True measures a streamed response chunk by chunk; `expect.fields` then does not apply. */
    readonly stream: boolean;
    readonly expect: Expectation;
    readonly read: Readonly<Partial<Record<ReadName, string>>>;
    /** The header that tells which session a request is of, and a text from which ids are made; absent: it is not told. */
    readonly session?: { readonly header: string; readonly key: string };
    /** All its exchanges are passed on to be checked against the specification, whatever share of the arrivals is. */
    readonly checked?: boolean;
  }

  /** A prompts file, which stays on its disk; made in the init context. Each piece is read when it is asked for. */
  export class Prompts {
    /** @param file as a script names it to `open()`. */
    constructor(file: string);
    readonly length: number;
    /**
     * A prompt by its number, from 0, as the messages of a chat: a JSON array.
     * @param opening number of 32 bits, with whose ten digits its first message begins
     */
    messages(nth: number, opening?: number): string;
    /** The same as one text: a JSON string. @param most how many characters of it are taken, with the opening; absent: all */
    text(nth: number, opening?: number, most?: number): string;
    /** The same as a conversation: for each turn the messages up to what the user says in it, as JSON joined by commas. */
    turns(nth: number, opening?: number): readonly string[];
    /** The times before its turns, from the response before, in milliseconds; 0 where the file states none. */
    delays(nth: number): readonly number[];
  }

  /** Makes texts of words; made in the init context. */
  export class Words {
    /** @param make called once per process. */
    constructor(make: () => import("../load/inputs/words.ts").Vocabulary);
    /** A text of that many tokens, the same for the same keys of 32 bits. */
    text(tokens: number, key: number, other: number): string;
    /**
     * A text of that many tokens that is made of blocks: those with the same id are the same for the same keys.
     * @param ids `blocks` of an arrival
     * @param size tokens of a block; the last one may have fewer
     * @param own keys of what goes beyond the blocks
     */
    blocks(
      ids: readonly number[],
      size: number,
      tokens: number,
      key: number,
      other: number,
      ...own: readonly [number, number]
    ): string;
  }

  export interface Call {
    /** The body, as one text or in parts. */
    readonly body?: string | readonly string[];
    readonly task?: string;
    /** Of `video.fetch`: the address of the video, as the target gave it. */
    readonly video?: string;
    /** For the record of a request that cancels a task. */
    readonly cancelReason?: import("../formats/outcomes.ts").CancelReason;
    /** For the record of a request that submits a task which is to be cancelled: when, as `--set cancel-at` has it. */
    readonly cancelAt?: string;
    /** What the video of a submission is to be, for the record; absent where that is left to the service. */
    readonly videoSeconds?: number;
    readonly videoResolution?: string;
    /** What the prompt asks the response to begin with; a response with the marker of another request is `contract`. */
    readonly marker?: string;
    /**
     * Of a streamed request whose client leaves: when, for the record, and after how many events with content or milliseconds, each
     * 0 for never. A response that is complete before is not left.
     */
    readonly leave?: { readonly at: string; readonly chunks: number; readonly ms: number };
    /** Number of inputs in the body, for the record and for `expect.counted`. */
    readonly items?: number;
    /** Limit of output tokens in the body, for the record. */
    readonly maxTokens?: number;
    /** How many tokens the inputs in the body were made to have, for the record. */
    readonly inputTokens?: number;
    /** Number of the request within its conversation, from 1, and how many that is to have, for the record. */
    readonly turn?: number;
    readonly turns?: number;
    /** True keeps the text of the response for the reply. */
    readonly text?: boolean;
    readonly tags?: Readonly<Record<string, string>>;
  }

  export interface Reply {
    /** The `x-request-id` that was sent. */
    readonly id: string;
    readonly outcome: import("../formats/outcomes.ts").Outcome;
    /** A sentence about what was wrong when the outcome is not `ok`; else empty. */
    readonly detail: string;
    /** 0 without a response. */
    readonly status: number;
    readonly task?: string;
    readonly task_state?: string;
    readonly progress?: number;
    readonly video_url?: string;
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    /** Content of the first choice, of a request that asked for its text; absent when it is empty. */
    readonly text?: string;
  }

  /** One request of the service, ready to be sent. Create it in the init context, once. */
  export class Endpoint {
    constructor(options: EndpointOptions);
    /** Sends one request, waits for the end of the response, records it. Never throws because of the target. */
    send(call: Call): Reply;
    /**
     * Sends the last request of an arrival, whose response nothing depends on. Where the schedule `handsOver`, it does not wait for the
     * response.
     */
    handOver(call: Call): void;
    /**
     * Sends a request for each call, several at a time, and waits for all of them: for `teardown()`.
     * @param withinMs all together take no longer; what is not over then is cut off, and the rest is not sent
     */
    sendAll(calls: readonly Call[], withinMs: number): Reply[];
  }

  /** Waits; returns false early when the run is stopping. */
  export function pause(ms: number): boolean;

  /**
   * The position of the stream whose arrivals a virtual user takes, by its number, `__VU`; undefined for one that may take any: where there
   * is one stream, and for k6's own virtual user, number 0.
   */
  export function streamOf(user: number): number | undefined;

  /** Ids of the video tasks that this process submitted and did not see end; for `teardown()`. */
  export function openTasks(): string[];
}
