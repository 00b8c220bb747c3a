/** How long a request may take: what the target needs, measured on its responses, between two bounds. */

export interface RequestTimes {
  /** Milliseconds that any request may take. */
  readonly timeoutMs: number;
  /** What a request may take of a target that needs longer: the first ones of each path, and later ones by what those took; absent: `timeoutMs`. */
  readonly slowMs?: number;
  /** What a patient request may take; absent: `timeoutMs`. */
  readonly patienceMs?: number;
}

/** A time limit, and what is said about it when it is over. */
export interface TimeLimit {
  readonly ms: number;
  readonly why: string;
}

/** How many times longer than the slowest response before it a request may take. */
const TIMES_SLOWEST = 4;
/** `/v1/videos/generations/ID` is one path with all of its ids. */
const SEGMENTS = 4;

const pathOf = (path: string): string => path.split("/", SEGMENTS).join("/");

export class RequestTime {
  readonly #times: RequestTimes;
  /** Milliseconds of the slowest response that succeeded, by path. */
  readonly #slowest = new Map<string, number>();

  constructor(times: RequestTimes) {
    this.#times = times;
  }

  /** How long a request may take that is sent now. */
  limit(path: string, isPatient = false): TimeLimit {
    const { timeoutMs, slowMs = timeoutMs, patienceMs = timeoutMs } = this.#times;
    if (isPatient) return { ms: patienceMs, why: ", half of --deadline; raise that" };
    const slowest = this.#slowest.get(pathOf(path));
    const ms = Math.max(timeoutMs, Math.min(slowMs, slowest === undefined ? slowMs : TIMES_SLOWEST * slowest));
    if (this.#times.slowMs === undefined) return { ms, why: "" };
    if (ms >= slowMs) return { ms, why: "; a longer --deadline raises that, to a quarter of the deadline" };
    return { ms, why: `; the slowest before it took ${Math.round(slowest ?? 0)} ms` };
  }

  /** Learns how long a response took that succeeded. */
  note(path: string, ms: number): void {
    this.#slowest.set(pathOf(path), Math.max(ms, this.#slowest.get(pathOf(path)) ?? 0));
  }
}
