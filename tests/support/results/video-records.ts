/** Records of made-up video tasks for tests, described by what happened to them. */

import type { CancelReason } from "../../../formats/outcomes.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import { TaskHistory } from "../../../reports/load/read/task-histories.ts";
import { readInstant } from "../../../settings/instants.ts";
import { instant } from "./load-run.ts";

const CANCELS: Readonly<Record<string, CancelReason>> = { giveup: "given_up", clean: "clean_up" };

/**
 * `submit@0`, `poll@1000:processing:50`, `cancel@2000:409`; times in milliseconds, each call takes 10 ms. A `cancel` is one
 * without a reason, as older records have it; `giveup` and `clean` have theirs. `fetch@2010:404` requests the video.
 */
export function videoRecords(task: string, history: readonly string[]): RequestRecord[] {
  return history.map((event, index) => {
    const [, call = "", at = "0", detail = "", progress = ""] = /^(\w+)@(\d+)(?::(\w+))?(?::(\d+))?$/.exec(event) ?? [];
    const base = {
      id: `${task}-${index}`,
      scheduled: instant(Number(at)),
      sent: instant(Number(at)),
      phase: Number(at) < 60_000 ? ("measure" as const) : ("drain" as const),
      task,
      outcome: "ok" as const,
      status: 200,
      e2e: 10,
    };
    if (call === "submit") return { ...base, op: "video.submit", status: 202, task_state: "processing", lag: 0 };
    if (call === "poll" && detail === "lost") return { ...base, op: "video.poll", status: 0, outcome: "reset" };
    if (call === "poll") {
      return {
        ...base,
        op: "video.poll",
        task_state: detail,
        ...(progress === "" ? {} : { progress: Number(progress) }),
      };
    }
    const refused = detail === "" ? {} : { status: Number(detail), outcome: "http_error" as const };
    if (call === "fetch") return { ...base, op: "video.fetch", bytes: 4_096, ...refused };
    const reason = CANCELS[call];
    return { ...base, op: "video.cancel", ...refused, ...(reason && { cancel_reason: reason }) };
  });
}

/** What was seen of one task, from its records. */
export function historyOf(records: readonly RequestRecord[]): TaskHistory {
  const history = new TaskHistory();
  for (const { scheduled, sent, ...record } of records) {
    history.add({ ...record, scheduled: readInstant(scheduled), sent: readInstant(sent) });
  }
  return history;
}
