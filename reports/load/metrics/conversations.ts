/** The conversations of a run whose arrivals are such: how they ended, and the requests of each turn. */

import type { RunResult } from "../../../formats/run.ts";
import type { Requests } from "../read/request-columns.ts";
import type { Units } from "../read/work-units.ts";
import { countCalls, ownLatencies } from "./request-metrics.ts";
import { isSelected, rowsOf, type Selection } from "./unit-counts.ts";

/** The measured conversations among the selected units; undefined when there are none. */
export function conversationsOf(requests: Requests, units: Units, selection: Selection): RunResult["conversations"] {
  const counts = { started: 0, whole: 0, short: 0 };
  let turns = 0;
  let most = 0;
  for (let row = 0; row < units.length; row += 1) {
    const unit = units.unit(row);
    if (unit.turns === 0 || !unit.measured || !isSelected(selection, unit)) continue;
    counts.started += 1;
    turns += unit.turn;
    most = Math.max(most, unit.turn);
    if (unit.outcome === "ok") counts[unit.turn < unit.turns ? "short" : "whole"] += 1;
  }
  if (counts.started === 0) return undefined;
  return {
    ...counts,
    meanTurns: turns / counts.started,
    turns: Array.from({ length: most }, (_, at) => at + 1).flatMap((turn) => {
      const rows = { ...rowsOf(selection), turn };
      const calls = countCalls(requests, rows);
      return calls.total === 0 ? [] : [{ turn, calls, metrics: ownLatencies(requests, rows) }];
    }),
  };
}
