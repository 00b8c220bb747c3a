/** The files of a run, to which lines are appended while it goes on; a line is written with the next flush. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ClientLine } from "../../../formats/client.ts";
import { FILES } from "../../../formats/file-names.ts";
import type { ArrivalLine, RecordHeader, RequestRecord } from "../../../formats/records.ts";
import type { TaskEvent } from "../../../formats/tasks.ts";

/** What the lines of each file are. */
export interface Lines {
  readonly records: RequestRecord | RecordHeader | { readonly arrival: ArrivalLine };
  readonly tasks: TaskEvent;
  readonly client: ClientLine;
}

const NAMES = ["records", "tasks", "client"] as const satisfies readonly (keyof Lines)[];

export class ResultFiles {
  readonly #files = new Map<keyof Lines, { readonly handle: number; pending: string[] }>();

  constructor(folder: string) {
    for (const name of NAMES) this.#files.set(name, { handle: openSync(join(folder, FILES[name]), "w"), pending: [] });
  }

  add<Name extends keyof Lines>(name: Name, line: Lines[Name]): void {
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
