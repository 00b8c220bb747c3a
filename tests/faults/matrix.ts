/**
 * The fault matrix: what comes of each command under each fault, or why the fault does not apply to it. The types leave no
 * cell empty.
 */

import type { ExpectedTasks, Outcome, Result, Tasks } from "./cell.ts";
import type { CommandName } from "./commands-under-test.ts";
import type { FaultName } from "./fault-rows.ts";

export type { CommandName } from "./commands-under-test.ts";

type Row = Readonly<Record<CommandName, Outcome | string>>;

const cell = (
  exit: number | null,
  says: string,
  result: Result = "report",
  tasks: ExpectedTasks = "none",
): Outcome => ({
  exit,
  says,
  result,
  tasks,
});

/** The same of every load, except for the tasks that it may have created. */
const loads = (exit: number | null, says: string, result: Result = "report", tasks: Tasks = "none") => ({
  "load chat-stream": cell(exit, says, result),
  "load video": cell(exit, says, result, tasks),
  "load video, stock k6": cell(exit, says, result, tasks),
});

/** What has no target, or is it. */
const NO_TARGET = { report: "it sends nothing", mock: "it is the target" };
const NO_K6 = "it does not run k6";
/** A report takes a second, and no file appears before it is complete. */
const SHORT = "it ends before a signal can be sent, and writes each file whole or not at all";

const unreachable = (says: string): Row => ({
  ...loads(2, says, "nothing"),
  "conformance --video": cell(2, says, "nothing"),
  ...NO_TARGET,
});

const interrupted = (says: string): Row => ({
  ...loads(2, says, "report", "cancelled"),
  "conformance --video": cell(2, says, "report", "cancelled"),
  report: SHORT,
  mock: cell(0, "ready", "nothing"),
});

const STOPPED = "Stopping: …INCONCLUSIVE";

