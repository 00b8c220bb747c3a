/** Where the runners of a run keep their results until they are collected. Pure. */

/** The volume of the results in the pod of a runner. */
export const RESULTS = "results";

/**
 * A claim that all runners mount; or one of each runner's own, which Kubernetes makes with its pod and deletes with it (a generic
 * ephemeral volume): for storage that one node at a time can mount, as block storage.
 */
export type Kept = { readonly claim: string } | "a claim of each";

/** A volume of a runner, as a manifest or a cluster has it. */
interface FoundVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
  readonly ephemeral?: unknown;
}

/** Where the runners of a TestRun keep their results, whoever wrote it; undefined when it does not say. */
export function keptIn(volumes: readonly FoundVolume[]): Kept | undefined {
  if (volumes.some(({ name, ephemeral }) => name === RESULTS && ephemeral !== undefined)) return "a claim of each";
  const [claim] = volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  return claim === undefined ? undefined : { claim };
}

/** The name that Kubernetes gives to the own claim of a pod. */
export const ownClaimOf = (pod: string): string => `${pod}-${RESULTS}`;
