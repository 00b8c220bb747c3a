/** The rows of the fault matrix: how each fault is made. */

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import type { Cell, Fault, Prepared, Preparing } from "./cell.ts";
import { secureTarget, type TargetMode, withoutHandshake } from "./faulty-target.ts";
import { type Argv, controlGroup, controlGroups, withFileSize, withFiles, withoutNetwork } from "./surroundings.ts";

const become = (mode: TargetMode) => (cell: Cell) => cell.target.become(mode);

/** Sends a signal as often as given, each once the one before was noticed. */
const interrupt =
  (signal: NodeJS.Signals, times = 1) =>
  async (cell: Cell): Promise<void> => {
    for (const noticed of [/Stopping/, /Stopping at once|Cancelling/, /Stopping|Cancelling/].slice(0, times)) {
      cell.signal(signal);
      await cell.until(noticed);
    }
  };

const isK6 = ({ command }: { readonly command: string }): boolean => / run .*--no-usage-report/.test(command);

const kill =
  (which: "assay" | "k6" | "workers" | "assay and k6") =>
  async (cell: Cell): Promise<void> => {
    const all = cell.processes();
    const chosen = {
      assay: all.filter(({ pid }) => pid === cell.pid),
      k6: all.filter(isK6),
      workers: all.filter((each) => each.pid !== cell.pid && !isK6(each)),
      "assay and k6": all.filter((each) => each.pid === cell.pid || isK6(each)),
    };
    for (const { pid } of chosen[which]) process.kill(pid, "SIGKILL");
  };

/** What a login shell does at the end of its terminal: it hands SIGHUP on, and waits. */
const SHELL = `trap 'kill -HUP $child' HUP
COMMAND &
child=$!
wait $child; code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done`;

/** What `setsid` and `disown` are for: the end of the terminal sends no signal. */
const NO_SIGNAL = `trap '' HUP
setsid --wait COMMAND
code=$?`;

/** A terminal, whose reader is gone once the process that holds it is killed. */
const terminal =
  (lines: string) =>
  ({ parent }: Preparing): Prepared => {
    const exitFile = join(parent, "exit");
    const script = join(parent, "in-terminal.sh");
    return {
      exitFile,
      wrap: (argv) => {
        const command = argv.map((each) => `'${each}'`).join(" ");
        writeFileSync(script, `${lines.replace("COMMAND", command)}\necho $code > '${exitFile}'\n`);
        return ["script", "--quiet", "--flush", "--command", `exec sh '${script}'`, "/dev/null"];
      },
    };
  };

const closeTerminal = async (cell: Cell): Promise<void> => void cell.child.kill("SIGKILL");

const disk =
  (options: string) =>
  ({ folder, undo }: Preparing): Prepared => {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", dirname(folder)]);
    undo(() => execFileSync("umount", ["--lazy", dirname(folder)]));
    return {};
  };

const secure =
  (certificate: "expired" | "other-name") =>
  async ({ undo }: Preparing): Promise<Prepared> => {
    const { url, caFile, stop } = await secureTarget(certificate);
    undo(stop);
    return { address: url, flags: ["--ca-file", caFile] };
  };

const noHandshake =
  (sends: Parameters<typeof withoutHandshake>[0]) =>
  async ({ undo }: Preparing): Promise<Prepared> => {
    const { url, stop } = await withoutHandshake(sends);
    undo(stop);
    return { address: url };
  };

/** Only a user who may do everything may mount. */
const MOUNT = ["sh", "-c", 'test "$(id -u)" = 0 && unshare --mount true'] as const;

const controls = (kind: "memory" | "cpu") => ["sh", "-c", `test -w ${controlGroups(kind)}`] as const;

const SIZE_KB = 512;
const LEFT_BYTES = 8 << 10;

/** Fills the disk of a result folder; where the run has not created it, but for what begins the run. */
async function fill(folder: string): Promise<void> {
  const filler = join(dirname(folder), "filler");
  try {
    writeFileSync(filler, Buffer.alloc(SIZE_KB * 1024));
  } catch {
    // It is full now.
  }
  if (!existsSync(folder)) truncateSync(filler, statSync(filler).size - LEFT_BYTES);
}

/** Names of files that commands write. */
const LINKED = [
  "run.json",
  "conformance.json",
  "records.jsonl",
  "exchanges.jsonl",
  "ledger.jsonl",
  "run.sh",
  "3",
  "run-01",
];

/** Fills the folder of a command as somebody would who wants another file to be written, or a key to be sent elsewhere. */
function foreignFolder({ parent, folder, undo }: Preparing): Prepared {
  const outside = join(parent, "outside");
  undo(() => {
    if (existsSync(outside)) throw new Error("A file outside of the folder was written.");
  });
  return {
    wrap: (argv) => {
      if (existsSync(folder)) {
        // Of a clean-up.
        const odd = ["t-<redacted>", "..", "a/../../b"].map(
          (task): TaskEvent => ({ event: "accepted", id: task, task }),
        );
        appendFileSync(join(folder, FILES.tasks), odd.map((event) => `${JSON.stringify(event)}\n`).join(""));
      } else mkdirSync(folder);
      for (const name of LINKED) symlinkSync(outside, join(folder, name));
      return argv;
    },
  };
}

