/**
 * Reads to its end the log of a stock k6 whose `assay` was killed, and journals the video tasks that it tells of, for
 * `assay clean-up`. Requests are told of twice, and the process that was killed may have read the first: what has ended and names
 * a task is then taken as the submission that created it, so that a task is cancelled once too often rather than left.
 */

import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { FILES } from "../../../formats/file-names.ts";
import { appendToOwnFile } from "../../../lib/own-files.ts";
import { redactor } from "../../../lib/redact.ts";
import { consoleLine, type Ended, isFact, type Sent } from "./console-line.ts";
import { LOG_FILE, orphan } from "./orphan.ts";
import { withoutSecrets } from "./result-files.ts";
import { TaskJournal } from "./task-journal.ts";

const { folder, mark, secrets } = orphan.parse(JSON.parse(await text(process.stdin)));
const redact = redactor(secrets, []).text;
const journal = new TaskJournal((event) => {
  appendToOwnFile(join(folder, FILES.tasks), `${JSON.stringify(withoutSecrets(event, redact))}\n`);
});

const sent = new Map<string, Sent>();
const asSubmission = ({ id }: Ended): Sent => ({ line: "sent", id, op: "video.submit", phase: "measure", sent: "" });

function take(line: string): void {
  const read = consoleLine(line, mark, redact);
  if (!isFact(read)) return;
  if (read.line === "sent") {
    sent.set(read.id, read);
    journal.begin(read);
  } else if (read.line === "ended") journal.end(sent.get(read.id) ?? asSubmission(read), read);
}

for await (const line of createInterface({ input: new Socket({ fd: LOG_FILE, readable: true, writable: false }) })) {
  try {
    take(line);
  } catch {
    // The rest of a line whose beginning the process that was killed had read; or a folder that is gone.
  }
}
