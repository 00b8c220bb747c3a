/** What came of the exchanges of a load that were checked against the specification: of one folder, or of several shards. */

import type { ClauseResult, ConformanceResult } from "../../../formats/conformance.ts";
import type { SampleCheck } from "../../../formats/run.ts";
import { formatNumber, formatShare, plural } from "../../numbers.ts";

/** The result of the check of one result folder. */
export interface CheckedFolder {
  readonly folder: string;
  readonly result: ConformanceResult;
}

/** Joins the checks of the shards of a load. @param share of the arrivals that were sampled */
export function sampleCheckOf(share: number, folders: readonly CheckedFolder[]): SampleCheck {
  const counts = folders.flatMap(({ result }) => result.traffic ?? []);
  const sum = (name: keyof SampleCheck["exchanges"]): number =>
    counts.reduce((total, one) => total + (one[name] ?? 0), 0);
  const cached = sum("cached");
  const findings = folders.flatMap(({ folder, result }) =>
    result.clauses.filter(isFinding).map(({ id, level, text, verdict, reason, share }) => ({
      ...{ id, level, text, verdict, reason },
      ...(share && { share }),
      ...(folders.length > 1 && { folder }),
    })),
  );
  const failed = new Set(findings.map(({ id }) => id));
  const verified = new Set(
    folders.flatMap(({ result }) => result.clauses.flatMap(({ id, verdict }) => (verdict === "PASS" ? [id] : []))),
  );
  const videoTasks = folders.some(({ result }) => result.settings["videoTasks"] === true);
  return {
    share,
    ...(videoTasks && { videoTasks }),
    exchanges: {
      requests: sum("requests"),
      judged: sum("judged"),
      clientLeft: sum("clientLeft"),
      unchecked: sum("unchecked"),
      unrecorded: sum("unrecorded"),
      ...(cached > 0 && { cached }),
    },
    verified: [...verified].filter((id) => !failed.has(id)).length,
    findings: ORDER.flatMap((wanted) => findings.filter(({ verdict }) => verdict === wanted)),
  };
}

/** What is reported of a check, the worst first. */
const ORDER: readonly ClauseResult["verdict"][] = ["FAIL", "HARNESS-ERROR", "WARN"];
const isFinding = ({ verdict }: ClauseResult): boolean => ORDER.includes(verdict);

/** Findings that are named in the conclusion. */
const MOST_NAMED = 3;

/** That the specification is violated, in a sentence; nothing when it is not. */
export function violationsIn(check: SampleCheck | undefined): readonly string[] {
  const failed = (check?.findings ?? []).filter(({ verdict }) => verdict === "FAIL");
  if (failed.length === 0) return [];
  const named = failed.slice(0, MOST_NAMED).map(({ id, share }) => (share ? `${id} (${shareText(share)})` : id));
  const more = failed.length > named.length ? ` and ${failed.length - named.length} more` : "";
  return [`violates the specification: ${named.join(", ")}${more}`];
}

/** Why nothing can be said about the specification although that was asked; nothing when it can. */
export function uncheckedIn(check: SampleCheck | undefined): readonly string[] {
  if (check === undefined) return [];
  if (check.findings.some(({ verdict }) => verdict === "HARNESS-ERROR"))
    return ["the check against the specification had an internal error"];
  if (check.exchanges.judged > 0 || check.share === 0) return [];
  return [
    `no exchange was checked: ${formatShare(check.share)} of the requests is less than one, give --check a larger share`,
  ];
}

/** `12 of 60 completions` */
export const shareText = ({ count, of, kind }: NonNullable<SampleCheck["findings"][number]["share"]>): string =>
  `${formatNumber(count)} of ${formatNumber(of)} ${kind}`;

/** How much was checked, in a sentence without its end. */
export function checkedText({ share, videoTasks, exchanges, verified, findings }: SampleCheck): string {
  const of = [
    ...(share > 0 || !videoTasks ? [`of ${formatShare(share)} of the arrivals`] : []),
    ...(videoTasks ? ["of all video tasks"] : []),
  ];
  const left = [
    ...(exchanges.clientLeft > 0 ? [`${formatNumber(exchanges.clientLeft)} not judged, as the load ended them`] : []),
    ...(exchanges.unchecked > 0 ? [`${formatNumber(exchanges.unchecked)} not checked, as there were too many`] : []),
  ];
  const { cached = 0 } = exchanges;
  if (cached > 0) left.push(`${formatNumber(cached)} returned by a cache, by their headers`);
  const failed = findings.filter(({ verdict }) => verdict === "FAIL").length;
  const warned = findings.filter(({ verdict }) => verdict === "WARN").length;
  const clauses = [
    `${plural(verified, "clause")} verified`,
    `${formatNumber(failed)} violated`,
    ...(warned > 0 ? [plural(warned, "warning")] : []),
  ];
  return `${[`${plural(exchanges.judged, "exchange")} ${of.join(" and ")}`, ...left].join(", ")}: ${clauses.join(", ")}`;
}
