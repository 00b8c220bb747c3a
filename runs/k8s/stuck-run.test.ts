import { describe, expect, test } from "vitest";
import { foundItems, foundTestRun, stateOf } from "./cluster-state.ts";
import { changesBetween } from "./state-lines.ts";
import { stuckBeforeStart, whyNotEnded, whyNotStarted } from "./stuck-run.ts";

const NAME = "a-run";

interface Container {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason?: string };
}

/** A pod as Kubernetes describes it. */
const pod = (job: string, phase: string, container: Container = {}, more: object = {}) => ({
  kind: "Pod",
  metadata: { name: `${NAME}-${job}-x7c2k`, labels: { "batch.kubernetes.io/job-name": `${NAME}-${job}` } },
  status: { phase, containerStatuses: [{ name: "k6", ready: false, state: container }], ...more },
});
const job = (name: string) => ({ kind: "Job", metadata: { name: `${NAME}-${name}`, labels: {} }, status: {} });
const running = (number: string) => pod(number, "Running");
const waiting = (name: string, reason: string, message = "") => pod(name, "Pending", { waiting: { reason, message } });

const at = (stage: string, ...items: readonly object[]) =>
  stateOf(
    NAME,
    foundTestRun.parse({ spec: { parallelism: 3, runner: {} }, status: { stage, conditions: [] } }),
    foundItems.parse({ items }).items,
  );

const noSecret = ["1", "2", "3"].map((number) =>
  waiting(number, "CreateContainerConfigError", 'secret "keys" not found'),
);

const unschedulable = {
  conditions: [
    {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/2 nodes are available: 2 Insufficient cpu.",
    },
  ],
  containerStatuses: [],
};

const unbound = (message: string) =>
  pod("3", "Pending", {}, { conditions: [{ ...unschedulable.conditions[0], message }], containerStatuses: [] });

