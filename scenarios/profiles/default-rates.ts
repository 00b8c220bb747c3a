/** How hard each scenario loads a target about which nothing was said. Pure. */

/** Arrivals a second when neither `rate` nor `vus` is set: gentle, and rare where a request may cost real money. */
export const DEFAULT_RATES = {
  "chat-stream": 5,
  chat: 5,
  embeddings: 5,
  video: 0.2,
  mixed: 5,
} as const satisfies Readonly<Record<string, number>>;

/** The default of a user's own scenario. */
const OWN_RATE = 1;

/** Arrivals a second of a scenario when neither `rate` nor `vus` is set. */
export function defaultRate(scenario: string): number {
  const rates: Readonly<Record<string, number>> = DEFAULT_RATES;
  return (Object.hasOwn(rates, scenario) ? rates[scenario] : undefined) ?? OWN_RATE;
}
