import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';
import { mulberry32 } from './support/seeded.js';
import { isLong, itLong } from './support/tier.js';

const data = mkdtempSync(path.join(os.tmpdir(), 'uploads-formats-'));
const left = path.join(data, 'uploads', `${os.hostname()}-999999999-00`);
let test: TestApp;
let files: DuckdbFiles;

beforeAll(async () => {
  await mkdir(left, { recursive: true });
  await writeFile(path.join(left, 'file.parquet'), 'left behind');
  test = await startTestApp({ DATA_DIR: data, UPLOAD_PARQUET_MAX_MB: '20' });
  files = await DuckdbFiles.create();
});
afterEach(async () => expect(await readdir(path.join(data, 'uploads'))).toEqual([]));
afterAll(async () => {
  await test.close();
  await files.remove();
  await rm(data, { recursive: true, force: true });
});

describe('uploads of CSV', () => {
  it('loads files that begin with the letters of another format', async () => {
    for (const type of ['text/csv', 'application/octet-stream'])
      for (const csv of ['PAR1,PAR2\n1,2\n', 'GIF89a,x\n1,2\n', '%PDF-A,x\n1,2\n', '<table>\n1\n']) {
        const { status, body } = await uploadRequest(test.admin, 'letters', Buffer.from(csv), {}, type);
        expect([csv, status, body.format, body.rows]).toEqual([csv, expect.any(Number), 'csv', 1]);
      }
    const { body } = await uploadRequest(test.admin, 'guessed', Buffer.from('id,text\n1,It\x92s fine\n2,don\x92t\n', 'latin1')).expect(201);
    expect([body.encoding, body.warnings]).toEqual(['windows-1252', [expect.stringContaining('"It’s" in line 2')]]);
  });
});

