/** A line of arithmetic as pages write it: numbers, `+`, `-`, `×`, `/` and parentheses. */

/**
 * Its value.
 * @throws Error for anything else
 */
export function evaluate(text: string): number {
  const tokens = text.match(/[\d.]+|\S/g) ?? [];
  const next = (): string => tokens.shift() ?? "the end";
  const chain =
    (operand: () => number, operators: Readonly<Record<string, (a: number, b: number) => number>>) => () => {
      let value = operand();
      for (let apply = operators[tokens[0] ?? ""]; apply !== undefined; apply = operators[tokens[0] ?? ""]) {
        tokens.shift();
        value = apply(value, operand());
      }
      return value;
    };
  const operand = (): number => {
    const token = next();
    if (token !== "(") return number(token, text);
    const value = sum();
    if (next() !== ")") throw new Error(`"${text}" lacks a )`);
    return value;
  };
  const product = chain(operand, { "×": (a, b) => a * b, "/": (a, b) => a / b });
  const sum = chain(product, { "+": (a, b) => a + b, "-": (a, b) => a - b });
  const value = sum();
  if (tokens.length > 0) throw new Error(`"${text}" goes on after its end: ${tokens.join(" ")}`);
  return value;
}

function number(token: string, text: string): number {
  if (!/^\d+(\.\d+)?$/.test(token)) throw new Error(`"${text}" has ${token} in place of a number`);
  return Number(token);
}
