/**
 * Loaded into a service before the service's own modules, for statement-check.ts. Appends each statement that may contain SQL of a user to
 * the file that `?to=` in this module's URL names.
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
