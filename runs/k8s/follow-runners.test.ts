import { describe, expect, test } from "vitest";
import { httpError, makeRun } from "../../tests/support/results/load-run.ts";
import { planPortable } from "../bundle/portable-load.ts";
import type { ClusterPart, ClusterState } from "./cluster-state.ts";
import { followerOf } from "./follow-runners.ts";
import type { Kubectl } from "./kubectl.ts";

const runner = (role: string): ClusterPart => ({
  role,
  name: `a-run-${role}-x`,
  state: "running",
  reason: "",
  message: "",
});
const STATE: ClusterState = {
  stage: "started",
  parallelism: 2,
  parts: [runner("1"), runner("2"), { ...runner("initializer"), state: "ended" }],
};

/** A load that is followed. */
const planOf = (flags: Readonly<Record<string, string>>) =>
  planPortable("chat-stream", { target: "http://host", warmup: "0s", ...flags }, { env: {} }, true);

/** Pods in which the files of runners grow, each by the same part of its lines at a time, the last of which is cut. */
function growing(files: Readonly<Record<string, string>>) {
  let visible = 0;
  const calls: string[] = [];
  const kubectl: Kubectl = async (args) => {
    calls.push(args.join(" "));
    const [, pod = "", , , , from = "", path = ""] = args;
    const text = files[`${pod} ${path.replace("/results/", "")}`];
    if (text === undefined) return { code: 1, stdout: "", stderr: "no such file" };
    return { code: 0, stdout: text.slice(Number(from) - 1, bytesOf(text, visible)), stderr: "" };
  };
  return {
    calls,
    kubectl,
    grow: (part: number) => {
      visible += part;
    },
  };
}

function bytesOf(text: string, part: number): number {
  const lines = text.split("\n");
  if (part >= 1) return text.length;
  return Math.max(0, lines.slice(0, Math.floor(part * lines.length)).join("\n").length - 5);
}

const filesOf = (role: string, { records, client }: ReturnType<typeof makeRun>) => ({
  [`a-run-${role}-x records.jsonl`]: `${records.join("\n")}\n`,
  [`a-run-${role}-x client.jsonl`]: `${client.join("\n")}\n`,
});

describe("the runners of a load", () => {
  const fails = (segment: string, from: number) =>
    makeRun({ segment, warmupS: 0, change: (record, index) => (index >= from ? httpError(record) : record) });

  test("are followed together, wherever a look cuts their lines, and each byte is read once", async () => {
    const files = { ...filesOf("1", fails("0:1/2", 200)), ...filesOf("2", fails("1/2:1", 200)) };
    const { kubectl, grow, calls } = growing(files);
    const { follower } = followerOf(kubectl, planOf({ abortOn: "error_rate>50% over 3s" }), 2);
    let stop: Awaited<ReturnType<NonNullable<typeof follower>["look"]>>;
    for (let look = 0; stop === undefined && look < 40; look += 1) {
      grow(1 / 37);
      stop = await follower?.look(STATE);
    }
    expect(stop).toMatchObject({ cause: "rule", expr: "error_rate>50% over 3s" });
    // Of two runners, and not of one: 20 arrivals per second each.
    expect(Number(/\((\d+) requests/.exec(stop?.reason ?? "")?.[1])).toBeGreaterThan(80);
    expect(calls.some((call) => call.includes("initializer"))).toBe(false);
    const starts = calls
      .filter((call) => call.includes("-1-x") && call.includes("records"))
      .map((call) => call.split(" ")[5]);
    expect(new Set(starts).size).toBeGreaterThan(3);
  });

  test("whose files are not there yet end nothing", async () => {
    const { kubectl } = growing({});
    const { follower } = followerOf(kubectl, planOf({ abortOn: "error_rate>50% over 3s" }), 2);
    expect(await follower?.look(STATE)).toBeUndefined();
  });

  test("write records that nobody reads where only a target that is gone ends the load", async () => {
    const { kubectl, calls, grow } = growing(filesOf("1", fails("0:1/2", 0)));
    grow(1);
    await followerOf(kubectl, planOf({}), 2).follower?.look(STATE);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter((call) => call.includes("records"))).toEqual([]);
  });

  test("are not followed without a condition, nor where they are too many, which is said", () => {
    const { kubectl } = growing({});
    expect(followerOf(kubectl, planOf({ abortWhenGone: "0" }), 2)).toEqual({ follower: undefined });
    expect(followerOf(kubectl, planOf({}), 51)).toMatchObject({
      notice: expect.stringMatching(/does not end this load: .* there are 51 \(50 at most\)$/),
    });
    expect(() => followerOf(kubectl, planOf({ abortOn: "ok<1 over 3s" }), 51)).toThrow(/^Cannot follow --abort-on/);
  });
});