describe('uploads of NDJSON', () => {
  const type = 'application/x-ndjson';
  const upload = (table: string, ndjson: string | Buffer, query?: Record<string, string>) =>
    uploadRequest(test.admin, table, ndjson, query, type);
  const put = (table: string) => test.admin.put(`${tablesPath}/${table}`);

  async function refusalOf(sent: Promise<{ status: number; body: any }>): Promise<any> {
    const { status, body } = await sent;
    expect(status).toBe(422);
    return body.detail.errors[0];
  }

  async function rowsOf(table: string): Promise<unknown[]> {
    return (await test.pool.query(`SELECT * FROM mirror."${table}" ORDER BY ctid`)).rows;
  }

  it('creates a table, says what it read, and shows it', async () => {
    const ndjson =
      '{"id": 1, "amount": 12.50, "tags": ["a", "b"], "detail": {"n": 12345678901234567890}}\n{"id": "x", "late": "2024-02-29"}\n';
    const { body } = await upload('events', ndjson).expect(201);
    expect(body).toMatchObject({
      table: 'events', mode: 'replace', format: 'ndjson', rows: 2, inserted: 2, updated: 0, bytes: Buffer.byteLength(ndjson), delimiter: null, encoding: 'utf-8',
      columns: [
        { name: 'id', type: 'text' },
        { name: 'amount', type: 'numeric' },
        { name: 'tags', type: 'text[]' },
        { name: 'detail', type: 'jsonb' },
        { name: 'late', type: 'date' },
      ],
      warnings: [expect.stringContaining('"id" has values of several types (from line 2 on)')],
    }); // prettier-ignore
    const shown = await test.admin.get(`${tablesPath}/events`).expect(200);
    expect(shown.body.sample[0]).toMatchObject({ id: '1', amount: '12.50', tags: '{a,b}', late: null });
    const { rows } = await test.pool.query(`SELECT detail::text FROM mirror.events`);
    expect(rows[0].detail).toBe('{"n": 12345678901234567890}');
  });

  it('tells NDJSON by its type, by the name in a form, and by its first bytes', async () => {
    const ndjson = Buffer.from('\n{ "a": 1 }\n');
    const answers = [
      await upload('by_type', ndjson),
      await uploadRequest(test.admin, 'by_jsonl', ndjson, {}, 'application/jsonl; charset=utf-8'),
      await put('by_coding').set('Content-Type', type).set('Content-Encoding', 'gzip').send(gzipSync(ndjson)),
      await put('by_gzip').set('Content-Type', 'application/gzip').send(gzipSync(ndjson)),
      await put('by_bytes').set('Content-Type', 'application/octet-stream').send(ndjson),
      await put('by_form').attach('file', ndjson, 'a.ndjson'),
      await put('by_form_gz').attach('file', gzipSync(ndjson), 'a.jsonl.gz'),
      await put('by_form_bytes').attach('file', ndjson, 'a'),
    ];
    expect(answers.map(({ status, body }) => [status, body.format])).toEqual(answers.map(() => [201, 'ndjson']));
    for (const { body } of answers) expect(await rowsOf(body.table)).toEqual([{ a: 1 }]);
  });

  it('refuses JSON documents with a sentence that names NDJSON, however large or broken', async () => {
    for (const body of ['[{"a":1}]', '{"a":', `[${'1,'.repeat(1_000_000)}1]`]) {
      const refused = await uploadRequest(test.admin, 'document', body, {}, 'application/json').expect(415);
      expect(refused.body).toMatchObject({ code: 'unsupported_media_type', detail: expect.stringContaining("jq -c '.[]'") });
    }
    await put('document').attach('file', Buffer.from('[{"a":1}]'), 'a.json').expect(415);
    expect(await refusalOf(upload('document', '[{"a":1}]\n'))).toMatchObject({
      type: 'ndjson_no_object',
      line: 1,
      msg: expect.stringContaining('jq'),
    });
  });

  it('refuses options without effect, and broken lines with their number, and keeps the table', async () => {
    await upload('kept', '{"a":1}\n').expect(201);
    for (const query of [{ delimiter: ';' }, { encoding: 'gb18030' }, { header: 'true' }] as Record<string, string>[]) {
      expect(await refusalOf(upload('kept', '{"a":2}\n', query))).toMatchObject({
        type: 'no_effect',
        loc: ['query', Object.keys(query)[0]],
      });
    }
    const [many, broken] = isLong ? [200_000, 150_000] : [20_000, 15_000];
    const lines = Array.from({ length: many }, (_, index) => `{"a": ${index}, "b": "text ${index}"}`);
    lines[broken] = `{"a": ${broken}, "b": "text}`;
    expect(await refusalOf(upload('kept', lines.join('\n')))).toMatchObject({
      type: 'ndjson_syntax',
      line: broken + 1,
      loc: ['body', broken + 1],
    });
    lines[broken] = '{"b": "\\n", "a": "x"}';
    expect(await refusalOf(upload('kept', lines.join('\n'), { types: 'a:integer' }))).toMatchObject({
      type: 'ndjson_value',
      loc: ['body', broken + 1, 'a'],
    });
    expect(await refusalOf(upload('kept', '{"b":1}\n', { types: 'a:integer' }))).toMatchObject({
      type: 'unknown_column',
      loc: ['query', 'types'],
    });
    expect(await rowsOf('kept')).toEqual([{ a: 1 }]);
  });

  it('appends by key, and updates rows by key, with the line of what does not fit', async () => {
    await upload('people', '{"id":1,"name":"a","day":"2024-01-05"}\n').expect(201);
    const { body } = await upload('people', '{"name":"b","id":2}\n{"id":3,"day":"2024/2/3"}\n', { mode: 'append' }).expect(200);
    expect(body).toMatchObject({ rows: 2, columns: [{ name: 'name', type: 'text' }, { name: 'id', type: 'integer' }, { name: 'day', type: 'date' }] }); // prettier-ignore
    expect(await refusalOf(upload('people', '{"id":4}\n\n{"id":5,"nom":"x"}\n', { mode: 'append' }))).toMatchObject({ type: 'unknown_column', line: 3 });
    expect(await refusalOf(upload('people', '{"id":4}\n{"day":"03/04/24"}\n', { mode: 'append' }))).toMatchObject({ type: 'ndjson_value', line: 2 });

    const upsert = { mode: 'upsert', key: 'id' };
    const upserted = await upload('people', '{"id":2,"name":"B","day":null}\n\n{"id":9,"name":"n","day":"2024-02-03"}\n', upsert).expect(200);
    expect(upserted.body).toMatchObject({ rows: 2, inserted: 1, updated: 1 });
    expect(await refusalOf(upload('people', '{"id":2,"name":"z","day":null}\n{"name":"z"}\n', upsert))).toMatchObject({ type: 'ndjson_key_empty', line: 2 });
    expect(await refusalOf(upload('people', '{"id":2,"name":"z","day":null}\n\n{"id":2}\n', upsert))).toMatchObject({ type: 'ndjson_key_repeated', line: 3 });
    expect(await refusalOf(upload('people', '{"id":2,"name":"z"}\n', upsert))).toMatchObject({ type: 'missing_column' });
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1600 }, (_, index) => [`c${index}`, index])));
    expect(await refusalOf(upload('widest', `${wide}\n`, { mode: 'upsert', key: 'c0' }))).toMatchObject({ type: 'ndjson_too_many_columns', line: 1 });
    const { rows } = await test.pool.query('SELECT id, name, day::text FROM mirror.people ORDER BY id');
    expect(rows.map(({ id, name, day }) => [id, name, day])).toEqual([
      [1, 'a', '2024-01-05'],
      [2, 'B', null],
      [3, null, '2024-02-03'],
      [9, 'n', '2024-02-03'],
    ]);
  }); // prettier-ignore
});

