import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { typeForm } from '../src/warehouse/mirror/csv/type-form.js';
import { startTestApp, type TestApp } from './support/app.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';

describe('values that the type of a column would change', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const upload = (table: string, body: string, query?: Record<string, string>) => uploadRequest(test.admin, table, body, query);
  const ndjson = (table: string, value: string, query?: Record<string, string>) =>
    test.admin.put(`${tablesPath}/${table}`).query(query ?? {}).set('Content-Type', 'application/x-ndjson').send(`{"id":8,"x":1}\n{"id":9,"x":${value}}\n`.replace('1}', 'null}')); // prettier-ignore
  const texts = async (table: string): Promise<unknown[]> =>
    (await test.pool.query(`SELECT x::text AS x FROM mirror."${table}" WHERE x IS NOT NULL ORDER BY id`)).rows.map(row => row.x);
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;

  const changed: [type: string, kept: string, values: string[]][] = [
    ['timestamp', '2024-03-05 10:00:00', ['2024-03-05T10:00:00+08:00', '2024-03-05T10:00:00Z', '2024-03-05 10:00 America/New_York']],
    ['date', '2024-03-05', ['2024-03-05 10:00:00', '2024-03-05T23:30:00-05:00', '2024-03-05T00:00Z']],
    ['time', '08:30:00', ['08:30:00+08', '2024-03-05 08:30']],
    ['numeric(12,2)', '1.50', ['1.555', '1.499', '0x1F', '1_000.5']],
    ['integer', '16', ['0x10', '1_6', '0b1']],
    ['timestamptz', '2024-03-05 10:00:00+00', ['2024-03-05 10:00:00 CST', '2024-03-05 10:00:00 UTC+8']],
  ];

  it.each(changed)('are refused in a column of %s, in either format and mode', async (type, kept, values) => {
    const types = { types: `x:${type}` };
    await upload('typed', `id,x\n1,${kept}\n`, types);
    for (const value of values) {
      const place = { line: 3, loc: ['body', 3, 'x'], msg: expect.stringContaining(`'${value}'`) };
      for (const query of [{ mode: 'append' }, { mode: 'upsert', key: 'x' }, types] as Record<string, string>[]) {
        for (const field of [value, quoted(value)]) {
          const { body } = await upload('typed', `id,x\n2,${kept}\n3,${field}\n`, query).expect(422);
          expect(body.detail.errors).toEqual([expect.objectContaining({ ...place, type: 'csv_value' })]);
        }
        const { body } = await ndjson('typed', JSON.stringify(value), query.mode === 'upsert' ? { mode: 'append' } : query).expect(422);
        expect(body.detail.errors).toEqual([expect.objectContaining({ ...place, line: 2, loc: ['body', 2, 'x'], type: 'ndjson_value' })]);
      }
    }
    expect(await texts('typed')).toEqual([kept]);
  });

  it('are refused as numbers of JSON, and after a form has read them', async () => {
    await upload('prices', 'id,x\n1,1.5\n', { types: 'x:numeric(12,2)' }).expect(201);
    await ndjson('prices', '1.555', { mode: 'append' }).expect(422);
    await ndjson('prices', '1.555', { mode: 'append', types: 'x:decimal(,)' }).expect(422);
    await upload('prices', 'id;x\n2;1,555\n', { mode: 'append', types: 'x:decimal(,)' }).expect(422);
    await upload('prices', 'id;x\n2;1,550\n', { mode: 'append', types: 'x:decimal(,)' }).expect(200);
    await ndjson('prices', '1.5500', { mode: 'append', types: 'x:decimal(,)' }).expect(200);
    expect(await texts('prices')).toEqual(['1.50', '1.55', '1.55']);
  });

  it('are refused as keys that a document of jsonb has twice', async () => {
    const double = '{"b": [{"a":1,\n"\\u0061":2}]}';
    const { body } = await upload('documents', `id,x\n1,{}\n2,${quoted(double)}\n`, { types: 'x:jsonb' }).expect(422);
    const msg = expect.stringContaining(String.raw`'{"b": [{"a":1,\n"\u0061":2}]}'`);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_value', line: 3, loc: ['body', 3, 'x'], msg });
    const good = `{"a":1,\n"b":{"a":"say ""${'long '.repeat(100_000)}"}, "list": [1.50]}`.replaceAll('""', '\\"');
    const values = [good, '[]', '7', '"a"', ' null '];
    await upload('documents', `id,x\n${values.map((value, row) => `${row},${quoted(value)}\n`).join('')}6,\n`, { types: 'x:jsonb' }).expect(
      201,
    );
    expect((await texts('documents')).map(text => JSON.parse(text as string))).toEqual(values.map(value => JSON.parse(value)));
    await upload('documents', `id,x\n1,${quoted(double)}\n`, { mode: 'append' }).expect(422);
    await upload('documents', `id,x\n1,${quoted(double)}\n`, { types: 'x:json' }).expect(200);
    expect(await texts('documents')).toEqual([double]);
  });

  it.each<[type: string, kept: string, values: string[]]>([
    ['interval day', '', ['36 hours', '1 day']],
    ['varchar(3)', 'ab ', ['abc   ']],
    ['char(3)', 'abc', ['abcd ']],
    ['name', '', ['a']],
    ['money', '', ['1.555']],
    ['tsrange', '["2024-01-01 00:00:00","2024-01-02 00:00:00")', ['[2024-01-01 10:00:00.1234567,2024-01-02)']],
    ['jsonb[]', String.raw`{"{\"a\": 1}"}`, [String.raw`{"{\"a\":1,\"a\":2}"}`, String.raw`["{\"a\":1,\"a\":2}"]`]],
    ['interval day to second(3)', '1 day 36:00:00.123', ['1.2345 s', 'P1M0.3M']],
  ])('are refused in a column of %s that a table has, with a way out', async (type, kept, values) => {
    const typed = 'typed by its table';
    await test.pool.query(`DROP TABLE IF EXISTS mirror."${typed}"; CREATE TABLE mirror."${typed}" (id int, x ${type})`);
    await upload(typed, `id,x\n1,${kept && quoted(kept)}\n`, { mode: 'append' }).expect(200);
    for (const value of values) {
      const { body } = await upload(typed, `id,x\n2,${quoted(value)}\n`, { mode: 'append' }).expect(422);
      const msg = expect.stringContaining('?types=x:text');
      expect(body.detail.errors).toEqual([expect.objectContaining({ msg, line: 2, loc: ['body', 2, 'x'], type: 'csv_value' })]);
      await ndjson(typed, JSON.stringify(value), { mode: 'append' }).expect(422);
    }
    expect(await texts(typed)).toEqual(kept === '' ? [] : [kept]);
  });

  it('keeps the numbers of JSON lists as they are written', async () => {
    await test.pool.query('CREATE TABLE mirror.lists (id int, x numeric(5,2)[]); CREATE TABLE mirror.whole_lists (id int, x bigint[])');
    await ndjson('lists', '[1.5,-0.25,null]', { mode: 'append' }).expect(200);
    await upload('lists', 'id,x\n10,"[2.5]"\n11,"{3.5}"\n', { mode: 'append' }).expect(200);
    await ndjson('lists', '[1.555]', { mode: 'append' }).expect(422);
    await ndjson('lists', '{}', { mode: 'append' }).expect(422);
    expect(await texts('lists')).toEqual(['{1.50,-0.25,NULL}', '{2.50}', '{3.50}']);
    await ndjson('whole_lists', '[9007199254740993]', { mode: 'append' }).expect(200);
    expect(await texts('whole_lists')).toEqual(['{9007199254740993}']);
    await ndjson('text_lists', '[1.0,1e2,-0]', { types: 'x:text[]' }).expect(201);
    expect(await texts('text_lists')).toEqual(['{1.0,1e2,-0}']);
    await ndjson('text_lists', '{}', { types: 'x:text[]' }).expect(422);
    await upload('text_lists', 'id,x\n1,"[1.0]"\n2,{}\n', { types: 'x:text[]' }).expect(200);
    expect(await texts('text_lists')).toEqual(['{1.0}', '{}']);
  });

  it('names the line and the column of a key that is too large', async () => {
    await upload('keyed', 'id,x\n1,a\n').expect(201);
    await test.pool.query('ALTER TABLE mirror.keyed ADD PRIMARY KEY (x)');
    const random = randomBytes(10_000).toString('hex');
    const { body } = await upload('keyed', `id,x\n2,b\n3,${random}\n4,c\n`, { mode: 'upsert', key: 'x' }).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_row_refused', line: 3, loc: ['body', 3, 'x'] });
    await upload('keyed', 'id,x\n2,b\n', { mode: 'upsert', key: 'x' }).expect(200);
  });

  it('leaves equal values in other spellings, and what floats round', async () => {
    const columns = {
      i: '007',
      j: '+7',
      n: '1.500',
      d: '2024-3-5',
      e: '2024-03-05 00:00:00',
      t: '2024/03/05 10:00',
      f: '0.12345678901234567890',
    };
    const types = 'i:int,j:int,n:numeric(12,2),d:date,e:date,t:timestamp,f:double';
    await upload('equal', `${Object.keys(columns).join(',')}\n${Object.values(columns).join(',')}\n`, { types }).expect(201);
    const { rows } = await test.pool.query('SELECT i, j, n::text, d::text, e::text, t::text, f FROM mirror.equal');
    expect(rows).toEqual([{ i: 7, j: 7, n: '1.50', d: '2024-03-05', e: '2024-03-05', t: '2024-03-05 10:00:00', f: 0.12345678901234568 }]);
  });

  /** By type: SQL that reads $1 in PostgreSQL's own way, once as the type and once as a type that keeps all of it. */
  const readings: Record<string, string> = {
    integer: '$1::integer = $1::numeric',
    'numeric(5,2)': '$1::numeric(5,2) = $1::numeric',
    'numeric(2,-1)': '$1::numeric(2,-1) = $1::numeric',
    date: `$1::date = $1::timestamp AND $1::date = $1::timestamptz AT TIME ZONE current_setting('TimeZone')`,
    timestamp: `$1::timestamp = $1::timestamptz AT TIME ZONE current_setting('TimeZone')`,
  };

  it.each(Object.entries(readings))('of %s: each text that is kept is read alike by a type that keeps more', async (type, sql) => {
    const one = (...choices: string[]) => fc.constantFrom('', ...choices);
    const number = fc.tuple(
      one('-', '+', ' '),
      one('1', '25', '007', '100', '1_0', '0x'),
      one('.', '.5', '.50', '.005'),
      one('e1', 'e-2', 'e2'),
    );
    const day = fc.constantFrom('2024-03-05', '20240305', '5 Mar 2024', '2024/3/5', '2024.065', '2024 3 5', 'Mar 5, 2024', 'infinity');
    const clock = one('10:00', '00:00:00', '24:00', '10:00:00.5', '1000', '100000', '12:00 AM', '01:00 PM');
    const time = fc.tuple(
      day,
      one(' ', 'T', '  '),
      clock,
      one('Z', '+08', ' -08:30', ' CST', ' UTC', '+8', ' America/New_York'),
      one(' BC', ' AD'),
    );
    const pieces: fc.Arbitrary<string[]> = /^(?:date|time)/.test(type) ? time : number;
    const texts = fc.sample(pieces.map(all => all.join('')), 5_000); // prettier-ignore
    const kept = [...new Set(texts)].filter(text => typeForm(type)!.rewrite(text) !== null);
    expect(kept.length).toBeGreaterThan(15);
    const client = await test.pool.connect();
    try {
      for (const zone of ['UTC', 'Asia/Shanghai']) {
        await client.query(`SET TimeZone = '${zone}'`);
        for (const text of kept) {
          const { rows } = await client.query(`SELECT CASE WHEN pg_input_is_valid($1, '${type}') THEN ${sql} ELSE true END AS same`, [
            text,
          ]);
          expect([text, rows[0].same]).toEqual([text, true]);
        }
      }
    } finally {
      await client.query('RESET TimeZone');
      client.release();
    }
  });
});
