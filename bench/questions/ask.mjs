// Asks a question through REST, without stored answers, and classifies the outcome.
import { quantile, round, timed } from '../figures.mjs';

/** The `timeout_ms` of each question: a real caller would not wait longer. */
const timeoutMs = 20_000;

/**
 * @returns `outcome`: `answered`, `refused` (the service says that it cannot answer), `ambiguous` (it asks back with choices) or `failed`
 *   (5xx), with the body and the milliseconds
 */
export async function ask(service, api, graph, question, more = {}) {
  const body = JSON.stringify({ question, cache: 'refresh', include: ['plan'], limit: 10_000, timeout_ms: timeoutMs, ...more });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${api.token}` };
  const { ms, result } = await timed(async () => {
    const response = await fetch(`${service.url}/api/graphs/${graph}/query`, { method: 'POST', headers, body });
    return { status: response.status, answer: await response.json() };
  });
  return { ms, outcome: outcomeOf(result), answer: result.answer };
}

function outcomeOf({ status, answer }) {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  if (answer.status !== 'succeeded') return answer.status;
  return answer.plan?.kind === 'search' ? 'refused' : 'answered';
}

export function timesOf(times) {
  return { mean_ms: round(times.reduce((sum, ms) => sum + ms, 0) / times.length, 1), p99_ms: round(quantile(times, 0.99), 1) };
}

/** The texts by which an answer may name a value: the display name and the key of a node, else the value itself. */
export function namesOf(value) {
  if (value === null || typeof value !== 'object') return [value === null ? 'null' : String(value)];
  return [value.display, value.key].filter(name => name !== undefined && name !== null).map(String);
}
