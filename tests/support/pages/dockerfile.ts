/** A Dockerfile: its steps, and a way to carry them out one by one in folders, where no container can be built. */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface Step {
  /** Such as `RUN`. */
  readonly kind: string;
  readonly text: string;
}

export interface Stage {
  /** As `AS` names it; empty: the image itself. */
  readonly name: string;
  /** With the values of arguments. */
  readonly from: string;
  readonly steps: readonly Step[];
  /** The arguments that come before all stages, which a stage takes by naming them. */
  readonly args: Readonly<Record<string, string>>;
}

/** The stages of a Dockerfile. Comments and continued lines are understood, here-documents are not. */
export function stagesOf(text: string): readonly Stage[] {
  const args: Record<string, string> = {};
  const stages: { name: string; from: string; steps: Step[]; args: typeof args }[] = [];
  for (const { kind, text: rest } of stepsOf(text)) {
    const [, arg = "", value = ""] = /^(\w+)=(.*)$/.exec(rest) ?? [];
    if (kind === "ARG" && stages.length === 0) args[arg] = value;
    else if (kind !== "FROM") stages.at(-1)?.steps.push({ kind, text: rest });
    else {
      const [from = "", , name = ""] = rest.split(" ").filter((word) => !word.startsWith("--"));
      stages.push({
        name,
        from: from.replace(/\$\{(\w+)\}/g, (_, known: string) => args[known] ?? ""),
        steps: [],
        args,
      });
    }
  }
  return stages;
}

const stepsOf = (text: string): Step[] =>
  text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .flatMap((line) => {
      const [, kind = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
      return kind === "" ? [] : [{ kind, text: rest }];
    });

/** What an image would be: its files are in a folder. */
export interface Built {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Carries out the steps of all stages, each in a folder of its own, which absolute paths are taken to be in. Programs are
 * those of this machine.
 * @param context the files that `COPY` finds
 * @param env of the commands
 * @returns the stages by name; the image itself has the name `image`
 */
export function buildInFolders(
  stages: readonly Stage[],
  context: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, Built> {
  const built = new Map<string, Built>();
  for (const { name, steps, args } of stages) {
    const root = join(folder, name || "image");
    mkdirSync(join(root, "tmp"), { recursive: true });
    const own: Record<string, string> = {};
    const taken: Record<string, string> = {};
    let workdir = "/";
    for (const { kind, text } of steps) {
      if (kind === "WORKDIR") {
        workdir = text;
        mkdirSync(join(root, workdir), { recursive: true });
      } else if (kind === "ARG") {
        const [arg = "", value = args[arg] ?? env[arg] ?? ""] = text.split("=", 2);
        taken[arg] = value;
      } else if (kind === "ENV") Object.assign(own, variablesIn(text));
      else if (kind === "COPY")
        copy(text, join(root, workdir), root, (from) => (from && built.get(from)?.root) || context);
      else if (kind === "RUN") run(inRoot(text, root), join(root, workdir), { ...env, ...taken, ...own });
    }
    built.set(name || "image", { root, env: own });
  }
  return built;
}

/** `A=1 B="2 3"`. */
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name = "", quoted, plain = ""]) => [
      name,
      quoted ?? plain,
    ]),
  );

/** The top folders that steps write to; all others are those of this machine. */
const inRoot = (command: string, root: string): string =>
  command.replaceAll(/(?<=^|[\s"'=])\/(?=(?:out|app|src|usr\/local\/bin)\b)/g, `${root}/`);

function copy(text: string, workdir: string, root: string, sourceOf: (from: string | undefined) => string): void {
  const words = text.split(" ");
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
  const paths = words.filter((word) => !word.startsWith("--"));
  const target = paths.pop() ?? "";
  const destination = target.startsWith("/") ? join(root, target) : join(workdir, target);
  for (const path of paths) {
    const inStage = join(sourceOf(from), path);
    // The base image of a stage is this machine.
    const source = existsSync(inStage) ? inStage : path;
    if (statSync(source).isDirectory()) cpSync(source, destination, { recursive: true, verbatimSymlinks: true });
    else {
      const file = target.endsWith("/") || paths.length > 1 ? join(destination, basename(path)) : destination;
      mkdirSync(dirname(file), { recursive: true });
      cpSync(source, file, { dereference: true });
    }
  }
}

function run(command: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const { status, stderr, stdout } = spawnSync("sh", ["-e", "-c", command], { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`RUN ${command} ended with ${status}:\n${stdout}\n${stderr}`);
}

/** All files below a folder, by their path in it. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !statSync(join(folder, name)).isDirectory())
    .sort();
