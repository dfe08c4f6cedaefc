import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { Dice } from '../../../../test/support/dice.js';
import { isLong } from '../../../../test/support/tier.js';
import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { SchemaError } from '../../../common/errors/api-error.js';
import { type CsvFormat, loadCsv } from './load-csv.js';

interface Options {
  chunk: number;
  sizes?: { sample: number; block: number } | undefined;
  types?: Record<string, string>;
}

/** Blocks of one record, so that every widening happens late, when rows are already stored. */
const oneByOne = { sample: 1, block: 1 };

describe('loadCsv against COPY of PostgreSQL', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  const load = (csv: string, columns: string[], { chunk, sizes, types = {} }: Options) => {
    const format: CsvFormat = {
      delimiter: 44,
      nullMarker: '',
      encoding: { asked: undefined, charset: undefined },
      columns,
      hasHeader: false,
      renames: false,
    };
    return tables.load({ format: 'csv', types: new Map(Object.entries(types)) }, target =>
      loadCsv(inPieces(Buffer.from(csv), chunk), format, target, sizes),
    );
  };

  const fields = [
    '',
    '""',
    'a',
    '"a"',
    '"a,b"',
    '"a""b"',
    '"x\ny"',
    '"\n"',
    '""""',
    ' ',
    '北京',
    '"é\r\n"',
    '1',
    '-20',
    '3.50',
    '2147483648',
    '01',
    '2024-02-29',
    '2024-01-01 10:00:00',
    'true',
    'false',
    '\\N',
    '\\.',
    "'",
    '"\\"',
    'a"b',
    '"a"b',
    '"open',
  ];

  function randomCsv(random: (below: number) => number, columns: number): string {
    const end = random(2) === 0 ? '\n' : '\r\n';
    // The last three fields make a file invalid. They are rare, so that most files can be loaded.
    const field = (): string => fields[random(30) === 0 ? fields.length - 1 - random(3) : random(fields.length - 3)]!;
    const lines = Array.from({ length: random(8) }, () =>
      Array.from({ length: random(60) === 0 ? columns + 1 : columns }, field).join(','),
    );
    // With several columns the loader skips a blank line, but COPY refuses it. So such files have none.
    return lines
      .filter(line => columns === 1 || line !== '')
      .map(line => line + end)
      .join('');
  }

  async function copyByPostgres(csv: string, columns: string[]): Promise<(string | null)[][] | null> {
    const table = tables.newTable();
    await tables.client.query(`CREATE TABLE mirror.${table} (${columns.map(name => `${name} text`).join(', ')})`);
    try {
      await pipeline(Readable.from([Buffer.from(csv)]), tables.client.query(from(`COPY mirror.${table} FROM STDIN (FORMAT csv)`)));
    } catch {
      return null;
    }
    return tables.textsOf(table, columns);
  }

  it('reads every random file as PostgreSQL does, typed or not, wherever it is cut', async () => {
    const { below: random } = new Dice(20261120);
    const rounds = isLong ? 200 : 30;
    let read = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const columns = Array.from({ length: 1 + random(3) }, (_, index) => `c${index}`);
      const csv = randomCsv(random, columns.length);
      const expected = csv === '' ? [] : await copyByPostgres(csv, columns);
      const chunk = 1 + random(9);
      const typed = await load(csv, columns, { chunk, sizes: random(2) === 0 ? oneByOne : undefined }).catch((error: unknown) => error);
      const plain = await load(csv, columns, { chunk, types: Object.fromEntries(columns.map(name => [name, 'text'])) }).catch(
        (error: unknown) => error,
      );
      if (plain instanceof SchemaError) {
        refused++;
        expect(typed).toBeInstanceOf(SchemaError);
        // PostgreSQL accepts stray quotes in a field. It refuses every other file that the loader refuses.
        if (!/stray_quote|after_quote/.test(plain.problems[0]!.type)) expect(expected).toBeNull();
        continue;
      }
      read++;
      expect({ csv, texts: (plain as { texts: unknown }).texts }).toEqual({ csv, texts: expected });
      if (typed instanceof SchemaError) {
        expect(typed.problems[0]!.type).toBe('csv_type_conflict');
        continue;
      }
      const { columns: types, texts } = typed as Awaited<ReturnType<typeof load>>;
      const comparable = (rows: (string | null)[][]): unknown =>
        // Only dates in a column of timestamps change their spelling: they get a time, which is cut off here.
        rows.map(row => row.map((text, index) => (types[index]!.type === 'timestamp' ? text?.slice(0, 10) : text)));
      expect({ csv, texts: comparable(texts) }).toEqual({ csv, texts: comparable(expected!) });
    }
    expect(read).toBeGreaterThan(rounds / 2);
    expect(refused).toBeGreaterThan(rounds / 10);
  });
});
