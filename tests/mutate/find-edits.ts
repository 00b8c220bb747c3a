/** All places of a source file in which a fault can be planted. Pure. */

import ts from "typescript";
import type { Edit } from "./fault.ts";

/** Flipped: true becomes false and false true, whatever is compared. */
const FLIPPED: Readonly<Record<string, string>> = {
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
};

const OPPOSITES: Readonly<Record<string, string>> = { true: "false", false: "true" };

/** A number and one more, or the other of true and false. */
const changed = (constant: string): string =>
  OPPOSITES[constant] ?? String(Number((Number(constant.replaceAll("_", "")) + 1).toPrecision(15)));

export const editsOf = (file: string, text: string): Edit[] =>
  file.endsWith(".go") ? editsOfGo(text) : editsOfTypeScript(file, text);

function editsOfTypeScript(file: string, text: string): Edit[] {
  const edits: Edit[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const add = (kind: Edit["kind"], node: ts.Node, becomes: string): void => {
    edits.push({ kind, start: node.getStart(source), end: node.getEnd(), text: becomes });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const flipped = FLIPPED[node.operatorToken.getText(source)];
      if (flipped !== undefined) add("comparison", node.operatorToken, flipped);
    }
    if (isDroppable(node)) add("dropped line", node, ";");
    if (isConstant(node)) add("constant", node, changed(ts.isNumericLiteral(node) ? node.text : node.getText(source)));
    if (isFunctionWithBody(node) && node.body.statements.length > 1) {
      const start = node.body.getStart(source) + 1;
      const becomes = file.endsWith(".ts") ? " return undefined as never;" : " return;";
      edits.push({ kind: "early return", start, end: start, text: becomes });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return edits;
}

const isDroppable = (node: ts.Node): boolean =>
  ts.isExpressionStatement(node) &&
  !ts.isStringLiteral(node.expression) &&
  !(ts.isCallExpression(node.expression) && node.expression.expression.kind === ts.SyntaxKind.SuperKeyword);

/** A number, true or false that is a value; not the name of a property, and not the default of `??`, which is rarely used. */
function isConstant(node: ts.Node): boolean {
  const { parent } = node;
  const isLiteral =
    ts.isNumericLiteral(node) || node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword;
  if (!isLiteral || (ts.isPropertyAssignment(parent) && parent.name === node)) return false;
  return !ts.isBinaryExpression(parent) || parent.operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken;
}

const isFunctionWithBody = (node: ts.Node): node is ts.FunctionLikeDeclaration & { readonly body: ts.Block } =>
  (ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node)) &&
  node.body !== undefined &&
  ts.isBlock(node.body);

const spaces = (text: string): string => text.replace(/[^\n]/g, " ");

/** In code formatted by gofmt. What does not compile is left to the compiler. */
function editsOfGo(text: string): Edit[] {
  const code = text.replace(/\/\/.*|\/\*[\s\S]*?\*\/|`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'/g, spaces);
  const all = (pattern: RegExp): { start: number; match: string }[] =>
    [...code.matchAll(pattern)].map(({ 0: match, index: start }) => ({ start, match }));
  return [
    ...all(/(?<= )(?:[=!<>]=|[<>])(?= )/g).map(({ start, match }) => ({
      kind: "comparison" as const,
      start,
      end: start + match.length,
      text: FLIPPED[match] ?? match,
    })),
    ...all(/(?<=^\t+)(?:\w[\w.]*\(.*\)|[\w.*[\]]+(?: [-+*/|&]?= .*[^{(,\s]|\+\+|--))$/gm)
      .filter(({ match }) => match.split("(").length === match.split(")").length)
      .map(({ start, match }) => ({ kind: "dropped line" as const, start, end: start + match.length, text: "" })),
    ...all(/(?<![\w.])(?:\d[\d_]*(?:\.\d+)?|true|false)(?![\w.])/g).map(({ start, match }) => ({
      kind: "constant" as const,
      start,
      end: start + match.length,
      text: changed(match),
    })),
    ...all(/^func .*\{(?=\n.*\n(?!\}))/gm).map(({ start, match }) => ({
      kind: "early return" as const,
      start: start + match.length,
      end: start + match.length,
      text: ` return ${zerosOf(match)}`.trimEnd(),
    })),
  ];
}

/** The zero values of what a function returns; nothing when its results have names. */
function zerosOf(declaration: string): string {
  const results = /^func (?:\([^)]*\) )?\w+(?:\[[^\]]*\])?\((?:[^()]|\([^)]*\))*\) ?(.*?) ?\{$/.exec(declaration)?.[1];
  if (!results || /^\(\w+ /.test(results)) return "";
  const types = results.startsWith("(") ? results.slice(1, -1).split(", ") : [results];
  return types.map((type) => `*new(${type})`).join(", ");
}