describe("a run that does not start", () => {
  /** What is said, with what to look at. */
  const toldOf = ({ sentence, look }: { readonly sentence: string; readonly look?: string }): string =>
    look === undefined ? sentence : `${sentence}. See ${look}`;

  test.each([
    [
      "whose initializer cannot read the load",
      at("error", pod("initializer", "Failed", { terminated: { exitCode: 107, reason: "Error" } })),
      /^k6 in the image cannot read the load: the initializer ended with exit code 107\. Check .*--image.* kubectl logs a-run-initializer-x7c2k$/,
    ],
    [
      "with more runners than virtual users",
      at("error", pod("initializer", "Succeeded", { terminated: { exitCode: 0, reason: "Completed" } })),
      /^k6-operator refused the TestRun and says why in its own log only: kubectl logs -n k6-operator-system .*a-run$/,
    ],
    [
      "whose runner died before the start",
      at(
        "created",
        running("1"),
        pod("2", "Failed", { terminated: { exitCode: 137, reason: "OOMKilled" } }),
        running("3"),
      ),
      /^runner 2 ended with exit code 137, OOMKilled before the start, for which k6-operator waits for ever\. .*resources in --patch/,
    ],
    [
      "whose runner ended with an error of the load",
      at("created", pod("1", "Failed", { terminated: { exitCode: 107, reason: "Error" } })),
      /^runner 1 ended with exit code 107 before the start.* See kubectl logs a-run-1-x7c2k$/,
    ],
  ])("%s is known at once", (_, state, sentence) => {
    const stuck = stuckBeforeStart(state, NAME);
    expect(stuck?.when).toBe("now");
    expect(stuck && toldOf(stuck)).toMatch(sentence);
  });

  test("since its TestRun was deleted is known at once", () => {
    expect(stuckBeforeStart(stateOf(NAME, undefined, []), NAME)).toMatchObject({ when: "now" });
  });

  test.each([
    [
      "without its Secret",
      at("created", ...noSecret),
      /^runners 1 to 3 cannot start \(waiting, CreateContainerConfigError: secret "keys" not found\)\. Create the Secret \(--key-secret\)/,
    ],
    [
      "whose initializer has no Secret",
      at("initialization", waiting("initializer", "CreateContainerConfigError", 'secret "keys" not found')),
      /^initializer cannot start .*Create the Secret/,
    ],
    [
      "whose starter cannot be pulled",
      at("started", running("1"), waiting("starter", "ImagePullBackOff")),
      /^the starter, which starts the runners, did not start \(waiting, ImagePullBackOff\)\. .*--starter-image/,
    ],
    [
      "whose starter is not admitted",
      at("started", running("1"), job("starter")),
      /^the namespace lets no pod be made for the starter.*pod security.* kubectl describe job a-run-starter$/,
    ],
    [
      "whose starter does not reach the runners",
      at("started", running("1"), pod("starter", "Failed", { terminated: { exitCode: 7, reason: "Error" } })),
      /^the starter ended with exit code 7, .*port 6565.*kubectl logs a-run-starter-x7c2k$/,
    ],
    [
      "whose claim is missing",
      at("created", unbound('persistentvolumeclaim "r" not found')),
      /--storage-class, or a claim that exists with --results-claim/,
    ],
    [
      "whose image is not there",
      at("initialization", waiting("initializer", "ImagePullBackOff")),
      /--image.*pull it \(imagePullSecrets in --patch\)$/,
    ],
  ])("%s is known soon", (_, state, sentence) => {
    const stuck = stuckBeforeStart(state, NAME);
    expect(stuck?.when).toBe("soon");
    expect(stuck && toldOf(stuck)).toMatch(sentence);
    expect(toldOf(whyNotStarted(state, NAME))).toMatch(sentence);
  });

  test.each([
    [
      "that nobody looks at",
      at(""),
      /^k6-operator has not looked at the TestRun\. Check that it is installed and runs/,
    ],
    [
      "whose initializer hangs",
      at("initialization", pod("initializer", "Running")),
      /kubectl logs -l job-name=a-run-initializer$/,
    ],
    ["whose Jobs cannot be made", at("initialized"), /^k6-operator cannot create the runners: .*--run-name/],
    [
      "without nodes for all runners",
      at("created", running("1"), running("2"), pod("3", "Pending", {}, unschedulable)),
      /^runner 3 did not start \(waiting, Unschedulable: 0\/2 nodes are available: 2 Insufficient cpu\.\)\. Use fewer runners .*--share-nodes/,
    ],
    ...["pod has unbound immediate PersistentVolumeClaims.", "running PreBind: binding volumes: context deadline"].map(
      (message): [string, ReturnType<typeof at>, RegExp] => [
        `whose claim has no volume yet (${message})`,
        at("created", unbound(message)),
        /ReadWriteMany.*--storage-class/,
      ],
    ),
    [
      "whose claim is not bound",
      at("created", waiting("1", "ContainerCreating")),
      /kubectl get pvc.*ReadWriteMany; .* See kubectl describe pod a-run-1-x7c2k$/,
    ],
    [
      "whose namespace allows no pods",
      at("created", running("1"), job("2")),
      /^the namespace lets no pod be made for runner 2 .* kubectl describe job a-run-2$/,
    ],
    [
      "whose runners are not reached",
      at("created", running("1"), running("2"), running("3")),
      /port 6565.*NetworkPolicy/,
    ],
  ])("%s may still start, and is explained once it took too long", (_, state, sentence) => {
    expect(stuckBeforeStart(state, NAME)).toBeUndefined();
    expect(toldOf(whyNotStarted(state, NAME))).toMatch(sentence);
  });
});

test("a run that does not end names the runners that go on", () => {
  const ended = pod("2", "Succeeded", { terminated: { exitCode: 0 } });
  expect(whyNotEnded(at("started", running("1"), ended, running("3")))).toBe("runners 1, 3 still run");
  expect(whyNotEnded(at("started", ended, running("10")))).toBe("runner 10 still runs");
});

test("every change is a line, and runners in the same state share one", () => {
  const states = [
    at(""),
    at(
      "created",
      pod("initializer", "Succeeded", { terminated: { exitCode: 0 } }),
      running("1"),
      job("2"),
      running("3"),
    ),
    at(
      "started",
      pod("initializer", "Succeeded", { terminated: { exitCode: 0 } }),
      running("1"),
      running("2"),
      running("3"),
    ),
    at("started", running("1"), pod("2", "Failed", {}, { reason: "Evicted" }), running("3")),
  ];
  expect(states.map((state, index) => changesBetween(states[index - 1], state))).toEqual([
    ["TestRun: applied"],
    ["TestRun: created", "runners 1, 3: running", "runner 2: has no pod yet", "initializer: ended with exit code 0"],
    ["TestRun: started", "runner 2: running"],
    ["runner 2: ended, Evicted"],
  ]);
});
