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
});

/** The same of all commands that report on what was recorded before. */
const offline = (what: Outcome | string) => ({ report: what, replay: what, compare: what, history: what });
/** The same of both commands that write a load to be run elsewhere. */
const portable = (what: Outcome | string) => ({ bundle: what, k8s: what });
/** The same of both commands that load a mock of their own. */
const onMocks = (what: Outcome | string) => ({ demo: what, calibrate: what });

/** What has no target, is it, or brings its own. */
const NO_TARGET = {
  ...offline("it sends nothing"),
  ...portable("it sends nothing"),
  doctor: "it sends nothing",
  mock: "it is the target",
  ...onMocks("its target is a mock of its own, on the same machine"),
};
const NO_K6 = "it does not run k6";
/** Commands that start no k6. */
const WITHOUT_K6 = {
  "conformance --video": NO_K6,
  proxy: NO_K6,
  ...offline(NO_K6),
  ...portable(NO_K6),
  ...{ "clean-up": NO_K6, doctor: NO_K6, mock: NO_K6 },
};
/** A report takes a second, and no file appears before it is complete. */
const SHORT = {
  ...offline("it ends before a signal can be sent, and writes each file whole or not at all"),
  ...portable("it ends before a signal can be sent, and sends nothing"),
  doctor: "it ends before a signal can be sent, and writes nothing",
};
/** Of a clean-up whose target responds. */
const SHORT_CLEAN_UP = "it ends before that can happen";
const AT_FIRST = "it ends at the first";

/** Of a clean-up whose target does not end the task. */
const LEFT_OPEN = cell(2, "could not be cancelled and may still run. To cancel: assay clean-up …", "nothing", "named");

const unreachable = (says: string): Row => ({
  ...loads(2, says, "nothing"),
  search: cell(2, says, "nothing"),
  "clean-up": LEFT_OPEN,
  "conformance --video": cell(2, says, "nothing"),
  proxy: cell(2, says, "nothing"),
  ...NO_TARGET,
});

/** Of a target that accepts connections, and completes no TLS handshake. */
const withoutTls = (reason: string, toProxy: string): Row => ({
  ...loads(2, "the run is INVALID"),
  search: cell(2, "INCONCLUSIVE"),
  "clean-up": LEFT_OPEN,
  "conformance --video": cell(2, `INCONCLUSIVE  no response came (${reason}`),
  proxy: cell(2, `Cannot reach …: ${toProxy}`, "nothing"),
  ...NO_TARGET,
});

const interrupted = (says: string): Row => ({
  ...loads(2, says, "report", "cancelled"),
  "conformance --video": cell(2, says, "report", "cancelled"),
  proxy: cell(0, "CONFORMS"),
  demo: cell(2, says),
  calibrate: cell(2, "The calibration was interrupted", "records"),
  search: cell(2, "the search was interrupted"),
  "clean-up": LEFT_OPEN,
  ...SHORT,
  mock: cell(0, "ready", "nothing"),
});

/** What a command says of a run that the fault leaves alone; video tasks of minutes are then cut off. */
const unaffected = (says: string | undefined): Row => ({
  "load chat-stream": cell(0, says ?? "PASSED"),
  "load video": cell(2, says ?? "INCONCLUSIVE", "report", "cancelled"),
  "conformance --video": cell(0, says ?? "CONFORMS", "report", "cancelled"),
  proxy: cell(0, says ?? "CONFORMS"),
  demo: cell(0, says ?? "Report: "),
  calibrate: cell(0, says ?? "Trusted up to 3 streams"),
  report: cell(0, says ?? "PASSED"),
  replay: cell(0, says ?? "CONFORMS"),
  compare: cell(0, says ?? "NO REGRESSION"),
  history: cell(0, says ?? "1 result of …"),
  search: cell(0, says ?? "FOUND"),
  ...portable(cell(0, says ?? "Wrote …", "load")),
  "clean-up": cell(0, says ?? "1 video task of … ended", "nothing", "cancelled"),
  doctor: cell(0, says ?? "Node", "nothing"),
  mock: cell(0, says ?? "ready", "ground truth"),
});
const UNAFFECTED = unaffected(undefined);
/** The same, with output that nobody can read. */
const UNREAD = unaffected("");

