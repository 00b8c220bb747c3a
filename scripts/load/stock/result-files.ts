/** The files of a run, appended to as it goes; what is added is written with the next flush. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { FILES } from "../../../formats/file-names.ts";

const NAMES = ["records", "tasks", "client"] as const;
type Name = (typeof NAMES)[number];

export class ResultFiles {
  readonly #files = new Map<Name, { readonly handle: number; pending: string[] }>();

  constructor(folder: string) {
    for (const name of NAMES) this.#files.set(name, { handle: openSync(join(folder, FILES[name]), "w"), pending: [] });
  }

  add(name: Name, line: Readonly<Record<string, unknown>>): void {
    this.#files.get(name)?.pending.push(`${JSON.stringify(line)}\n`);
  }

  flush(): void {
    for (const file of this.#files.values()) {
      if (file.pending.length > 0) writeSync(file.handle, file.pending.join(""));
      file.pending = [];
    }
  }

  close(): void {
    this.flush();
    for (const { handle } of this.#files.values()) closeSync(handle);
  }
}
