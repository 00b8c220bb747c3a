/**
 * Runs `assay` commands in processes that go on afterwards (`command-host.mjs`), one command at a time each: the start of a process
 * costs more than most commands. For tests to which the process itself does not matter.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { cleanEnvironment } from "./clean-environment.ts";
import { type Ended, Output } from "./command-output.ts";

const program = fileURLToPath(new URL("./command-host.mjs", import.meta.url));

/** What a host tells of its command. */
const told = z.union([
  z.object({ stream: z.enum(["stdout", "stderr"]), text: z.string() }),
  z.object({ code: z.number(), isLast: z.boolean() }),
]);

export interface HostedCommand {
  readonly args: readonly string[];
  /** Adds to a clean environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which it runs. */
  readonly cwd: string;
}

export interface Hosted {
  readonly ended: Promise<Ended>;
  /** Resolves as `Output.until` does. */
  until(pattern: RegExp): Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

interface Host {
  readonly process: ChildProcess;
  /** The commands that it has run, whose modules it has loaded: those of a mock take longer to load than most commands to run. */
  readonly ran: Set<string>;
}

const idle: Host[] = [];

function newHost(): Host {
  const host = fork(program, [], { env: cleanEnvironment(), stdio: ["ignore", "ignore", "inherit", "ipc"] });
  host.setMaxListeners(0);
  return { process: host, ran: new Set() };
}

/** A host that is free, best one that has run the command before, or a new one. */
function hostFor(command: string): Host {
  const best = idle.findLastIndex(({ ran }) => ran.has(command));
  const [host = newHost()] = idle.splice(best, 1);
  host.ran.add(command);
  return host;
}

/** Runs a command in a host that is free, or in a new one. */
export function runHosted({ args, env, cwd }: HostedCommand): Hosted {
  const taken = hostFor(args[0] ?? "");
  const host = taken.process;
  host.ref();
  host.channel?.ref();
  const output = new Output();
  const ended = new Promise<Ended>((resolve) => {
    const end = (code: number | null): void => {
      host.off("message", take).off("exit", end);
      resolve({ code, ...output.texts });
    };
    const take = (message: unknown): void => {
      const part = told.parse(message);
      if ("stream" in part) output.add(part.stream, part.text);
      else {
        if (!part.isLast) letGo(taken);
        end(part.code);
      }
    };
    host.on("message", take).once("exit", end);
    host.send({ args, env: { ...cleanEnvironment(), ...env }, cwd });
  });
  return { ended, until: (pattern) => output.until(pattern, ended), signal: (signal) => void host.send({ signal }) };
}

/** A host without a command keeps no process of tests alive. */
function letGo(host: Host): void {
  host.process.unref();
  host.process.channel?.unref();
  idle.push(host);
}
