/** Words and turns of phrase that texts for users avoid, each with what to write in its place. */

import ts from "typescript";

export const REFUSED: readonly (readonly [refused: RegExp, write: string])[] = [
  [/\bunits? of work\b/i, "requests (tasks for videos)"],
  [/\barrivals? (?:(?:that )?(?:is|was|were) )?due\b/i, "scheduled"],
  [/\bthe run is CLIENT-LIMITED\b/, "load generator too slow: timings not usable"],
  [/\bcan be late by as much\b/, "may be up to N ms too long"],
  [/\bwoke late\b/, "timer wake-ups were late"],
  [/\bwhose number decides\b/, "from N requests"],
  [/\bnot defined without\b/, "needs …"],
  [/\bdefines goodput\b/, "used for goodput"],
  [/\btokens, at most\b/i, "max_tokens"],
  [/\d\w* of warm-up\b/, "(warm-up 3 s)"],
  [/\b(?:assistant|by itself|these) alone\b/, "only"],
  [/\bsays? nothing (?:of|about|against)\b/, "say what it means"],
  [/\b[Aa]s the target tells\b/, "reported by the target"],
  [/\btells? of (?:it|them)sel/, "reports"],
  [/\btarget's own metrics\b/, "target metrics"],
  [/\brefused every request that it answered\b/, "every request was rejected"],
  [/\bwith something else\b/, "not a JSON object"],
  [/\baccepted one without\b/, "accepted a request with an invalid key"],
  [/\bof another \w+ than\b/, "a … other than"],
  [/\b1 (?:warnings|requests|tasks|failures|clauses)\b/, "plurals"],
  [/\brequests passed on\b/, "forwarded"],
  [/\bon (?:their|its) way\b/, "in progress"],
  [/\bthat take a probe\b/, "not checkable from traffic"],
  [/\bno poll reported the task\b/, "the task finished before any poll saw it"],
  [/(?<!each )\bof which\b/, "a sentence of its own"],
  [/\bnothing is known of\b/, "no … found"],
  [/\btimes as much data would tell\b/, "needs about N times more data"],
  [/\btoo noisy to say\b/, "inconclusive"],
  [/\bthat follow each other\b/, "consecutive"],
  [/\bnothing is named\b/, "name a …"],
  [/(?<!there )\b(?:is|are|be) none\b/, "is not one"],
  [
    /(?<!there )\b(?:is|was|are) no (?:\w+ )?(?:port|point|workload|setting|file|list|verdict|fault|failure|error|scenario|number)\b/,
    "is not a …",
  ],
  [/\bto the way of\b/, "per chunk"],
  [/\bso (?:many|few)\b/, "N"],
  [/\b(?:can|could|cannot|could not) bear\b|\bit bears\b/, "sustain"],
  [/\bas long as any\b/, "as long as the longest"],
  [/\b[Ss]earches for the highest load\b/, "finding the highest rate"],
  [/\bruns? that (?:is|are) lost\b/, "a failing run"],
  [/\btarget (?:that )?(?:is|was) gone\b/, "unreachable"],
  [/\bholds? an? (?:sample|share)\b/, "checks a sample"],
  [/\bstands between\b/, "is a proxy between"],
  [/\bg(?:ive|ives|ave|iven|iving) up\b/, "cancel"],
  [/\bgo(?:es|ing)? on with\b/, "resume"],
  [/\b[Bb]esides?\b/, "in addition to; next to"],
  [/\bin case that\b/, "if"],
  [/\bbear (?:that|this|it) out\b/, "confirm"],
  [/\btraffic of others\b/, "recorded traffic"],
  [/\bcame to\b/, "verdict; result"],
  [/\bhow far apart\b/, "resolution"],
  [/\b(?:compressed|slower)-answers\b/, "…-responses"],
  [/\bstrangers?\b/, "a third party"],
];

/** The texts of a file of TypeScript or JavaScript: its strings and templates, without comments and names of modules. */
export function textsOf(code: string): string[] {
  const source = ts.createSourceFile("code.ts", code, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      texts.push([node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join("…"));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** What a text should not say, with the words around it. */
export function refusedIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    REFUSED.flatMap(([refused, write]) => {
      const found = refused.exec(text);
      if (found === null) return [];
      const around = text.slice(Math.max(0, found.index - 40), found.index + 60).replaceAll(/\s+/g, " ");
      return [`"${found[0]}" in "${around}"; write: ${write}`];
    }),
  );
}
