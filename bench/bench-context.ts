/** The server of streams in Go, built and started on a core of its own. It keeps the truth in a ledger. */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { announcedUrl } from "../scripts/calibrate/mock-process.ts";
import { onServerCore } from "./cpu-cores.ts";

const SOURCE = fileURLToPath(new URL("./streams", import.meta.url));

/** A stream of the server; the client learns of it in ms. */
export const STREAM = { ttftMs: 100, itlMs: 20, tokens: 150 } as const;
export const STREAM_S = (STREAM.ttftMs + STREAM.itlMs * (STREAM.tokens - 1)) / 1_000;
export const CHUNKS_PER_S = 1_000 / STREAM.itlMs;

export interface StreamServer {
  readonly url: string;
  /** Ends it and gives the path of its ledger. */
  stop(): Promise<string>;
}

/** A folder for one bench, with the server's program in it; `remove` deletes all. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  readonly #program = join(this.#folder, "streams");
  #count = 0;

  constructor() {
    const { status, error } = spawnSync("go", ["build", "-trimpath", "-o", this.#program, "."], {
      cwd: SOURCE,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0)
      throw new Error(`Cannot build the server of the bench with Go: ${error?.message ?? "see above"}.`);
  }

  /** A name in the folder that was not used before. */
  path(name: string): string {
    this.#count += 1;
    return join(this.#folder, `${this.#count}-${name}`);
  }

  async serve(): Promise<StreamServer> {
    const ledger = this.path("ledger.jsonl");
    const { ttftMs, itlMs, tokens } = STREAM;
    const flags = ["-ttft", `${ttftMs}ms`, "-itl", `${itlMs}ms`, "-tokens", String(tokens), "-ledger", ledger];
    const [program = this.#program, ...rest] = onServerCore(this.#program, ...flags);
    // Two processors of Go on one core: one waits for the next chunk, the other reads requests.
    const child = spawn(program, rest, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, GOMAXPROCS: "2" },
    });
    const end = () => void child.kill("SIGTERM");
    process.once("exit", end);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const url = await announcedUrl(child.stdout, ended, "the server of the bench");
    return {
      url,
      stop: async () => {
        end();
        await ended;
        process.off("exit", end);
        return ledger;
      },
    };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
