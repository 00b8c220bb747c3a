/** The manifests of a load as YAML. Pure. */

import { yaml } from "../../lib/yaml.ts";
import type { K8sPlan } from "./plan-k8s.ts";

/** The file that `kubectl apply -k` reads. */
const KUSTOMIZATION = "kustomization.yaml";

/** Files by name: one per object, and the kustomization that lists them. */
export function manifestFiles({ manifests }: K8sPlan): Readonly<Record<string, string>> {
  const { testRun, configMap, claim } = manifests;
  const objects = {
    "configmap.yaml": configMap,
    ...(claim && { "claim.yaml": claim }),
    "testrun.yaml": testRun,
  };
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: Object.keys(objects),
  };
  return Object.fromEntries(
    Object.entries({ ...objects, [KUSTOMIZATION]: kustomization }).map(([name, object]) => [name, yamlOf(object)]),
  );
}

/** All objects as one stream of documents, for `kubectl apply -f -`. */
export const manifestStream = ({ manifests: { testRun, configMap, claim } }: K8sPlan): string =>
  [configMap, ...(claim ? [claim] : []), testRun].map(yamlOf).join("---\n");

const yamlOf = (object: unknown): string => yaml().stringify(object, { lineWidth: 0 });
