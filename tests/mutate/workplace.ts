/** A copy of the checkout in a temporary folder, in which faults are planted and suites run. Linux, macOS. */

import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endWithProcess, killGroup } from "../../cli/process-group.ts";
import { cacheFolder } from "../../toolchain/find-k6.mjs";
import { type Fault, plant } from "./fault.ts";

const git = (root: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(`Cannot run git ${args.join(" ")} in ${root}: ${stderr}`);
  return stdout;
};

/** The files of a checkout that git knows and that are there. */
export const trackedFiles = (root: string): string[] =>
  git(root, "ls-files", "-z")
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)));

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Within the copy. */
  readonly folder: string;
  /** What runs longer hangs. */
  readonly minutes: number;
}

export interface Ended {
  readonly passed: boolean;
  readonly output: string;
}

export class Workplace {
  readonly #folder = mkdtempSync(join(tmpdir(), "mutate-"));
  readonly #copy = join(this.#folder, "checkout");
  readonly #go: Record<string, string>;

  constructor(root: string) {
    process.once("exit", () => this.#remove());
    const [GOCACHE = "", GOMODCACHE = ""] = spawnSync("go", ["env", "GOCACHE", "GOMODCACHE"], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    this.#go = { GOCACHE, GOMODCACHE };
    git(root, "clone", "--quiet", "--shared", root, this.#copy);
    cpSync(join(root, "node_modules"), join(this.#copy, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => !path.endsWith("node_modules/.vite"),
    });
    for (const file of trackedFiles(root)) cpSync(join(root, file), join(this.#copy, file));
    git(this.#copy, "add", "--all");
    const author = ["-c", "user.name=mutate", "-c", "user.email=mutate@localhost"];
    git(this.#copy, ...author, "commit", "--quiet", "--allow-empty", "--message", "What is not committed");
  }

  /** Whether Go compiles the package of a fault. */
  compiles(fault: Fault): boolean {
    this.#plant(fault);
    const cwd = dirname(join(this.#copy, fault.file));
    const env = { ...process.env, CGO_ENABLED: "0" };
    const { status } = spawnSync("go", ["build", "-trimpath", "."], { cwd, env });
    this.#restore();
    return status === 0;
  }

  /** Runs a command with a fault in the copy, or without any. */
  async run(fault: Fault | undefined, command: Command): Promise<Ended> {
    if (fault !== undefined) this.#plant(fault);
    try {
      return await this.#run(command);
    } finally {
      this.#restore();
    }
  }

  #plant(fault: Fault): void {
    const file = join(this.#copy, fault.file);
    writeFileSync(file, plant(fault, readFileSync(file, "utf8")));
  }

  async #run({ program, args, folder, minutes }: Command): Promise<Ended> {
    const temporary = join(this.#folder, "t");
    const cache = join(this.#folder, "cache");
    for (const each of [temporary, cache]) rmSync(each, { recursive: true, force: true });
    mkdirSync(temporary);
    shareBuilds(cache);
    const log = join(this.#folder, "log");
    const output = openSync(log, "w");
    const own = Object.entries(process.env).filter(([name]) => !/^(?:ASSAY_|npm_)/.test(name));
    const child = spawn(program, args, {
      cwd: join(this.#copy, folder),
      env: {
        ...Object.fromEntries(own),
        ...this.#go,
        XDG_CACHE_HOME: cache,
        TMPDIR: temporary,
        NO_COLOR: "1",
      },
      stdio: ["ignore", output, output],
      detached: true,
    });
    closeSync(output);
    const release = endWithProcess(child.pid);
    let hangs = false;
    let secondsLeft = minutes * 60;
    // Counted, so that time in which this process and the suite are stopped does not count.
    const bound = setInterval(() => {
      secondsLeft -= 1;
      if (secondsLeft > 0) return;
      hangs = true;
      killGroup(child.pid);
    }, 1_000);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    clearInterval(bound);
    killGroup(child.pid);
    release();
    endStartedIn(temporary);
    const text = readFileSync(log, "utf8");
    return { passed: code === 0, output: hangs ? `${text}\nhangs: ended after ${minutes} minutes` : text };
  }

  /** Undoes the fault, and what a suite did to the files of the copy. */
  #restore(): void {
    git(this.#copy, "reset", "--quiet", "--hard");
    git(this.#copy, "clean", "--quiet", "-dffx", "--exclude=/node_modules");
  }

  #remove(): void {
    endStartedIn(join(this.#folder, "t"));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Gives a cache of its own the builds of k6: what a fault puts into a cache is not used again. */
function shareBuilds(cache: string): void {
  const from = cacheFolder(process.env);
  const builds = existsSync(from) ? readdirSync(from).filter((name) => name.startsWith("k6-")) : [];
  for (const name of builds) cpSync(join(from, name), join(cache, "assay", name), { mode: constants.COPYFILE_FICLONE });
}

/** Ends what still runs with this folder for temporary files, in whatever group; where there is no /proc, nothing. */
function endStartedIn(temporary: string): void {
  for (const pid of existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : []) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (Number(pid) !== process.pid && variables.includes(`TMPDIR=${temporary}`))
        process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or is another user's.
    }
  }
}
