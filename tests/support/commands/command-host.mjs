/**
 * Runs `assay` commands one after another in this process, whose start costs more than most of them: what the parent sends is a
 * command or a signal for the one that runs, and what it gets is what the command prints, and its exit code.
 */

import { importEntry } from "../../../toolchain/import-entry.mjs";

/**
 * @typedef {{ args: string[], env: Record<string, string>, cwd: string }} Command
 * @typedef {{ stream: "stdout" | "stderr", text: string } | { code: number, isLast: boolean }} Told
 */

process.umask(0o077);
// It keeps the folder in which it was loaded, and that of a command is removed.
await import("esbuild");
/** @type {typeof import("../../../cli/program.ts")} */
const { main } = await importEntry("cli/program.ts");

const tell = (/** @type {Told} */ told) => void process.send?.(told);

for (const name of /** @type {const} */ (["stdout", "stderr"])) {
  process[name].write = (/** @type {unknown} */ text) => {
    tell({ stream: name, text: String(text) });
    return true;
  };
}

const endProcess = process.exit.bind(process);
/** A command that ends its process ends this one. */
process.exit = (code) => {
  tell({ code: Number(code ?? process.exitCode ?? 0), isLast: true });
  return endProcess(code);
};

/** What a command listens to is let go with it. @type {readonly NodeJS.EventEmitter[]} */
const EMITTERS = [process, process.stdout, process.stderr];
const listenersOf = (/** @type {NodeJS.EventEmitter} */ emitter) =>
  emitter.eventNames().flatMap((name) => emitter.listeners(name).map((listener) => ({ name, listener })));
function removeListeners() {
  for (const emitter of EMITTERS) {
    for (const { name, listener } of listenersOf(emitter)) {
      if (!own.has(listener)) emitter.removeListener(name, /** @type {() => void} */ (listener));
    }
  }
}

async function run(/** @type {Command} */ { args, env, cwd }) {
  process.env = { ...env };
  process.chdir(cwd);
  process.exitCode = 0;
  await main(["node", "assay", ...args]);
  const code = Number(process.exitCode);
  process.exitCode = 0;
  removeListeners();
  tell({ code, isLast: false });
}

process.on("message", (/** @type {Command | { signal: NodeJS.Signals }} */ message) => {
  if ("signal" in message) process.emit(message.signal, message.signal);
  else void run(message);
});

// Nobody reads any more: a mock would go on for ever.
process.once("disconnect", () => endProcess(1));

const own = new Set(EMITTERS.flatMap(listenersOf).map(({ listener }) => listener));
