/** Writing XML 1.0 that is well formed whatever the text. */

// Everything that is not a Char of XML 1.0 (section 2.2), lone surrogates included.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Text for an element or an attribute; what XML cannot hold becomes the replacement character. */
export const xmlText = (text: string): string =>
  text.replace(NOT_XML, "\ufffd").replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? character);

/** An element with attributes; children are XML already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: string[] = [],
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(String(value))}"`);
  const open = `<${name}${written.join("")}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join("")}</${name}>`;
}

export interface TestCase {
  readonly group: string;
  readonly name: string;
  /** Absent: passed. */
  readonly problem?: {
    readonly kind: "failure" | "error" | "skipped";
    readonly message: string;
    /** More about it, on several lines. */
    readonly details?: string;
  };
  /** Output of a case that passed. */
  readonly output?: string;
}

/** JUnit XML of one suite, as CI systems read it. */
export function junit(suite: string, timestamp: string, cases: readonly TestCase[]): string {
  const count = (kind: string) => cases.filter(({ problem }) => problem?.kind === kind).length;
  const totals = { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
  const written = cases.map(({ group, name, problem, output }) => {
    const children = [
      ...(problem
        ? [element(problem.kind, { message: problem.message }, problem.details ? [xmlText(problem.details)] : [])]
        : []),
      ...(output ? [element("system-out", {}, [xmlText(output)])] : []),
    ];
    return `    ${element("testcase", { classname: group, name }, children)}`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${totals.tests}" failures="${totals.failures}" errors="${totals.errors}">`,
    `  <testsuite name="${xmlText(suite)}" timestamp="${xmlText(timestamp)}" tests="${totals.tests}" failures="${totals.failures}" errors="${totals.errors}" skipped="${totals.skipped}">`,
    ...written,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
