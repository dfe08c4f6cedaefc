import { mulberry32 } from '../../../../test/support/seeded.js';
import { isLong } from '../../../../test/support/tier.js';
import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { SchemaError } from '../../../common/errors/api-error.js';
import { loadNdjson } from './load-ndjson.js';

describe('loadNdjson', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  it('loads what an independent reader of JSON makes of random rows', async () => {
    const random = mulberry32(20_261_122);
    const tableCount = isLong ? 500 : 60;
    let compared = 0;
    for (let table = 0; table < tableCount; table++) {
      const lines = randomLines(random);
      // Blocks of one line let every new key and every widening happen late, when rows are already stored.
      const sizes = table % 2 === 0 ? { sample: 1, block: 1 } : undefined;
      const file = `${lines.join('\n').replaceAll('\u00a6', ', ').replaceAll('\u00a7', ':')}\n`;
      const bytes = inPieces(Buffer.from(file), sizes ? 7 : 65_536);
      const read = tables.load({ format: 'ndjson' }, target => loadNdjson(bytes, { nullMarker: null, renames: false }, target, sizes));
      const loaded = await read.catch((error: unknown) => {
        // A value that widens a column to text may be refused, because the spelling of stored values is lost.
        if (sizes && error instanceof SchemaError && error.problems[0]!.type === 'ndjson_type_conflict') return null;
        throw error;
      });
      if (!loaded) continue;
      compared++;
      const rows = lines.filter(line => line.trim() !== '').map(readExactly);
      const names = [...new Set(rows.flatMap(row => [...row.keys()]))];
      expect(loaded.columns.map(({ name }) => name)).toEqual(names);
      for (const [index, name] of names.entries()) {
        const values = rows.map(row => row.get(name) ?? null);
        const type = typeOf(values);
        expect([lines, name, loaded.columns[index]!.type]).toEqual([lines, name, type]);
        const texts = loaded.texts.map(row => row[index]!);
        const { rows: same } = await tables.client.query<{ same: boolean }>(
          `SELECT bool_and(found IS NOT DISTINCT FROM wanted::${type}::text) AS same
           FROM unnest($1::text[], $2::text[]) AS t(found, wanted)`,
          [texts, values.map(value => textOf(value, type))],
        );
        expect([lines, name, texts, same[0]!.same]).toEqual([lines, name, texts, true]);
      }
    }
    expect(compared).toBeGreaterThan(tableCount * 0.6);
  });
});

/** A JSON value, and its spelling in the file. */
interface Exact {
  raw: string;
  value: unknown;
}

/**
 * Reads a row without the loader's code. \u00a6 and \u00a7 mark the commas and colons of the row (see `randomLines`), JSON.parse reads each
 * value, and `raw` keeps numbers exact.
 */
function readExactly(line: string): Map<string, Exact | null> {
  const members = line.trim().slice(1, -1);
  if (members === '') return new Map();
  return new Map(
    members.split('\u00a6').map(member => {
      const colon = member.indexOf('\u00a7');
      const raw = member.slice(colon + 1);
      return [JSON.parse(member.slice(0, colon)) as string, raw === 'null' ? null : { raw, value: JSON.parse(raw) as unknown }];
    }),
  );
}

function typeOf(values: (Exact | null)[]): string {
  const types = new Set(values.filter(value => value !== null).map(typeOfOne));
  const only = (...allowed: string[]) => [...types].every(type => allowed.includes(type));
  const has = (type: string) => types.has(type);
  if (types.size === 0) return 'text';
  if (types.size === 1) return has('[]') ? 'text[]' : [...types][0]!;
  if (only('integer', 'bigint')) return 'bigint';
  if (only('integer', 'bigint', 'numeric')) return 'numeric';
  if (only('date', 'timestamp')) return 'timestamp';
  if (only('[]', 'text[]')) return 'text[]';
  if (only('[]', 'integer[]')) return 'integer[]';
  return only('[]', 'text[]', 'integer[]', 'jsonb') ? 'jsonb' : 'text';
}

