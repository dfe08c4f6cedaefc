/**
 * Loaded into a service before its own modules. Appends each statement that may hold SQL of somebody else to the file that this module's
 * address names, for statement-check.ts.
 */
import { appendFileSync } from 'node:fs';
import pg from 'pg';

const file = new URL(import.meta.url).searchParams.get('to');
const { query } = pg.Client.prototype;
const noted = new Set();

pg.Client.prototype.query = function (...call) {
  const [config] = call;
  if (config?.queryMode === 'extended' && !noted.has(config.text)) {
    noted.add(config.text);
    appendFileSync(file, `${JSON.stringify(config.text)}\n`);
  }
  return query.apply(this, call);
};
