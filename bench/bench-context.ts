/** What the benchmarks of the load generator share: the stream server in Go, on a core of its own, and a temporary folder. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SIGNALS } from "../cli/interrupt.ts";
import { announcedUrl } from "../runs/calibrate/mock-process.ts";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import { onServerCore, SERVER_CORES } from "./cpu-cores.ts";

const SOURCE = fileURLToPath(new URL("./streams", import.meta.url));

export interface StreamServer {
  readonly url: string;
  /** The path of its ground-truth file, which exists when it has stopped. */
  readonly ledger: string;
  /** Stops it; resolves with the path of its ground-truth file. */
  stop(): Promise<string>;
}

/** How the server of the benchmark serves; see `BenchContext.serve`. */
export interface Serving {
  readonly core?: "own" | "clients";
  readonly failEvery?: number;
  readonly tokens?: number;
  readonly ttftMs?: number;
  readonly itlMs?: number;
  readonly protocol?: "http" | "https" | "h2";
}

/** A temporary folder with the program of the stream server in it; `remove` deletes all of it. */
export class BenchContext {
  readonly #folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  readonly #program = join(this.#folder, "streams");
  #count = 0;
  #isInterrupted = false;

  constructor() {
    // The load under way ends by itself; nothing is begun after it.
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        this.#isInterrupted = true;
      });
    }
    const { status, error } = spawnSync("go", ["build", "-trimpath", "-o", this.#program, "."], {
      cwd: SOURCE,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) {
      throw new Error(`Cannot build the stream server of the benchmark with Go: ${error?.message ?? "see above"}.`);
    }
  }

  /** A path in the folder that was not given out before. @throws Error when the benchmark was interrupted */
  path(name: string): string {
    if (this.#isInterrupted) throw new Error("The benchmark was interrupted.");
    this.#count += 1;
    return join(this.#folder, `${this.#count}-${name}`);
  }

  /** A new folder within the folder. */
  newFolder(name: string): string {
    const folder = this.path(name);
    mkdirSync(folder);
    return folder;
  }

  /** The path of a prompt file with one short prompt. */
  shortPrompt(): string {
    const file = this.path("short.jsonl");
    writeFileSync(file, `${JSON.stringify({ prompt: "Why is the sky blue?" })}\n`);
    return file;
  }

  /**
   * @param core that of the server alone, or that of the clients, where something between the two has the other
   * @param failEvery every N-th stream fails; 0: none
   * @param tokens chunks per stream
   * @param ttftMs to the first of them
   * @param itlMs between two of them
   * @param protocol HTTP/1.1, the same over TLS, or HTTP/2 over TLS, where no stream fails
   */
  async serve({
    core = "own",
    failEvery = 0,
    tokens = STREAM.tokens,
    ttftMs = STREAM.ttftMs,
    itlMs = STREAM.itlMs,
    protocol = "http",
  }: Serving = {}): Promise<StreamServer> {
    const ledger = this.path("ledger.jsonl");
    const flags = ["-ttft", `${ttftMs}ms`, "-itl", `${itlMs}ms`, "-tokens", String(tokens), "-ledger", ledger];
    const command = [
      this.#program,
      ...flags,
      "-fail-every",
      String(failEvery),
      "-protocol",
      protocol,
      "-writers",
      String(SERVER_CORES),
    ];
    const [program = this.#program, ...rest] = core === "own" ? onServerCore(...command) : command;
    // Two processors of Go on each core: one waits for the next chunk, the other reads requests.
    const child = spawn(program, rest, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, GOMAXPROCS: String(2 * SERVER_CORES), GOGC: "100" },
    });
    const terminate = () => void child.kill("SIGTERM");
    process.once("exit", terminate);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const url = await announcedUrl(child.stdout, ended, "the stream server of the benchmark");
    return {
      url,
      ledger,
      stop: async () => {
        terminate();
        await ended;
        process.off("exit", terminate);
        return ledger;
      },
    };
  }

  /** The output of the program as a client that reads streams of a server, and does nothing else. */
  readStreams(url: string, flags: readonly string[]): string {
    const args = ["-read", new URL(url).host, ...flags];
    const { status, stdout } = spawnSync(this.#program, args, {
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`The reader of streams ended with exit code ${status}.`);
    return stdout;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
