/** What a command runs in: limits, disks, terminals and networks that are faulty from the beginning. Linux only. */

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The program and arguments that run a command. */
export type Argv = readonly string[];

/** The arguments of a shell that prepares something and then becomes the command. */
const prepared = (script: string, argv: Argv): Argv => ["sh", "-c", `${script}; exec "$@"`, "sh", ...argv];

/** In which at most so many files can be open. */
export const withFiles = (most: number, argv: Argv): Argv => prepared(`ulimit -n ${most}`, argv);

/** In which no file can be longer, in kilobytes. */
export const withFileSize = (kilobytes: number, argv: Argv): Argv => prepared(`ulimit -f ${kilobytes}`, argv);

/** Without any network, in a namespace of its own. */
export const withoutNetwork = (argv: Argv): Argv => ["unshare", "--map-root-user", "--net", ...argv];

/** A control group with a limit; `leave` removes it. */
export interface ControlGroup {
  readonly argv: (argv: Argv) => Argv;
  readonly leave: () => void;
}

const CGROUPS = "/sys/fs/cgroup";

type Controller = "memory" | "cpu";

const isVersion2 = (): boolean => existsSync(join(CGROUPS, "cgroup.controllers"));

/** The folder in which control groups of this kind are made. */
export const controlGroups = (kind: Controller): string => join(CGROUPS, isVersion2() ? "" : kind);

const LIMIT_FILES = {
  memory: { v1: "memory.limit_in_bytes", v2: "memory.max" },
  cpu: { v1: "cpu.cfs_quota_us", v2: "cpu.max" },
} as const;

/** A control group of version 1 or 2 with a limit. @throws Error when this user may not make one */
export function controlGroup(kind: Controller, limit: { readonly v1: string; readonly v2: string }): ControlGroup {
  const version = isVersion2() ? "v2" : "v1";
  const folder = join(controlGroups(kind), `assay-test-${randomUUID()}`);
  mkdirSync(folder);
  writeFileSync(join(folder, LIMIT_FILES[kind][version]), limit[version]);
  return {
    argv: (argv) => prepared(`echo $$ > ${folder}/cgroup.procs`, argv),
    leave: () => rmdirSync(folder),
  };
}
