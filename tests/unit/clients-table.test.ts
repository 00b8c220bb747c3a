/** The table about the official clients has every clause of the compatible interface, and each fault that it must detect. */

import { expect, test } from "vitest";
import { loadClauses } from "../../conformance/engine/load-clauses.ts";
import { clientsTable } from "../support/pages/clients-table.ts";

test("the page has a row for each fault of each compatible clause, and no other", async () => {
  const clauses = await loadClauses();
  const expected = clauses
    .filter(({ level }) => level === "compatible")
    .flatMap(({ id, provenBy }) => provenBy.map((fault) => `${id} ${fault}`));
  expect(
    clientsTable()
      .map(({ clause, fault }) => `${clause} ${fault}`)
      .toSorted(),
  ).toEqual(expected.toSorted());
});
