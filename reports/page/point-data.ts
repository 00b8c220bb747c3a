/** Whole numbers as text that a page holds, and how its script reads them. */

/**
 * Numbers from -2⁵² to 2⁵² as base64 of seven bits per byte, the lowest first, each byte but the last of a number with its highest
 * bit set; the sign is the lowest bit.
 */
export function encodeIntegers(numbers: readonly number[]): string {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number < 0 ? -2 * number - 1 : 2 * number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString("base64");
}

/** The differences of neighbours, the first from 0: of numbers in order they are small. */
export const differencesOf = (numbers: readonly number[]): number[] =>
  numbers.map((number, index) => number - (numbers[index - 1] ?? 0));

/** The functions that read them, as a script. */
export const READ_INTEGERS = `
const readIntegers = (text) => {
  const bytes = atob(text);
  const numbers = [];
  let [number, unit] = [0, 1];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes.charCodeAt(at);
    number += (byte % 128) * unit;
    unit *= 128;
    if (byte < 128) {
      numbers.push(number % 2 ? -(number + 1) / 2 : number / 2);
      [number, unit] = [0, 1];
    }
  }
  return numbers;
};
const sumsOf = (numbers) => {
  let sum = 0;
  return numbers.map((number) => sum += number);
};
`;