const NEVER_RESPONDED = "the target accepted connections and responded to none of";
const STOPPED = "Stopping: …INCONCLUSIVE";

const NAMED = "could not be cancelled and may still run. To cancel: assay clean-up …";
const NO_DISK = "Cannot write the results of the run to …: ENOSPC… are saved, which assay report … shows";
const READ_ONLY = "Cannot write results to …: …Name a new or empty folder with --out";
const NOT_EMPTY = "Cannot write results to …: it is not empty. Name a new folder with --out";
const TOO_LARGE = "Cannot write the results of the run to …: EFBIG… are saved, which assay report … shows";
const REMOVED = "Cannot report the conformance run: its result folder … was removed during the run";

export const MATRIX: Readonly<Record<FaultName, Row>> = {
  "refuses connections": unreachable("Cannot reach …: the connection was refused; nothing listens there"),
  "is gone in mid-run": {
    ...loads(1, NAMED, "report", "named"),
    search: cell(2, "INCONCLUSIVE"),
    "clean-up": SHORT_CLEAN_UP,
    "load chat-stream": cell(1, "the target stopped responding"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (refused", "report", "cancelled"),
    proxy: cell(0, "CONFORMS"),
    ...NO_TARGET,
  },
  hangs: {
    ...loads(1, NEVER_RESPONDED),
    search: cell(1, "FAILED"),
    "clean-up": LEFT_OPEN,
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (timeout"),
    proxy: cell(2, "INCONCLUSIVE"),
    ...NO_TARGET,
  },
  "hangs in mid-run": {
    ...loads(1, NAMED, "report", "named"),
    search: cell(1, "FAILED"),
    "clean-up": SHORT_CLEAN_UP,
    "load chat-stream": cell(2, "INCONCLUSIVE"),
    "load video": cell(2, "may still run. To cancel: assay clean-up …INCONCLUSIVE", "report", "named"),
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (timeout", "report", "cancelled"),
    proxy: cell(0, "CONFORMS"),
    ...NO_TARGET,
  },
  "resets connections": {
    ...loads(1, NEVER_RESPONDED),
    search: cell(1, "FAILED"),
    "clean-up": LEFT_OPEN,
    "conformance --video": cell(2, "INCONCLUSIVE  no response came (reset"),
    proxy: cell(2, "INCONCLUSIVE"),
    ...NO_TARGET,
  },
  floods: {
    ...loads(2, "INCONCLUSIVE"),
    search: cell(2, "INCONCLUSIVE"),
    "clean-up": LEFT_OPEN,
    "load video": cell(1, "may have been created by request…, whose response (status 200) names none"),
    "conformance --video": cell(2, "INCONCLUSIVE  the response was longer than what Assay reads of one"),
    proxy: cell(2, "INCONCLUSIVE"),
    ...NO_TARGET,
  },
  "is no HTTP": {
    ...loads(2, "the run is INVALID"),
    search: cell(2, "INCONCLUSIVE"),
    "clean-up": LEFT_OPEN,
    "conformance --video": cell(2, "Response does not match the HTTP/1.1 protocol"),
    proxy: cell(2, "INCONCLUSIVE"),
    ...NO_TARGET,
  },
  "expired certificate": unreachable("Cannot start: the certificate of … is not accepted: certificate has expired"),
  "certificate of another name": unreachable(
    "Cannot start: the certificate of … is not accepted: Hostname/IP does not match certificate's altnames",
  ),
  "TLS handshake hangs": withoutTls("timeout", "no TLS handshake within 10 s"),
  "TLS of another version": unreachable("Cannot start: … refuses the TLS handshake (alert "),
  "TLS record cut off": withoutTls("reset", "Client network socket disconnected before secure TLS connection"),
  "unknown host name": unreachable("Cannot reach …: the host name is not known"),
  "no route": unreachable("Cannot reach …: there is no route to the network"),
  "SIGINT once": interrupted(STOPPED),
  "SIGINT twice": {
    // A load has often ended before the second, or is cancelling its tasks, which the second leaves to the user.
    ...interrupted(STOPPED),
    "load video": cell(2, STOPPED, "report", "cancelled or named"),
    "conformance --video": cell(2, "Stopping: …Stopping at once: …INCONCLUSIVE", "report", "cancelled"),
    "clean-up": AT_FIRST,
    mock: AT_FIRST,
  },
  "SIGINT three times": {
    ...interrupted(STOPPED),
    "load video": cell(2, "Stopping at once: …Cancelling …To cancel: assay clean-up …", "report", "named"),
    "conformance --video": cell(2, "Stopping at once: …Cancelling …To cancel: assay clean-up …", "report", "named"),
    "clean-up": AT_FIRST,
    mock: AT_FIRST,
  },
  SIGTERM: interrupted(STOPPED),
  SIGHUP: interrupted(STOPPED),
  "SIGKILL of assay": {
    "load chat-stream": cell(null, "", "records"),
    "load video": cell(null, "", "records", "cancelled"),
    "conformance --video": cell(null, "", "records", "in the journal"),
    proxy: cell(null, "", "records"),
    ...onMocks(cell(null, "", "records")),
    search: cell(null, "", "records"),
    "clean-up": cell(null, "", "nothing", "in the journal"),
    ...SHORT,
    mock: cell(null, "ready", "nothing"),
  },
  "SIGKILL of k6": {
    ...loads(2, "the run was interrupted", "report", "cancelled"),
    ...WITHOUT_K6,
    demo: cell(2, "the run was interrupted"),
    calibrate: cell(2, "The calibration was interrupted", "records"),
    search: "it repeats the run whose k6 was killed, and goes on",
  },
  "SIGKILL of assay and k6": {
    ...loads(null, "", "records", "in the journal"),
    ...WITHOUT_K6,
    ...onMocks(cell(null, "", "records")),
    search: cell(null, "", "records"),
  },
  "SIGKILL of its workers": {
    ...UNAFFECTED,
    "clean-up": "it starts no process",
    proxy: cell(3, "Cannot pass the traffic on: the process that does so was ended by SIGKILL"),
    demo: cell(3, "Cannot bundle …The service is no longer running", "records"),
    calibrate: cell(2, "Cannot calibrate with 3 streams: none of them could be compared", "records"),
    ...SHORT,
  },
  "terminal closed": {
    ...loads(2, "", "report", "cancelled"),
    "conformance --video": cell(2, "", "report", "cancelled"),
    proxy: cell(0, ""),
    demo: cell(2, ""),
    calibrate: cell(2, "", "records"),
    search: cell(2, ""),
    "clean-up": cell(2, "", "nothing", "in the journal"),
    ...SHORT,
    mock: cell(0, "", "nothing"),
  },
  "terminal lost": {
    ...UNREAD,
    ...SHORT,
    "clean-up": SHORT_CLEAN_UP,
    proxy: "it then runs until a signal ends it, as a service does",
    mock: "it then runs until a signal ends it, as a service does",
  },
  "standard output closed": UNREAD,
  "standard error closed": UNAFFECTED,
  "standard output full": {
    ...loads(3, "Cannot print the result: ENOSPC", "report", "cancelled"),
    "conformance --video": cell(3, "Cannot print the result: ENOSPC", "report", "cancelled"),
    proxy: "nobody could read its address",
    ...onMocks(cell(3, "Cannot print the result: ENOSPC")),
    ...offline(cell(3, "Cannot print the result: ENOSPC")),
    ...portable(cell(3, "Cannot print the result: ENOSPC", "load")),
    search: cell(3, "Cannot print the result: ENOSPC"),
    "clean-up": cell(3, "Cannot print the result: ENOSPC", "nothing", "cancelled"),
    doctor: cell(3, "Cannot print the result: ENOSPC", "nothing"),
    mock: "nobody could read its address",
  },
  "disk full": {
    ...loads(3, "no space left on device… saved, which assay report … shows", "records", "cancelled"),
    "conformance --video": cell(3, NO_DISK, "records", "cancelled"),
    proxy: cell(3, "Cannot write the result", "records"),
    demo: cell(3, NO_DISK, "records"),
    calibrate: cell(3, "no space left on device… saved, which assay report … shows", "records"),
    ...offline(cell(3, "Cannot write …: ENOSPC… The records are saved in …", "nothing")),
    compare: cell(3, "Cannot write …: ENOSPC", "nothing"),
    history: cell(3, "Cannot write …: ENOSPC", "nothing"),
    ...portable(cell(3, "Cannot write …: ENOSPC", "nothing")),
    search: cell(3, "no space left on device… saved, which assay report … shows", "records"),
    "clean-up": LEFT_OPEN,
    doctor: "it writes nothing",
    mock: cell(3, "Cannot write the ground truth to …: ENOSPC", "nothing"),
  },
  "disk read-only": {
    ...loads(3, READ_ONLY, "nothing"),
    "conformance --video": cell(3, READ_ONLY, "nothing"),
    proxy: cell(3, READ_ONLY, "nothing"),
    ...onMocks(cell(3, READ_ONLY, "nothing")),
    ...offline(cell(3, READ_ONLY, "nothing")),
    ...portable(cell(3, READ_ONLY, "nothing")),
    search: cell(3, READ_ONLY, "nothing"),
    "clean-up": "its folder is that of a run, which wrote to it",
    doctor: "it writes nothing",
    mock: cell(3, READ_ONLY, "nothing"),
  },
  "file too large": {
    ...loads(3, "file too large… saved, which assay report … shows", "records", "cancelled"),
    "conformance --video": cell(3, TOO_LARGE, "records", "cancelled"),
    proxy: "its files grow by some kilobytes per request; a full disk shows the same",
    ...onMocks("its loads are those of `load chat-stream`, and too short for such a file"),
    ...offline("none of its files is that large"),
    ...portable("none of its files is that large"),
    search: cell(3, "file too large… saved, which assay report … shows", "records"),
    "clean-up": "it adds a line per task to a file; a full disk shows the same",
    doctor: "it writes nothing",
    mock: "its ledger grows by some bytes per request; a full disk shows the same",
  },
  "folder removed": {
    ...loads(3, "Cannot report the load: its result folder … was removed during the run", "nothing", "cancelled"),
    "conformance --video": cell(3, REMOVED, "nothing", "cancelled"),
    proxy: cell(3, "Cannot report the traffic: its result folder … was removed during the run", "nothing"),
    ...onMocks(cell(3, "Cannot report the load: its result folder … was removed during the run", "nothing")),
    search: cell(3, "Cannot report the load: its result folder … was removed during the run", "nothing"),
    "clean-up": SHORT_CLEAN_UP,
    ...SHORT,
    mock: cell(3, "Cannot write the ground truth to …: there is no such file or folder", "nothing"),
  },
  "foreign folder": {
    ...loads(3, NOT_EMPTY, "nothing"),
    "conformance --video": cell(3, NOT_EMPTY, "nothing"),
    proxy: cell(3, NOT_EMPTY, "nothing"),
    ...onMocks(cell(3, NOT_EMPTY, "nothing")),
    ...offline(cell(3, NOT_EMPTY, "nothing")),
    ...portable(cell(3, NOT_EMPTY, "nothing")),
    search: cell(3, NOT_EMPTY, "nothing"),
    "clean-up": cell(
      2,
      "Video tasks t-<redacted>, .. could not be cancelled and may still run. An id that holds a secret",
      "nothing",
      "cancelled",
    ),
    doctor: "it writes nothing",
    mock: cell(3, NOT_EMPTY, "nothing"),
  },
  "few descriptors": {
    ...UNAFFECTED,
    "load chat-stream": cell(0, "one process may open 150 files"),
  },
  "little memory": UNAFFECTED,
  "little CPU": UNAFFECTED,
};

/** Cells that `npm run test:all` always runs: those in which tasks, results or processes were lost most easily. */
export const SHARE: readonly (readonly [FaultName, CommandName])[] = [
  ["SIGINT three times", "load video"],
  ["SIGINT twice", "conformance --video"],
  ["SIGTERM", "proxy"],
  ["SIGKILL of assay", "load video"],
  ["SIGKILL of assay", "conformance --video"],
  ["terminal closed", "load video"],
  ["standard output closed", "report"],
  ["standard output full", "report"],
  ["standard output full", "replay"],
  ["disk full", "conformance --video"],
  ["disk full", "report"],
  ["disk full", "mock"],
  ["disk read-only", "demo"],
  ["disk read-only", "calibrate"],
  ["folder removed", "conformance --video"],
  ["foreign folder", "clean-up"],
  ["no route", "conformance --video"],
];
