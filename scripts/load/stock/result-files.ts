/**
 * The files of a run, to which lines are appended while it goes on. A line is written with the next flush; one of the journal
 * at once, because whoever cancels the tasks of a run that was killed reads it.
 */

import { appendFileSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { ClientLine } from "../../../formats/client.ts";
import { FILES } from "../../../formats/file-names.ts";
import { type ArrivalLine, type RecordHeader, type RequestRecord, recordedSettings } from "../../../formats/records.ts";
import type { TaskEvent } from "../../../formats/tasks.ts";
import { mapTexts } from "../../../lib/json.ts";

/** What the lines of each file are. */
export interface Lines {
  readonly records: RequestRecord | RecordHeader | { readonly arrival: ArrivalLine };
  readonly tasks: TaskEvent;
  readonly client: ClientLine;
}

/** A line as it is written: ids of tasks, and what tells of one, come from the target; the settings from the user. */
export function withoutSecrets<Line extends Lines["records" | "tasks"]>(
  line: Line,
  redact: (text: string) => string,
): Line {
  if ("settings" in line) return { ...line, settings: recordedSettings.parse(mapTexts(line.settings, redact)) };
  const task = "task" in line && line.task !== undefined && { task: redact(line.task) };
  const detail = "detail" in line && line.detail !== undefined && { detail: redact(line.detail) };
  return { ...line, ...task, ...detail };
}

const NAMES = ["records", "tasks", "client"] as const satisfies readonly (keyof Lines)[];

export class ResultFiles {
  readonly #files = new Map<keyof Lines, { readonly handle: number; pending: string[] }>();

  constructor(folder: string) {
    for (const name of NAMES)
      this.#files.set(name, { handle: openSync(join(folder, FILES[name]), "wx", 0o600), pending: [] });
  }

  add<Name extends keyof Lines>(name: Name, line: Lines[Name]): void {
    this.#files.get(name)?.pending.push(`${JSON.stringify(line)}\n`);
    if (name === "tasks") this.#write(name);
  }

  flush(): void {
    for (const name of NAMES) this.#write(name);
  }

  #write(name: keyof Lines): void {
    const file = this.#files.get(name);
    if (file === undefined || file.pending.length === 0) return;
    const text = file.pending.join("");
    file.pending = [];
    appendFileSync(file.handle, text);
  }

  close(): void {
    this.flush();
    for (const { handle } of this.#files.values()) closeSync(handle);
  }
}
