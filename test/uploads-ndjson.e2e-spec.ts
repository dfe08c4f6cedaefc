import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import http from 'node:http';
import { startTestApp, type TestApp } from './support/app.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';

describe('uploads of NDJSON', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

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
    const lines = Array.from({ length: 200_000 }, (_, index) => `{"a": ${index}, "b": "text ${index}"}`);
    lines[150_000] = '{"a": 150000, "b": "text}';
    expect(await refusalOf(upload('kept', lines.join('\n')))).toMatchObject({
      type: 'ndjson_syntax',
      line: 150_001,
      loc: ['body', 150_001],
    });
    lines[150_000] = '{"b": "\\n", "a": "x"}';
    expect(await refusalOf(upload('kept', lines.join('\n'), { types: 'a:integer' }))).toMatchObject({
      type: 'ndjson_value',
      loc: ['body', 150_001, 'a'],
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

  it('answers others while a large file with long lines comes, in bounded memory', async () => {
    const short = `{"id": 12345678, "note": "some text of a line", "at": "2024-01-01", "price": 12.50, "o": {"a": [1, 2, {"b": null}]}}\n`;
    const chunk = Buffer.from(short.repeat(600));
    const long = Buffer.from(`{"id": 1, "note": "${'x'.repeat(4_000_000)}", "o": [${'{"a": 1},'.repeat(400_000)}{}]}\n`);
    const chunks = Math.ceil(192e6 / chunk.length);
    function* body(): Generator<Buffer> {
      for (let index = 0; index < chunks; index++) yield chunk;
      yield long;
    }
    const before = process.memoryUsage.rss();
    let [peak, slowest, isDone] = [before, 0, false];
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
    const asking = (async () => {
      while (!isDone) {
        const asked = performance.now();
        await fetch(`${test.url}/health`);
        slowest = Math.max(slowest, performance.now() - asked);
        await new Promise(resolve => setTimeout(resolve, 5));
      }
    })();
    const answer = await new Promise<any>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${test.admin.token}`, 'Content-Type': type };
      const request = http.request(`${test.url}${tablesPath}/large`, { method: 'PUT', headers }, response => {
        let text = '';
        response.on('data', part => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(text) }));
      });
      request.on('error', reject);
      Readable.from(body()).pipe(request);
    });
    isDone = true;
    await asking;
    clearInterval(watch);
    expect(answer).toMatchObject({ status: 201, rows: chunks * 600 + 1 });
    expect((peak - before) / 1e6).toBeLessThan(150);
    expect(slowest).toBeLessThan(1_000);
  }, 120_000);
});