describe('uploads of Parquet', () => {
  const type = 'application/vnd.apache.parquet';
  const upload = (table: string, file: Buffer, query?: Record<string, string>) => uploadRequest(test.admin, table, file, query, type);

  let made = 0;
  async function parquet(select: string, options = '', ...before: string[]): Promise<Buffer> {
    const file = files.path(`f${made++}.parquet`);
    await files.run(null, "SET TimeZone = 'UTC'", ...before, `COPY (${select}) TO '${file}' (FORMAT parquet${options})`);
    return readFileSync(file);
  }

  async function refusalOf(sent: Promise<{ status: number; body: any; text: string }>): Promise<any> {
    const { status, body, text } = await sent;
    expect([status, text.includes(data)]).toEqual([422, false]);
    return body.detail.errors[0];
  }

  async function textsOf(table: string, columns: string[], order = 'ctid'): Promise<(string | null)[][]> {
    const text = `SELECT ${columns.map(name => `"${name}"::text`).join(', ')} FROM mirror."${table}" ORDER BY ${order}`;
    return (await test.pool.query({ text, rowMode: 'array' })).rows;
  }

  itLong('brings every type over as the client of DuckDB does, value by value', async () => {
    const cases: [string, string, string, string][] = [
      ['b', 'true', 'boolean', 'true'],
      ['i', '(-2147483648)::INTEGER', 'integer', '-2147483648'],
      ['big', '9007199254740993::BIGINT', 'bigint', '9007199254740993'],
      ['u', '18446744073709551615::UBIGINT', 'numeric(20,0)', '18446744073709551615'],
      ['dec', "'12345678901234567890.10'::DECIMAL(38,2)", 'numeric(38,2)', '12345678901234567890.10'],
      ['f', '0.1::DOUBLE', 'double precision', '0.1'],
      ['t', `'中' || chr(9) || chr(10) || chr(92) || 'N"'`, 'text', '中\t\n\\N"'],
      ['e', "''", 'text', ''],
      ['d', "DATE '2024-02-29'", 'date', '2024-02-29'],
      ['ts', "TIMESTAMP '2024-02-29 10:00:00.000001'", 'timestamp', '2024-02-29 10:00:00.000001'],
      ['tz', "TIMESTAMPTZ '2024-02-29 10:00:00+08'", 'timestamptz', '2024-02-29 02:00:00+00'],
      ['time', "TIME '23:59:59.5'", 'time', '23:59:59.5'],
      ['uuid', "UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", 'uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
      ['blob', "'\\x00\\xFF'::BLOB", 'bytea', '\\x00ff'],
      ['list', "['a,b', NULL, '\"', '\\']", 'text[]', '{"a,b",NULL,"\\"","\\\\"}'],
      ['ints', '[1::BIGINT, NULL]', 'bigint[]', '{1,NULL}'],
      ['struct', "{'a': 12345678901234567890.5::DECIMAL(30,1), 'b': ['x']}", 'jsonb', '{"a": 12345678901234567890.5, "b": ["x"]}'],
      ['map', "MAP {'k': 1}", 'json', '{"k":1}'],
      ['nul', 'NULL::INTEGER', 'integer', null as never],
    ]; // prettier-ignore
    const names = cases.map(([name]) => name);
    const file = await parquet(`SELECT ${cases.map(([name, sql]) => `${sql} AS "${name}"`).join(', ')}`);
    const { body } = await upload('types', file).expect(201);
    expect(body).toMatchObject({
      format: 'parquet',
      rows: 1,
      inserted: 1,
      bytes: file.length,
      delimiter: null,
      encoding: null,
      warnings: [],
    });
    expect(body.columns).toEqual(cases.map(([name, , type]) => ({ name, type })));
    await test.pool.query("SET TimeZone = 'UTC'");
    expect((await textsOf('types', names))[0]).toEqual(cases.map(([, , , text]) => text));
    const shown = await test.admin.get(`${tablesPath}/types`).expect(200);
    expect(shown.body.columns.map((column: { name: string }) => column.name)).toEqual(names);
  });

  itLong('loads random rows of several row groups as DuckDB itself reads them', async () => {
    const select = `SELECT i AS id, hash(i)::HUGEINT::DECIMAL(38,0) AS h, CASE WHEN i % 7 = 0 THEN NULL ELSE md5(i::VARCHAR) || chr(9) || chr(92) END AS t,
      DATE '1900-01-01' + (hash(i) % 80000)::INTEGER AS d, (hash(i) % 1000000)::DECIMAL(18,2) / 7 AS f, i % 3 = 0 AS b FROM range(30000) r(i)`;
    const file = await parquet(select, ', ROW_GROUP_SIZE 5000');
    await upload('random', file).expect(201);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const names = ['id', 'h', 't', 'd', 'b'];
    const read = await connection.runAndReadAll(`SELECT ${names.map(name => `${name}::VARCHAR`).join(', ')} FROM (${select}) ORDER BY id`);
    const expected = (read as unknown as { getRows(): unknown[][] }).getRows();
    connection.closeSync();
    instance.closeSync();
    expect(await textsOf('random', names, 'random.id')).toEqual(expected);
  });

  it('is told by its type, by the name in a form, and by its first bytes', async () => {
    const file = await parquet('SELECT 1 AS a');
    const put = (table: string) => test.admin.put(`${tablesPath}/${table}`);
    const answers = [
      await put('p1').set('Content-Type', 'application/octet-stream').send(file),
      await put('p2').attach('file', file, 'a.parquet'),
      await put('p3').attach('file', file, 'a.bin'),
      await put('p4').set('Content-Type', type).set('Content-Encoding', 'gzip').send(gzipSync(file)),
    ];
    expect(answers.map(({ status, body }) => [status, body.format])).toEqual(answers.map(() => [201, 'parquet']));
  });

  itLong('takes given types and forms of dates, and appends and updates rows', async () => {
    const types = 'day:date(DD/MM/YYYY),code:text';
    await upload('modes', await parquet("SELECT 1 AS id, '31/12/2024' AS day, 7 AS code"), { types }).expect(201);
    await upload('modes', await parquet("SELECT 'x' AS code, 2 AS id"), { mode: 'append' }).expect(200);
    const upsert = { mode: 'upsert', key: 'id' };
    const { body } = await upload('modes', await parquet("SELECT i AS id, '2025-01-0' || i AS day, 'u' AS code FROM range(2, 4) r(i)"), upsert).expect(200);
    expect(body).toMatchObject({ rows: 2, inserted: 1, updated: 1 });
    expect(await textsOf('modes', ['id', 'day', 'code'], 'id')).toEqual([
      ['1', '2024-12-31', '7'],
      ['2', '2025-01-02', 'u'],
      ['3', '2025-01-03', 'u'],
    ]);
    const append = { mode: 'append' };
    expect(await refusalOf(upload('modes', await parquet("SELECT 4 AS id, unnest(['2025-01-01', '03/04/24']) AS day"), append))).toMatchObject({ type: 'parquet_value', loc: ['body', 2, 'day'] });
    expect(await refusalOf(upload('modes', await parquet("SELECT unnest(['4', 'x']) AS id"), append))).toMatchObject({ type: 'parquet_value', loc: ['body', 2, 'id'] });
    expect(await refusalOf(upload('modes', await parquet('SELECT 1 AS nr'), append))).toMatchObject({ type: 'unknown_column' });
    const twice = await parquet("SELECT unnest([5, 6, 5]) AS id, NULL::DATE AS day, 'x' AS code");
    expect(await refusalOf(upload('modes', twice, upsert))).toMatchObject({ type: 'parquet_key_repeated', loc: ['body', 3] });
    for (const query of [{ null: 'NA' }, { header: 'false', columns: 'a' }] as Record<string, string>[]) {
      expect(await refusalOf(upload('modes', twice, query))).toMatchObject({ type: 'no_effect' });
    }
    expect(await textsOf('modes', ['id'], 'id')).toHaveLength(3);
  }); // prettier-ignore

  itLong('refuses hostile files without a path, an error of the service, or anything left behind', async () => {
    const good = await parquet("SELECT i AS id, 'text ' || i AS t FROM range(20000) r(i)", ', ROW_GROUP_SIZE 4096');
    const wrongFooter = Buffer.from(good);
    wrongFooter.writeUInt32LE(0x7fffffff, good.length - 8);
    const broken: Buffer[] = [
      Buffer.from('PAR1'), Buffer.from('PAR1PAR1'), good.subarray(0, good.length - 1), good.subarray(0, good.length / 2), wrongFooter,
      Buffer.concat([good.subarray(0, 100), Buffer.alloc(1000), good.subarray(1100)]), Buffer.from('id,t\n1,x\n'), Buffer.alloc(0),
    ]; // prettier-ignore
    for (const file of broken) expect((await refusalOf(upload('hostile', file))).type).toMatch(/^parquet_/);
    const random = mulberry32(29);
    const statuses = new Set<number>();
    for (let file = 0; file < 20; file++) {
      const flipped = Buffer.from(good);
      // Every second file is changed only in its last 600 bytes, the footer, which says how the whole file is read.
      const from = file % 2 === 0 ? good.length - 600 : 0;
      for (let flip = 0; flip < 3; flip++) flipped[from + Math.floor(random() * (good.length - from))]! ^= 1 << Math.floor(random() * 8);
      const { status, text } = await upload('flipped', flipped);
      statuses.add(status);
      expect([file, text.includes(data)]).toEqual([file, false]);
    }
    expect([...statuses].filter(status => ![200, 201, 422].includes(status))).toEqual([]);
  });

  itLong('bounds what a small file grows to, and the memory that it takes', async () => {
    const dense = await parquet("SELECT repeat('x', 1000) AS t FROM range(100000)");
    expect(dense.length).toBeLessThan(300_000);
    expect(await refusalOf(upload('dense', dense))).toMatchObject({ type: 'parquet_too_dense' });
    const wide = await parquet(`SELECT ${Array.from({ length: 1_601 }, (_, index) => `1 AS c${index}`).join(', ')}`);
    expect(await refusalOf(upload('wide', wide))).toMatchObject({ type: 'csv_too_many_columns' });
    const union = await parquet("SELECT 1 AS a, INTERVAL 1 DAY AS i");
    await upload('interval', union).expect(201);
    expect(await refusalOf(upload('large', Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(21 * 1024 * 1024)])))).toMatchObject({ type: 'parquet_too_large' });
    const value = await parquet("SELECT TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS at");
    expect(await refusalOf(upload('value', value))).toMatchObject({ type: 'parquet_value', msg: expect.stringContaining('"at"') });
  }); // prettier-ignore
});