export const MATRIX: Readonly<Record<FaultName, Row>> = {
  "refuses connections": unreachable("Cannot reach …: the connection was refused; nothing listens there"),
  "is gone in mid-run": {
    ...loads(1, "the target stopped responding"),
    "load video": cell(
      1,
      "could not be cancelled and may still run. Cancel it with: assay clean-up …",
      "report",
      "named",
    ),
    "load video, stock k6": cell(
      1,
      "could not be cancelled and may still run. Cancel it with: assay clean-up …",
      "report",
      "named",
    ),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (refused", "report", "cancelled"),
    ...NO_TARGET,
  },
  hangs: {
    ...loads(2, "the run is INVALID"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (timeout"),
    ...NO_TARGET,
  },
  "hangs in mid-run": {
    ...loads(1, "could not be cancelled and may still run. Cancel it with: assay clean-up …", "report", "named"),
    "load chat-stream": cell(2, "INCONCLUSIVE"),
    "load video": cell(2, "may still run. Cancel it with: assay clean-up …INCONCLUSIVE", "report", "named"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (timeout", "report", "cancelled"),
    ...NO_TARGET,
  },
  "resets connections": {
    ...loads(2, "the run is INVALID"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (reset"),
    ...NO_TARGET,
  },
  floods: {
    ...loads(2, "INCONCLUSIVE"),
    "load video": cell(1, "A video task may have been created by request …, which got no response"),
    "conformance --video": cell(2, "INCONCLUSIVE  the response was longer than what Assay reads of one"),
    ...NO_TARGET,
  },
  "is no HTTP": {
    ...loads(2, "the run is INVALID"),
    "load video, stock k6": cell(1, "A video task may have been created by request …, which got no response"),
    "conformance --video": cell(2, "Response does not match the HTTP/1.1 protocol"),
    ...NO_TARGET,
  },
  "expired certificate": {
    ...loads(2, "certificate has expired"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (tls: certificate has expired)"),
    ...NO_TARGET,
  },
  "certificate of another name": {
    ...loads(2, "the run is INVALID"),
    "conformance --video": cell(
      2,
      "INCONCLUSIVE  no response came (tls: Hostname/IP does not match certificate's altnames",
    ),
    ...NO_TARGET,
  },
  "unknown host name": unreachable("Cannot reach …: the host name is not known"),
  "no route": unreachable("Cannot reach …: there is no route to the network"),
  "SIGINT once": interrupted(STOPPED),
  "SIGINT twice": {
    // A load has often ended before the second, or is cancelling its tasks, which the second leaves to the user.
    ...interrupted(STOPPED),
    "load video": cell(2, STOPPED, "report", "cancelled or named"),
    "load video, stock k6": cell(2, STOPPED, "report", "cancelled or named"),
    "conformance --video": cell(2, "Stopping: …Stopping at once: …INCONCLUSIVE", "report", "cancelled"),
    mock: "it ends at the first",
  },
  "SIGINT three times": {
    "load chat-stream": cell(2, STOPPED),
    "load video": cell(2, "Stopping at once: …Cancelling …Cancel it with: assay clean-up …", "report", "named"),
    "load video, stock k6": cell(2, "Cancelling …Cancel it with: assay clean-up …", "report", "named"),
    "conformance --video": cell(
      2,
      "Stopping at once: …Cancelling …Cancel it with: assay clean-up …",
      "report",
      "named",
    ),
    report: SHORT,
    mock: "it ends at the first",
  },
  SIGTERM: interrupted(STOPPED),
  SIGHUP: interrupted(STOPPED),
  "SIGKILL of assay": {
    "load chat-stream": cell(null, "", "records"),
    "load video": cell(null, "", "records", "cancelled"),
    "load video, stock k6": cell(null, "", "records", "in the journal"),
    "conformance --video": cell(null, "", "records", "in the journal"),
    report: SHORT,
    mock: cell(null, "ready", "nothing"),
  },
  "SIGKILL of k6": {
    ...loads(2, "the run was interrupted", "report", "cancelled"),
    "conformance --video": NO_K6,
    report: NO_K6,
    mock: NO_K6,
  },
  "SIGKILL of assay and k6": {
    ...loads(null, "", "records", "in the journal"),
    "conformance --video": NO_K6,
    report: NO_K6,
    mock: NO_K6,
  },
  "SIGKILL of its workers": {
    ...loads(0, "PASSED", "report", "cancelled"),
    "load video": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "load video, stock k6": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "conformance --video": cell(0, "CONFORMS", "report", "cancelled"),
    report: SHORT,
    mock: cell(0, "ready", "ground truth"),
  },
  "terminal closed": {
    ...loads(2, "", "report", "cancelled"),
    "conformance --video": cell(2, "", "report", "cancelled"),
    report: SHORT,
    mock: cell(0, "", "nothing"),
  },
  "terminal lost": {
    "load chat-stream": cell(0, ""),
    "load video": cell(2, "", "report", "cancelled"),
    "load video, stock k6": cell(2, "", "report", "cancelled"),
    "conformance --video": cell(0, "", "report", "cancelled"),
    report: SHORT,
    mock: "it then runs until a signal ends it, as a service does",
  },
  "standard output closed": {
    "load chat-stream": cell(0, ""),
    "load video": cell(2, "", "report", "cancelled"),
    "load video, stock k6": cell(2, "", "report", "cancelled"),
    "conformance --video": cell(0, "", "report", "cancelled"),
    report: cell(0, ""),
    mock: cell(0, "", "ground truth"),
  },
  "standard error closed": {
    "load chat-stream": cell(0, "PASSED"),
    "load video": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "load video, stock k6": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "conformance --video": cell(0, "CONFORMS", "report", "cancelled"),
    report: cell(0, "PASSED"),
    mock: cell(0, "ready", "ground truth"),
  },
  "standard output full": {
    ...loads(3, "Cannot print the result: ENOSPC", "report", "cancelled"),
    "conformance --video": cell(3, "Cannot print the result: ENOSPC", "report", "cancelled"),
    report: cell(3, "Cannot print the result: ENOSPC"),
    mock: "nobody could read its address",
  },
  "disk full": {
    ...loads(3, "no space left on device… saved, which assay report … shows", "records", "cancelled"),
    "conformance --video": cell(
      3,
      "Cannot write the results of the run to …: ENOSPC… are saved, which assay report … shows",
      "records",
      "cancelled",
    ),
    report: cell(3, "Cannot write …: ENOSPC… What was recorded is saved in …", "nothing"),
    mock: cell(3, "Cannot write the ground truth to …: ENOSPC", "nothing"),
  },
  "disk read-only": {
    ...loads(3, "Cannot write results to …: …Name a new or empty folder with --out", "nothing"),
    "conformance --video": cell(3, "Cannot write results to …: …Name a new or empty folder with --out", "nothing"),
    report: cell(3, "Cannot write results to …: …Name a new or empty folder with --out", "nothing"),
    mock: cell(3, "Cannot write results to …: …Name a new or empty folder with --out", "nothing"),
  },
  "file too large": {
    ...loads(3, "file too large… saved, which assay report … shows", "records", "cancelled"),
    "conformance --video": cell(
      3,
      "Cannot write the results of the run to …: EFBIG… are saved, which assay report … shows",
      "records",
      "cancelled",
    ),
    report: "none of its files is that large",
    mock: "its ledger grows by some bytes per request; a full disk shows the same",
  },
  "folder removed": {
    ...loads(3, "Cannot report the load: its result folder … was removed during the run", "nothing", "cancelled"),
    "conformance --video": cell(
      3,
      "Cannot report the conformance run: its result folder … was removed during the run",
      "nothing",
      "cancelled",
    ),
    report: SHORT,
    mock: cell(3, "Cannot write the ground truth to …: ENOENT", "nothing"),
  },
  "few descriptors": {
    ...loads(2, "one process may open 150 files", "report", "cancelled"),
    "load chat-stream": cell(0, "one process may open 150 files"),
    "conformance --video": cell(0, "CONFORMS", "report", "cancelled"),
    report: cell(0, "PASSED"),
    mock: cell(0, "ready", "ground truth"),
  },
  "little memory": {
    ...loads(0, "PASSED"),
    "load video": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "load video, stock k6": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "conformance --video": cell(0, "CONFORMS", "report", "cancelled"),
    report: cell(0, "PASSED"),
    mock: cell(0, "ready", "ground truth"),
  },
  "little CPU": {
    ...loads(0, "PASSED"),
    "load video": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "load video, stock k6": cell(2, "INCONCLUSIVE", "report", "cancelled"),
    "conformance --video": cell(0, "CONFORMS", "report", "cancelled"),
    report: cell(0, "PASSED"),
    mock: cell(0, "ready", "ground truth"),
  },
};

/** The cells that `npm test` runs: those in which tasks, results or processes were lost most easily. */
export const SHARE: readonly (readonly [FaultName, CommandName])[] = [
  ["SIGINT three times", "load video"],
  ["SIGINT twice", "conformance --video"],
  ["SIGKILL of assay", "load video"],
  ["terminal closed", "load video"],
  ["standard output closed", "report"],
  ["standard output full", "report"],
  ["disk full", "conformance --video"],
  ["disk full", "report"],
  ["disk full", "mock"],
  ["folder removed", "conformance --video"],
  ["no route", "conformance --video"],
];
