/** The values of a metric in the order of time: by when their request, or the arrival of their task, was due. */

import { type MetricName, metric } from "../../../load/objectives/metrics.ts";
import type { Requests, Rows } from "../read/request-columns.ts";
import type { SubmittedTask } from "../read/task-histories.ts";
import { FloatVector } from "../stats/float-vector.ts";
import { inOrderOf } from "../stats/order.ts";
import type { PageStore } from "../stats/page-store.ts";
import type { Tasks } from "./video-metrics.ts";

/** A value, and when it was due. */
type Timed = (take: (due: number, value: number) => void) => void;

/** Of gaps, those of a request are one value: their mean. */
const ofRequest = (name: MetricName): MetricName => (name === "icl" ? "tpot" : name);

/** The values of requests of the measured phase that a metric is taken over. */
export function requestsInTime(requests: Requests, name: MetricName, rows: Rows, store: PageStore): Float64Array {
  const own = ofRequest(name);
  const all = metric(own).over === "all";
  return sorted((take) => {
    for (let row = 0; row < requests.length; row += 1) {
      if (!requests.measured(row) || !requests.isOf(row, rows) || !(all || requests.counts(row))) continue;
      const value = requests.at(own, row);
      if (!Number.isNaN(value)) take(requests.at("scheduled", row), value);
    }
  }, store);
}

/** The values of a metric of tasks, each by when its arrival was due. */
export function tasksInTime({ submitted, dueOf }: TimedTasks, name: MetricName, store: PageStore): Float64Array {
  return sorted((take) => {
    for (const task of submitted()) {
      const value = metric(name).ofTask?.(task.figures);
      if (value !== undefined) take(dueOf(task), value);
    }
  }, store);
}

/** Tasks of the measured phase, and when their arrivals were due. */
interface TimedTasks {
  readonly submitted: Tasks;
  readonly dueOf: (task: SubmittedTask) => number;
}

function sorted(timed: Timed, store: PageStore): Float64Array {
  const [due, values] = [new FloatVector(), new FloatVector()];
  timed((at, value) => {
    due.push(at);
    values.push(value);
  });
  const [instants, all] = [due.view(), values.view()];
  const inTime = new Float64Array(all.length);
  let next = 0;
  inOrderOf(
    (row) => instants[row] ?? 0,
    all.length,
    (row) => {
      inTime[next] = all[row] ?? Number.NaN;
      next += 1;
    },
    store,
  );
  return inTime;
}
