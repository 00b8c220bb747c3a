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
  [/\b(?:is|are|was|were) (?:not |also )?said\b/i, "say who says it: the report lists …"],
  [/(?<!\b(?:nothing|records|steady) )\bof it(?=[.;:)]|$)/, "name the thing"],
  [/(?:^|[.:;] )Of (?:a|an|the|all|several|many|each|those|these|two|more)\b/, "the subject first"],
  [/(?:^|[.:;] )Where\b/, "If …"],
  [/\balso (?:where|when|if|of)\b/, "even if; including"],
  [/\bbut for\b/, "except"],
  [/\ball the same\b/, "anyway"],
  [/\b(?:came|comes|become|becomes) of\b/, "result"],
  [/\btold (?:of|by|from|apart)\b/, "known; distinguished"],
  [/, for (?:it|they|this (?:is|has|version)|a secret) /, "because"],
  [/\bat (?:most|least) (?:may|must) be\b/, "at most N may be"],
  [/\bto be (?:tried|called)[,;]/, "the highest load to try"],
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

/** The longest sentence of a page, in words. */
export const MOST_WORDS = 30;

/**
 * The sentences of a page that have more words than a reader holds, from the longest on. Cells and items of lists are read one by one; code and
 * the addresses of links are not words.
 */
export function longSentencesIn(page: string): string[] {
  const prose = page.replaceAll(/^ *```[\s\S]*?^ *```/gm, "\n\n").replaceAll(/\]\([^)]*\)/g, "]");
  return prose
    .split(/\n\s*\n|\n(?= *(?:[-|#>]|\d+\. ))/)
    .flatMap((block) => (/^\s*\|/.test(block) ? block.split(/\||; /) : [block]))
    .flatMap((text) => text.replaceAll(/`[^`]*`/g, "").split(/(?<=[.!?:](?:\*\*|["')])?)\s+(?![a-z])/))
    .filter((sentence) => (sentence.match(/\S*[a-z]\S*/gi) ?? []).length > MOST_WORDS)
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .toSorted((a, b) => b.length - a.length);
}
