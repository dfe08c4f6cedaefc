// Measures requests per second of GET /auth/me against a bare Nest route on the same platform, in turns within one run.
import { fork } from 'node:child_process';
import autocannon from 'autocannon';
import { median, report, round } from './figures.mjs';

const seconds = 5;
const connections = 50;
const trials = 3;

export async function benchAuthMe(service, api) {
  const bare = await startBareNest();
  const rates = { ours: [], bare: [] };
  try {
    for (let trial = 0; trial < trials; trial++) {
      rates.bare.push(await load(bare.url, {}));
      rates.ours.push(await load(`${service.url}/api/auth/me`, { authorization: `Bearer ${api.token}` }));
    }
  } finally {
    bare.stop();
  }
  report('GET /auth/me', {
    unit: 'requests/s',
    value: round(median(rates.ours), 0),
    reference: 'bare Nest route',
    reference_value: round(median(rates.bare), 0),
    ratio: round(median(rates.ours) / median(rates.bare)),
  });
}

async function load(url, headers) {
  const result = await autocannon({ url, headers, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`);
  return result.requests.average;
}

/** @param adapter `ours`, or nothing for Nest's own */
export async function startBareNest(...adapter) {
  const child = fork(new URL('./bare-nest.mjs', import.meta.url), adapter);
  const port = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', code => reject(new Error(`The bare server exited with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.kill() };
}