function typeOfOne({ raw, value }: Exact): string {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') {
    if (!/^-?\d+$/.test(raw)) return 'numeric';
    const whole = BigInt(raw);
    if (whole === BigInt.asIntN(32, whole)) return 'integer';
    return whole === BigInt.asIntN(64, whole) ? 'bigint' : 'numeric';
  }
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return value.endsWith('02-30') ? 'text' : 'date';
    if (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d$/.test(value)) return 'timestamp';
    return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value) ? 'timestamptz' : 'text';
  }
  if (!Array.isArray(value)) return 'jsonb';
  const items = value.filter(item => item !== null);
  if (items.length === 0) return '[]';
  if (items.every(item => typeof item === 'string')) return 'text[]';
  return items.every(item => Number.isInteger(item) && item === (item | 0)) && !/[.eE]/.test(raw) ? 'integer[]' : 'jsonb';
}

/** The text that PostgreSQL reads as the value. */
function textOf(value: Exact | null, type: string): string | null {
  if (value === null) return null;
  if (type.endsWith('[]')) {
    const items = (value.value as (string | number | null)[]).map(item =>
      item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`,
    );
    return `{${items.join(',')}}`;
  }
  return typeof value.value === 'string' ? value.value : value.raw;
}

/**
 * Random rows, in which \u00a6 stands for each top-level comma and \u00a7 for each top-level colon. Both are replaced before the loader
 * reads them.
 */
function randomLines(random: () => number): string[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const scalars: (() => string)[] = [
    () => pick(['0', '7', '-12', '2147483647', '-2147483648']),
    () => pick(['2147483648', '9007199254740993', '-9223372036854775808']),
    () => pick(['1.50', '-0.25', '92233720368547758070', '1e3', '2.5E-3', '0.0']),
    () => pick(['true', 'false']),
    () => pick(['"2024-02-29"', '"1999-12-31"']),
    () => pick(['"2024-02-29 10:00:00"', '"2024-02-29T23:59:59"']),
    () => pick(['"2024-02-29T10:00:00Z"', '"2024-02-29 10:00:00+02:00"']),
    () => pick(['"x"', '""', '"\\n\\t\\\\"', '"\\u00e9\\ud83d\\ude00"', '"\\\\N"', '"a\\"b"', '"2024-02-30"', '"12"', '"NULL"', '"{a}"', '"中文"']),
  ]; // prettier-ignore
  const list = (item: () => string) => `[${Array.from({ length: Math.floor(random() * 4) }, item).join(', ')}]`;
  const nested: (() => string)[] = [
    () => list(() => pick(['1', '-5', 'null', '2147483647'])),
    () => list(() => pick(['"a"', '"b,c"', '"\\""', 'null', '"\\u4e2d"', '""', '"NULL"', '"\\\\"'])),
    () => list(() => pick(scalars)()),
    () => pick(['{}', '{"a": 1.10}', '{"a": {"b": [null, "\\u00e9\\\\"]}}', '[[1], [2]]', '[{"x": 1}]', '[2147483648]', '[1.5]']),
  ];
  const all = [...scalars, ...nested];
  const columns = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) => {
    const kinds = random() < 0.5 ? [pick(all)] : [pick(all), pick(all)];
    return { name: JSON.stringify(pick(['a', 'é', 'A', 'a"b', 'a\\b', '中']) + index), kinds };
  });
  return Array.from({ length: 1 + Math.floor(random() * 12) }, (_, row) => {
    if (row > 0 && random() < 0.05) return '';
    const members = columns
      .filter(() => row === 0 || random() < 0.8)
      .map(({ name, kinds }) => `${name}\u00a7${random() < 0.1 ? 'null' : pick(kinds)()}`);
    return `{${(random() < 0.2 ? members.reverse() : members).join('\u00a6')}}`;
  });
}
