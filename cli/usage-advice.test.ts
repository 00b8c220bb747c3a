import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "./program.ts";
import { callOf, EXAMPLES } from "./usage-advice.ts";

test("every command that needs an argument has an example of it", async () => {
  const within = (command: Command): Command[] => [command, ...command.commands.flatMap(within)];
  const needing = within(await buildProgram()).filter((command) =>
    command.registeredArguments.some(({ required }) => required),
  );
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(needing.map(callOf).toSorted());
});