export const FAULTS = {
  "refuses connections": { kind: "target", about: "nothing listens at the target's address", target: "is gone" },
  "is gone in mid-run": {
    kind: "target",
    about: "the target's process ends during the run",
    strike: become("is gone"),
  },
  hangs: { kind: "target", about: "the target accepts connections and never responds", target: "hangs" },
  "hangs in mid-run": { kind: "target", about: "the target stops responding during the run", strike: become("hangs") },
  "resets connections": { kind: "target", about: "each connection is reset after the request", target: "resets" },
  floods: { kind: "target", about: "each response has no end", target: "floods" },
  "is no HTTP": { kind: "target", about: "each response is not HTTP", target: "malformed" },
  "expired certificate": {
    kind: "target",
    about: "the target's certificate has expired",
    prepare: secure("expired"),
  },
  "certificate of another name": {
    kind: "target",
    about: "the target's certificate is that of another host",
    prepare: secure("other-name"),
  },
  "TLS handshake hangs": {
    kind: "target",
    about: "the target does not respond to the greeting of TLS",
    prepare: noHandshake("nothing"),
  },
  "TLS of another version": {
    kind: "target",
    about: "the target accepts no version of TLS that Assay has",
    prepare: noHandshake("another version"),
  },
  "TLS record cut off": {
    kind: "target",
    about: "the target closes each connection in the middle of a TLS record",
    prepare: noHandshake("half a record"),
  },
  "unknown host name": {
    kind: "target",
    about: "the name of the target has no address",
    prepare: () => ({ address: "http://no-such-host.invalid" }),
  },
  "no route": {
    kind: "target",
    about: "this machine has no route to the target",
    needs: ["unshare", "--map-root-user", "--net", "true"],
    prepare: () => ({ address: "http://192.0.2.1", wrap: withoutNetwork }),
  },
  "SIGINT once": { kind: "signal", about: "Ctrl-C", strike: interrupt("SIGINT"), ends: true },
  "SIGINT twice": { kind: "signal", about: "Ctrl-C, and again", strike: interrupt("SIGINT", 2), ends: true },
  "SIGINT three times": {
    kind: "signal",
    about: "Ctrl-C, and again, and again during a clean-up to which the target does not respond",
    strike: async (cell) => {
      await cell.target.become("hangs");
      await interrupt("SIGINT", 3)(cell);
    },
    ends: true,
  },
  SIGTERM: {
    kind: "signal",
    about: "the end that a CI system or a container asks for",
    strike: interrupt("SIGTERM"),
    ends: true,
  },
  SIGHUP: { kind: "signal", about: "the end of the session", strike: interrupt("SIGHUP"), ends: true },
  "SIGKILL of assay": { kind: "signal", about: "kill -9, or out of memory", strike: kill("assay"), ends: true },
  "SIGKILL of k6": { kind: "signal", about: "the same for the load generator", strike: kill("k6"), ends: true },
  "SIGKILL of assay and k6": {
    kind: "signal",
    about: "both at the same time",
    strike: kill("assay and k6"),
    ends: true,
  },
  "SIGKILL of its workers": {
    kind: "signal",
    about: "of every other process that it started",
    strike: kill("workers"),
  },
  "terminal closed": {
    kind: "output",
    about: "SIGHUP, and EIO on standard output and error",
    needs: ["script", "--version"],
    prepare: terminal(SHELL),
    strike: closeTerminal,
    ends: true,
  },
  "terminal lost": {
    kind: "output",
    about: "EIO on standard output and error, without a signal",
    needs: ["script", "--version"],
    prepare: terminal(NO_SIGNAL),
    strike: closeTerminal,
  },
  "standard output closed": {
    kind: "output",
    about: "EPIPE, as after `| head`",
    strike: async ({ child }) => void child.stdout?.destroy(),
  },
  "standard error closed": {
    kind: "output",
    about: "EPIPE on standard error",
    strike: async ({ child }) => void child.stderr?.destroy(),
  },
  "standard output full": {
    kind: "output",
    about: "ENOSPC, as of a file on a full disk",
    prepare: () => ({ stdio: { stdout: openSync("/dev/full", "w") } }),
  },
  "disk full": {
    kind: "disk",
    about: "ENOSPC in the result folder during the run",
    needs: MOUNT,
    prepare: disk(`size=${SIZE_KB}k`),
    strike: ({ folder }) => fill(folder),
    ends: true,
  },
  "disk read-only": {
    kind: "disk",
    about: "the result folder cannot be written to",
    needs: MOUNT,
    prepare: disk("ro"),
  },
  "file too large": {
    kind: "disk",
    about: "EFBIG: a limit on the size of files (ulimit -f)",
    prepare: () => ({ wrap: (argv: Argv) => withFileSize(800, argv) }),
    ends: true,
  },
  "folder removed": {
    kind: "disk",
    about: "somebody removes the result folder during the run",
    strike: async ({ folder }) => rmSync(folder, { recursive: true }),
  },
  "foreign folder": {
    kind: "disk",
    about:
      "somebody else made the folder: its files are links to a file outside of it, and its tasks have ids that are no ids",
    prepare: foreignFolder,
  },
  "few descriptors": {
    kind: "limit",
    about: "EMFILE: 150 open files (ulimit -n)",
    prepare: () => ({ wrap: (argv: Argv) => withFiles(150, argv) }),
  },
  "little memory": {
    kind: "limit",
    about: "a control group with 600 MB of memory",
    needs: controls("memory"),
    prepare: ({ undo }) => {
      const { argv, leave } = controlGroup("memory", { v1: `${600 << 20}`, v2: `${600 << 20}` });
      undo(leave);
      return { wrap: argv };
    },
  },
  "little CPU": {
    kind: "limit",
    about: "a control group with a quarter of a CPU",
    needs: controls("cpu"),
    prepare: ({ undo }) => {
      const { argv, leave } = controlGroup("cpu", { v1: "25000", v2: "25000 100000" });
      undo(leave);
      return { wrap: argv };
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;
