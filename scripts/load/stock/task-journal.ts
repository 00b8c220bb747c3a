/** The journal of the video tasks of a stock run, by the rules of the extension. Pure: facts in, lines for the file out. */

import { isTerminal, mayHaveCreatedTask } from "../../../contract/service.ts";
import type { ClientFault } from "../../../formats/outcomes.ts";
import type { TaskEvent } from "../../../formats/tasks.ts";
import type { Ended, Sent } from "./console-line.ts";

interface Task {
  /** The request that created it. */
  readonly submission: string;
  open: boolean;
}

/** Faults of this machine that come before anything is sent. */
const BEFORE_SENDING: readonly ClientFault[] = ["open_files", "source_ports", "name_resolution"];

export class TaskJournal {
  readonly #write: (event: TaskEvent) => void;
  readonly #tasks = new Map<string, Task>();

  constructor(write: (event: TaskEvent) => void) {
    this.#write = write;
  }

  /** Ids of the tasks that were not seen to end. */
  get open(): readonly string[] {
    return [...this.#tasks].filter(([, { open }]) => open).map(([task]) => task);
  }

  begin({ op, id }: Sent): void {
    if (op === "video.submit") this.#write({ event: "submitting", id });
  }

  /** Whether a submission got the id of a task of an earlier one. */
  isGivenTwice({ op }: Sent, { task }: Ended): boolean {
    return op === "video.submit" && task !== undefined && this.#tasks.has(task);
  }

  end(sent: Sent, ended: Ended): void {
    const { task_state: state } = ended;
    const task = ended.task ?? sent.task;
    if (sent.op === "video.submit") this.#submitted(sent.id, ended);
    if (task === undefined) return;
    if (state !== undefined && isTerminal(state)) this.#ended(task, state);
    else if (sent.op === "video.poll" && state === "processing") this.#goesOn(task);
  }

  /** The end of the run cut a request off. */
  cutOff({ op, id }: Sent): void {
    if (op === "video.submit") this.#write({ event: "unknown", id });
  }

  /** Without the id of a task, one may exist all the same. */
  #submitted(id: string, { task, status = 0, outcome, client_fault }: Ended): void {
    if (task === undefined) {
      const unsent =
        outcome === "refused" || outcome === "tls" || BEFORE_SENDING.some((fault) => fault === client_fault);
      if ((status === 0 && unsent) || !mayHaveCreatedTask(status)) this.#write({ event: "refused", id });
      else this.#write({ event: "unknown", id, ...(status > 0 && { status }) });
      return;
    }
    const submission = this.#tasks.get(task)?.submission ?? id;
    this.#tasks.set(task, { submission, open: true });
    this.#write({ event: "accepted", id, task });
  }

  #ended(task: string, state: string): void {
    const known = this.#tasks.get(task);
    if (known?.open !== true) return;
    known.open = false;
    this.#write({ event: "ended", task, state });
  }

  /** A task whose end was seen is open again. */
  #goesOn(task: string): void {
    const known = this.#tasks.get(task);
    if (known === undefined || known.open) return;
    known.open = true;
    this.#write({ event: "accepted", id: known.submission, task });
  }
}
