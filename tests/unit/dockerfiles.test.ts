/** What holds for the images, as far as their Dockerfiles say. Their steps are carried out by tests/system/images.test.ts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/supply-chain/components.ts";
import { stagesOf } from "../support/dockerfile.ts";

describe.each(["Dockerfile", "Dockerfile.cli"])("the image of %s", (name) => {
  const text = readFileSync(join(ROOT, name), "utf8");
  const stages = stagesOf(text);
  const image = stages.at(-1);
  const steps = (kind: string) => image?.steps.filter((step) => step.kind === kind).map((step) => step.text) ?? [];

  test("is built on exact versions of other images, which arguments replace by ones with a digest", () => {
    expect(stages.length).toBeGreaterThan(1);
    for (const { from } of stages) expect(from).toMatch(/^[a-z]+:\d+\.\d+\.\d+(-[a-z]+)?$/);
    for (const [line] of text.matchAll(/^FROM .*/gm))
      expect(line).toMatch(/^FROM (--platform=\$BUILDPLATFORM )?\$\{\w+\}/);
  });

  test("runs as a user without rights, and runs nothing while it is made", () => {
    expect(steps("USER")).toEqual(["12345:12345"]);
    expect(steps("RUN")).toEqual([]);
    expect(steps("ADD")).toEqual([]);
  });

  test("is for the platform that is asked for: Go compiles for it", () => {
    const compiling = stages.filter(({ steps: all }) => all.some(({ text: step }) => step.includes("go build")));
    expect(compiling).toHaveLength(1);
    for (const { steps: all } of compiling) {
      expect(all.filter(({ kind }) => kind === "ARG").map(({ text: arg }) => arg)).toEqual(["TARGETOS", "TARGETARCH"]);
      expect(all.some(({ text: step }) => step.includes('GOOS="$TARGETOS" GOARCH="$TARGETARCH"'))).toBe(true);
    }
  });

  test("takes no secret", () => {
    expect(text).not.toMatch(/^(?:ARG|ENV).*(?:KEY|TOKEN|SECRET|PASSWORD)/m);
  });
});

test("both images are built from the Go that the extension is tested with, or a later patch of it", () => {
  const [, minimum = ""] = /^go (\d+\.\d+)/m.exec(readFileSync(join(ROOT, "scenarios/extension/go.mod"), "utf8")) ?? [];
  for (const name of ["Dockerfile", "Dockerfile.cli"]) {
    expect(readFileSync(join(ROOT, name), "utf8")).toContain(`GO_IMAGE=golang:${minimum}.`);
  }
});
