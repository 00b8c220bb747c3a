/** A reporter that prints how long each project took, and which files took longest. */

import type { Reporter, TestModule } from "vitest/node";

const SHOWN = 10;

/** A test file that has ended; milliseconds, on any clock. */
export interface EndedFile {
  readonly project: string;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`.padStart(9);

/** The text about the files of a run; empty when there is one only. A project lasts from its first file to its last. */
export function slowestFiles(files: readonly EndedFile[]): string {
  if (files.length < 2) return "";
  const projects = [...new Set(files.map(({ project }) => project))].map((project) => {
    const own = files.filter((file) => file.project === project);
    const lasted = Math.max(...own.map(({ endedAt }) => endedAt)) - Math.min(...own.map(({ startedAt }) => startedAt));
    return `${seconds(lasted)}  ${project}, ${own.length} ${own.length === 1 ? "file" : "files"}`;
  });
  const slowest = files
    .map(({ startedAt, endedAt, name }) => ({ took: endedAt - startedAt, name }))
    .sort((a, b) => b.took - a.took)
    .slice(0, SHOWN)
    .map(({ took, name }) => `${seconds(took)}  ${name}`);
  return ["Projects", ...projects, "Slowest files", ...slowest, ""].join("\n");
}

/** Collects the files of a run, and prints the text about them at its end. */
export default class SlowestFiles implements Reporter {
  readonly #startedAt = new Map<string, number>();
  readonly #ended: EndedFile[] = [];

  onTestModuleQueued({ id }: TestModule): void {
    this.#startedAt.set(id, performance.now());
  }

  onTestModuleEnd({ id, project, relativeModuleId }: TestModule): void {
    const endedAt = performance.now();
    const startedAt = this.#startedAt.get(id) ?? endedAt;
    this.#ended.push({ project: project.name, name: relativeModuleId, startedAt, endedAt });
  }

  onTestRunEnd(): void {
    process.stdout.write(slowestFiles(this.#ended));
  }
}
