import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { sharedFolder } from '../support/shared-data.js';

/** Strings that are not in the public lists, or have a meaning only for this service. */
const own = [
  '\0', 'a\0b', '\ud800', '\udc00\ud83d', '\u202e\u0041', '\ufeff', '\uffff', '\u0001', '\u001b[31m', '\u2028', 'İ', 'ß', 'ﬀ', '\u0301', 'e\u0301\u0301\u0301', '👩‍👩‍👧‍👦',
  '2147483647', '2147483648', '-2147483649', '9007199254740993', '99999999999999999999', '1e400', '-0', '0x10', '1_000', '٣', '１', 'NaN', 'Infinity', 'true', 'null', 'undefined',
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', '$where', '${1+1}', '{{1}}', '#{1}', '%s%n', '%00', '..', '../..', '.', '/', '\\', ' ', '',
  "'", "''", '"', '""', '`', ';', '--', '/*', '*/', "'; DROP TABLE users; --", "' OR 1=1 --", '$$', '$1', ':a', '?', 'pg_sleep(10)', "SELECT pg_sleep(10)", 'users', 'public.users', 'pg_catalog.pg_user', 'mirror', 'upload_x',
  'MATCH (n) RETURN n', 'MATCH (n) DELETE n', 'RETURN 1', 'SUM(', 'SUM(a)', 'SUM(a) / SUM(b)', '((((((((((', '[', ']', '{', '}', '- a', 'a: &a [*a]', '华东', '销售额', 'ALFKI', 'Bearer x', 'gsk_a_b',
  'a'.repeat(64), 'a'.repeat(129), '图'.repeat(700), 'a'.repeat(5_000), '('.repeat(3_000), 'a '.repeat(3_000), '2026-02-30', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00+99:99', '0000-00-00', '999999-01-01', 'wait=5', 'wait=99999999999999999999', 'respond-async, wait=-1',
]; // prettier-ignore

/** All strings of BLNS, of fuzzdb and of `own`, without duplicates. */
export function naughtyStrings(): string[] {
  const blns = JSON.parse(readFileSync(path.join(sharedFolder, 'suites/blns/blns.json'), 'utf8')) as string[];
  const lists = filesUnder(path.join(sharedFolder, 'suites/fuzzdb/attack')).flatMap(file =>
    readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter(line => line !== ''),
  );
  return [...new Set([...own, ...blns, ...lists])];
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder)
    .map(name => path.join(folder, name))
    .flatMap(file => (statSync(file).isDirectory() ? filesUnder(file) : [file]))
    .sort();
}
