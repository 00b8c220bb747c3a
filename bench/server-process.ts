/** Starts the server process that is measured, on a core of its own where `taskset` can give it one, and queries it. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { MockOptions } from "../mock-server/index.ts";
import { onServerCore } from "./cpu-cores.ts";

/** What is served: the mock, or a bare node:http server with responses of the same size. */
export type Served = { readonly kind: "mock"; readonly options: MockOptions } | { readonly kind: "bare" };

const ready = z.object({ port: z.int() });
const resources = z.object({ heapBytes: z.number(), rssBytes: z.number(), sockets: z.int(), timers: z.int() });
const cpu = z.object({ cpuUs: z.number() });

/** What the process holds after a garbage collection. */
export type Resources = z.infer<typeof resources>;

const TYPESCRIPT = new URL("../toolchain/typescript.mjs", import.meta.url).href;

export class ServerProcess {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
  }

  static async start(served: Served): Promise<ServerProcess> {
    const file = fileURLToPath(new URL("./server-main.ts", import.meta.url));
    const [execPath, ...execArgv] = onServerCore(process.execPath, "--expose-gc", "--import", TYPESCRIPT);
    const child = fork(file, [JSON.stringify(served)], { ...(execPath !== undefined && { execPath }), execArgv });
    const [message] = await once(child, "message");
    return new ServerProcess(ready.parse(message).port, child);
  }

  async resources(): Promise<Resources> {
    return resources.parse(await this.#query("resources"));
  }

  /** CPU time that the process has used, all its threads included, in microseconds. */
  async cpuUs(): Promise<number> {
    return cpu.parse(await this.#query("cpu")).cpuUs;
  }

  /** The JSON of a control path of the mock, such as `state`. */
  async inspect(path: string): Promise<unknown> {
    return (await fetch(`http://127.0.0.1:${this.port}/_mock/${path}`)).json();
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }

  async #query(name: "resources" | "cpu"): Promise<unknown> {
    this.#process.send(name);
    const [message] = await once(this.#process, "message");
    return message;
  }
}
