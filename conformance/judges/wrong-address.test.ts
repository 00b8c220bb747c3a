import { expect, test } from "vitest";
import { answering } from "../../tests/support/targets/answering.ts";
import { foreignResponse } from "./wrong-address.ts";

test.each([404, 405, 501])(
  "a path or method that a server does not know, as %i says, is not one of the service",
  (status) => {
    expect(foreignResponse(answering("", status))).toBe(`the target returned ${status} with an empty body`);
  },
);

test.each([200, 400, 401, 500, 502, 503])("a response with %i may be of the service", (status) => {
  expect(foreignResponse(answering({ error: "no" }, status))).toBeUndefined();
});
