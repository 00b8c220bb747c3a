/** What a command prints, while it runs and in the end. */

/** What a command came to. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Output {
  readonly texts = { stdout: "", stderr: "" };
  readonly #watchers = new Set<() => void>();

  add(stream: "stdout" | "stderr", text: string): void {
    this.texts[stream] += text;
    for (const watch of this.#watchers) watch();
  }

  /** Resolves with the first group of the match, or all of it, once standard output or error matches; rejects when the command ends before. */
  until(pattern: RegExp, ended: Promise<Ended>): Promise<string> {
    return new Promise((resolve, reject) => {
      const watch = (): void => {
        const found = pattern.exec(this.texts.stdout + this.texts.stderr);
        if (found === null) return;
        this.#watchers.delete(watch);
        resolve(found[1] ?? found[0]);
      };
      this.#watchers.add(watch);
      watch();
      void ended.then(({ code, stdout, stderr }) =>
        reject(new Error(`assay ended with ${code} before it printed ${pattern}:\n${stdout}${stderr}`)),
      );
    });
  }
}
