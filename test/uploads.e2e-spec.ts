import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

describe('uploads into the mirror', () => {
  let test: TestApp;
  let user: Client;

  beforeAll(async () => {
    test = await startTestApp();
    user = await test.asUser('reader');
    await grantConnection(test, 'reader');
  });
  afterAll(() => test.close());

  const upload = (table: string, csv: string | Buffer, query?: Record<string, string>, as = test.admin) =>
    uploadRequest(as, table, csv, query);

  async function rowsOf(table: string, order = 'ctid'): Promise<Record<string, unknown>[]> {
    return (await test.pool.query(`SELECT * FROM mirror."${table}" ORDER BY ${order}`)).rows;
  }

  async function tableNames(): Promise<string[]> {
    return (await test.pool.query(`SELECT relname FROM pg_class WHERE relnamespace = 'mirror'::regnamespace AND relkind = 'r'`)).rows.map(
      row => row.relname,
    );
  }

  /** An upload whose body is sent by hand. */
  function rawUpload(table: string, headers: Record<string, string> = {}) {
    const request = http.request(`${test.url}${tablesPath}/${table}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${test.admin.token}`, 'Content-Type': 'text/csv', ...headers },
    });
    const answer = new Promise<{ status: number; body: any }>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', response => {
        let text = '';
        response.on('data', chunk => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      });
    });
    answer.catch(() => undefined);
    return { request, answer };
  }

  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (await condition()) return;
      await new Promise(resolve => setTimeout(resolve, 25));
    }
    throw new Error('It did not happen within 5 s');
  }

  const runningUploads = async (): Promise<number> =>
    (
      await test.pool.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'graph-service mirror upload' AND state <> 'idle' AND datname = current_database()`,
      )
    ).rows[0].n;

  it('creates a table with inferred types, describes it, and drops it', async () => {
    const csv = 'id,公司,单价,签约日,active\n1,华为,12.50,2024-01-05,true\n2,"Smith, Jones",3,,false\n';
    const created = await upload('客户 表', csv).expect(201);
    const columns = [
      { name: 'id', type: 'integer' },
      { name: '公司', type: 'text' },
      { name: '单价', type: 'numeric' },
      { name: '签约日', type: 'date' },
      { name: 'active', type: 'boolean' },
    ];
    expect(created.body).toEqual({
      table: '客户 表',
      mode: 'replace',
      rows: 2,
      inserted: 2,
      updated: 0,
      bytes: Buffer.byteLength(csv),
      columns,
      delimiter: ',',
      encoding: 'utf-8',
      encoding_guessed: false,
      format: 'csv',
      warnings: [],
      seconds: expect.any(Number),
      data_version: expect.any(Number),
      changed_at: expect.any(String),
    });

    const { body } = await user.get(`${tablesPath}/${encodeURIComponent('客户 表')}`).expect(200);
    expect(body).toMatchObject({
      name: '客户 表',
      row_estimate: 2,
      column_count: 5,
      keys: [],
      columns: columns.map(column => ({ ...column, nullable: true })),
    });
    expect(body.sample).toEqual([
      { id: 1, 公司: '华为', 单价: '12.50', 签约日: '2024-01-05', active: true },
      { id: 2, 公司: 'Smith, Jones', 单价: '3', 签约日: null, active: false },
    ]);
    await test.admin.delete(`${tablesPath}/${encodeURIComponent('客户 表')}`).expect(204);
    await test.admin.delete(`${tablesPath}/${encodeURIComponent('客户 表')}`).expect(404);
    await user.get(`${tablesPath}/${encodeURIComponent('客户 表')}`).expect(404);
  });

  it('pages through the tables in the order of their names', async () => {
    for (const name of ['p1', 'p2', 'p3']) await upload(name, 'a\n1\n').expect(201);
    const first = await user.get(tablesPath).query({ limit: 2 }).expect(200);
    expect(first.body.items.map((item: { name: string }) => item.name)).toEqual(['p1', 'p2']);
    const second = await user.get(tablesPath).query({ limit: 200, cursor: first.body.next_cursor }).expect(200);
    expect(second.body.items[0]).toMatchObject({ name: 'p3', row_estimate: 1, column_count: 1 });
    expect(second.body.next_cursor).toBeNull();
  });

  it('takes given types, and refuses types for columns that the file lacks', async () => {
    const { body } = await upload('typed', 'code,price\n11,1.5\n', { types: 'code:text,price:numeric(12,2)' }).expect(201);
    expect(body.columns).toEqual([
      { name: 'code', type: 'text' },
      { name: 'price', type: 'numeric(12,2)' },
    ]);
    const refused = await upload('typed', 'code\n11\n', { types: 'kode:text' }).expect(422);
    expect(refused.body.detail.errors[0]).toMatchObject({ loc: ['query', 'types'], type: 'unknown_column' });
  });

  it('keeps the old table when a line is broken, and leaves nothing behind', async () => {
    await upload('kept', 'a,b\n1,x\n').expect(201);
    const { body } = await upload('kept', 'a,b\n1,x\n2,y\n3\n').expect(422);
    expect(body).toMatchObject({ success: false, detail: { errors: [{ loc: ['body', 4], type: 'csv_field_count', line: 4 }] } });
    expect(await rowsOf('kept')).toEqual([{ a: 1, b: 'x' }]);
    await upload('never', 'a,b\n1,"open\n').expect(422);
    await upload('never', 'a\n1\nx\n', { types: 'a:integer' }).expect(422);
    expect((await tableNames()).filter(name => name === 'never' || name.startsWith('upload_'))).toEqual([]);
  });

  it('names the line of a broken record far into a large file', async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index},"name ${index}",2024-01-01`);
    lines[150_000] = '150000,"name"x,2024-01-01';
    const { body } = await upload('late', `id,name,at\n${lines.join('\n')}\n`).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_text_after_quote', line: 150_002 });
    lines[150_000] = '150000,name,2024-01-99';
    const typed = await upload('late', `id,name,at\n${lines.join('\n')}\n`, { types: 'at:date' }).expect(422);
    expect(typed.body.detail.errors[0]).toMatchObject({ type: 'csv_value', line: 150_002, loc: ['body', 150_002, 'at'] });
  });

  it('widens a column late in a large file without changing its values', async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index},${index % 7}.50,${index < 190_000 ? '' : index}`);
    lines[199_000] = 'A-199000,1.50,3000000000';
    const { body } = await upload('widened', `code,price,late\n${lines.join('\n')}\n`).expect(201);
    expect(body.columns.map((column: { type: string }) => column.type)).toEqual(['text', 'numeric', 'bigint']);
    const { rows } = await test.pool.query(
      `SELECT count(*)::int AS n, min(late) AS low, max(late) AS high, sum(price) AS price, count(*) FILTER (WHERE code = '7')::int AS seven FROM mirror.widened`,
    );
    const price = lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
    expect(rows[0]).toEqual({ n: 200_000, low: '190000', high: '3000000000', price: price.toFixed(2), seven: 1 });
    const { rows: order } = await test.pool.query(`SELECT code FROM mirror.widened ORDER BY ctid LIMIT 1 OFFSET 199000`);
    expect(order[0].code).toBe('A-199000');
  });

  it('appends by column name, and refuses columns that the table lacks', async () => {
    await upload('grown', 'id,name,at\n1,a,2024-01-01\n').expect(201);
    const { body } = await upload('grown', 'name,id\nb,2\n', { mode: 'append' }).expect(200);
    expect(body).toMatchObject({
      mode: 'append',
      rows: 1,
      columns: [
        { name: 'name', type: 'text' },
        { name: 'id', type: 'integer' },
      ],
    });
    expect((await rowsOf('grown')).map(row => [row.id, row.name, row.at])).toEqual([
      [1, 'a', expect.anything()],
      [2, 'b', null],
    ]);
    const unknown = await upload('grown', 'id,nom\n3,c\n', { mode: 'append' }).expect(422);
    expect(unknown.body.detail.errors[0]).toMatchObject({ type: 'unknown_column', loc: ['body', 1, 'nom'] });
    const broken = await upload('grown', 'id\n4\nfive\n', { mode: 'append' }).expect(422);
    expect(broken.body.detail.errors[0]).toMatchObject({ type: 'csv_value', line: 3, loc: ['body', 3, 'id'] });
    expect(await rowsOf('grown')).toHaveLength(2);
    await upload('made_by_append', 'id\n1\n', { mode: 'append' }).expect(201);
  });

  it('replaces a table in one moment: readers see the old one until the new one is complete', async () => {
    await upload('swapped', 'a\n1\n').expect(201);
    const { request, answer } = rawUpload('swapped');
    request.write(`a\n${'2\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    expect((await user.get(`${tablesPath}/swapped`).expect(200)).body.row_estimate).toBe(1);
    request.end('3\n');
    expect(await answer).toMatchObject({ status: 200, body: { rows: 1_000_001 } });
    expect((await user.get(`${tablesPath}/swapped`).expect(200)).body.sample[0]).toEqual({ a: 2 });
  });

  it('lets readers pass while it waits for a long query of the table (risk: one slow reader stops all others)', async () => {
    await upload('long_read', 'a\n1\n').expect(201);
    const reader = await test.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT a FROM mirror.long_read');
    const answer = upload('long_read', 'a\n2\n').then(response => response.status);
    const asking = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DROP TABLE %long_read%' AND pid <> pg_backend_pid()`;
    await until(async () => (await test.pool.query(asking)).rows.length > 0);
    const { body } = await user.get(`${tablesPath}/long_read`).expect(200);
    expect(body.sample).toEqual([{ a: 1 }]);
    await reader.query('COMMIT');
    reader.release();
    expect(await answer).toBe(200);
  });

  it('serialises uploads of one table', async () => {
    const csv = (value: number) => `a\n${`${value}\n`.repeat(50_000)}`;
    const answers = await Promise.all([1, 2, 3].map(value => upload('contended', csv(value))));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 201]);
    const { rows } = await test.pool.query('SELECT count(*)::int AS n, count(DISTINCT a)::int AS kinds FROM mirror.contended');
    expect(rows[0]).toEqual({ n: 50_000, kinds: 1 });
  });

  it('rolls back when the client goes away', async () => {
    await upload('left', 'a,b\n1,x\n').expect(201);
    const { request } = rawUpload('left', { 'Content-Length': '100000000' });
    request.write(`a,b\n${'2,y\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    request.destroy();
    await until(async () => (await runningUploads()) === 0);
    expect(await rowsOf('left')).toEqual([{ a: 1, b: 'x' }]);
    await upload('left', 'a,b\n3,z\n').expect(200);
  });

  it('answers while the client is still sending, and keeps the connection usable', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: Buffer): Promise<{ status: number }> =>
      new Promise((resolve, reject) => {
        const request = http.request(`${test.url}${tablesPath}/early`, {
          agent,
          method: 'PUT',
          headers: { Authorization: `Bearer ${test.admin.token}`, 'Content-Type': 'text/csv' },
        });
        request.on('error', reject);
        request.on('response', response => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
        });
        Readable.from([body.subarray(0, 100), body.subarray(100)]).pipe(request);
      });
    const broken = Buffer.from(`a,b\n1\n${'1,2\n'.repeat(5_000_000)}`);
    expect(await send(broken)).toEqual({ status: 422 });
    expect(await send(Buffer.from('a,b\n1,2\n'))).toEqual({ status: 201 });
    agent.destroy();
  });

  it('answers 500 and lives on when its database connection is cut', async () => {
    const { request, answer } = rawUpload('cut');
    request.write(`a,b\n${'2,y\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    await asSuperuser(
      test.databaseUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'graph-service mirror upload' AND datname = current_database()`,
    );
    request.end('2,y\n'.repeat(1_000_000));
    expect(await answer).toMatchObject({ status: 500, body: { success: false, code: 'database_unavailable' } });
    await upload('cut', 'a,b\n3,z\n').expect(201);
  });

  it('refuses table names PostgreSQL would cut or reject, and quotes all others', async () => {
    await upload('名'.repeat(22), 'a\n1\n').expect(422);
    await upload('a\nb', 'a\n1\n').expect(422);
    await upload('x"; DROP TABLE users; --', 'a\n1\n').expect(201);
    expect(await tableNames()).toContain('x"; DROP TABLE users; --');
  });

  it('reads gzip and forms, and says what delimiter and encoding it took', async () => {
    const csv = Buffer.from('id;größe\n1;müßig à gogo\n2;1,5\n', 'latin1');
    const read = { rows: 2, delimiter: ';', encoding: 'windows-1252', encoding_guessed: true };
    const put = (table: string) => test.admin.put(`${tablesPath}/${table}`);
    const answers = [
      await upload('as_is', csv),
      await put('as_gzip').set('Content-Type', 'text/csv').set('Content-Encoding', 'gzip').send(gzipSync(csv)),
      await put('as_gz').set('Content-Type', 'application/gzip').send(gzipSync(csv)),
      await put('as_form').attach('file', csv, 'sizes.csv'),
      await put('as_form_gz').attach('file', gzipSync(csv), 'sizes.csv.gz'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    for (const { body } of answers) {
      expect(body).toMatchObject(read);
      expect(await rowsOf(body.table)).toEqual([
        { id: 1, größe: 'müßig à gogo' },
        { id: 2, größe: '1,5' },
      ]);
    }
    const two = await put('two').attach('a', csv, 'a.csv').attach('b', csv, 'b.csv').expect(422);
    expect(two.body.detail.errors[0]).toMatchObject({ loc: ['body'], type: 'multipart' });
    const bomb = await put('bomb')
      .set('Content-Type', 'application/gzip')
      .send(gzipSync(Buffer.alloc(100_000_000, '1\n')))
      .expect(422);
    expect(bomb.body.detail.errors[0].type).toBe('csv_gzip_too_dense');
    expect(await tableNames()).not.toContain('bomb');
    const told = await upload('told', csv, { delimiter: ',', encoding: 'latin1' }).expect(422);
    expect(told.body.detail.errors[0]).toMatchObject({ type: 'csv_field_count', line: 3 });
  });

  it('reads dates of a given form, and lists, also when it adds rows', async () => {
    const types = 'day:date(DD/MM/YYYY),tags:text[],codes:int[]';
    const csv = 'day;tags;codes\n31/12/2024;"{a,""b c""}";"[1,2]"\n1/2/2025;"[""x,y"",""\\"""",null]";{}\n;;\n';
    const { body } = await upload('formed', csv, { types }).expect(201);
    expect(body.columns.map((column: { type: string }) => column.type)).toEqual(['date', 'text[]', 'integer[]']);
    await upload('formed', 'day,tags\n"05.03.2025","[""z""]"\n', { mode: 'append', types: 'day:date(DD.MM.YYYY)' }).expect(200);
    const { rows } = await test.pool.query('SELECT day::text, tags, codes FROM mirror.formed ORDER BY day');
    expect(rows).toEqual([
      { day: '2024-12-31', tags: ['a', 'b c'], codes: [1, 2] },
      { day: '2025-02-01', tags: ['x,y', '"', null], codes: [] },
      { day: '2025-03-05', tags: ['z'], codes: null },
      { day: null, tags: null, codes: null },
    ]);
    for (const [bad, column] of [
      ['31/02/2024;{a};{1}', 'day'],
      ['2024-01-05;{a};{1}', 'day'],
      ['01/02/2024;a;{1}', 'tags'],
      ['01/02/2024;{a};{one}', 'codes'],
    ]) {
      const refused = await upload('formed', `day;tags;codes\n\n01/02/2024;{a};{1}\n${bad}\n`, { types }).expect(422);
      expect(refused.body.detail.errors[0]).toMatchObject({ type: 'csv_value', line: 4, loc: ['body', 4, column] });
    }
  });

  it('reads no date that can be read in two ways, and no form of dates into a column of text', async () => {
    await upload('clear_days', 'day,at,note\n2024-01-05,2024-01-05 10:00:00,05/01/2024\n').expect(201);
    const refusalOf = async (row: string, query: Record<string, string>) =>
      (await upload('clear_days', `day,at,note\n${row}\n`, query).expect(422)).body.detail.errors[0];
    const options: Record<string, string>[] = [{ mode: 'append' }, { mode: 'upsert', key: 'note' }, { types: 'day:date,at:timestamp' }];
    for (const mode of options) {
      expect(await refusalOf('03/04/24,2024-01-05,x', mode)).toMatchObject({ type: 'csv_value', line: 2, loc: ['body', 2, 'day'] });
      expect(await refusalOf('2024-01-05,today,x', mode)).toMatchObject({ type: 'csv_value', loc: ['body', 2, 'at'] });
    }
    const types = 'note:date(DD/MM/YYYY)';
    const place = { type: 'column_type', loc: ['query', 'types'] };
    expect(await refusalOf('2024-01-05,2024-01-05,05/01/2024', { mode: 'append', types })).toMatchObject(place);
    await upload('clear_days', 'day,at,note\n20240106,2024/1/6 11:00,x\n', { mode: 'append' }).expect(200);
    const { rows } = await test.pool.query('SELECT day::text, at::text FROM mirror.clear_days ORDER BY day');
    expect(rows.map(({ day, at }) => `${day} ${at}`)).toEqual(['2024-01-05 2024-01-05 10:00:00', '2024-01-06 2024-01-06 11:00:00']);
  });

  it('updates the rows with the same key and adds the others, as a map of rows does', async () => {
    const random = (seed: number) => () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
    const next = random(7);
    const expected = new Map<string, string>();
    for (let round = 0; round < 6; round++) {
      const rows = new Map(Array.from({ length: next() % 30 }, () => [`${next() % 20},"k ${next() % 3}"`, `v${next() % 1000}`]));
      const updated = [...rows.keys()].filter(key => expected.has(key)).length;
      for (const [key, value] of rows) expected.set(key, value);
      const csv = `value,a,b\n${[...rows].map(([key, value]) => `${value},${key}\n`).join('')}`;
      const { body } = await upload('upserted', csv, { mode: 'upsert', key: 'a,b' });
      expect(body).toMatchObject({ mode: 'upsert', rows: rows.size, inserted: rows.size - updated, updated });
    }
    const rows = (await rowsOf('upserted', 'a, b')).map(row => [`${row.a as string},"${row.b as string}"`, row.value]);
    expect(new Map(rows as [string, string][])).toEqual(expected);
    expect(rows).toHaveLength(expected.size);
  });

  it('refuses an upsert whose columns or keys do not fit, and changes nothing', async () => {
    await upload('kept_rows', 'id,name\n1,a\n2,b\n2,c\n').expect(201);
    const refusalOf = async (csv: string, key = 'id') =>
      (await upload('kept_rows', csv, { mode: 'upsert', key }).expect(422)).body.detail.errors[0];
    expect(await refusalOf('id\n1\n')).toMatchObject({ type: 'missing_column', line: 1 });
    expect(await refusalOf('id,name,more\n1,a,b\n')).toMatchObject({ type: 'unknown_column', line: 1 });
    expect(await refusalOf('id,name\n1,z\n', 'nr')).toMatchObject({ type: 'unknown_column', loc: ['query', 'key'] });
    expect(await refusalOf('id,name\n1,z\n\n"3","x\ny"\n1,y\n')).toMatchObject({ type: 'csv_key_repeated', line: 6 });
    expect(await refusalOf('id,name\n1,z\n\n,y\n')).toMatchObject({ type: 'csv_key_empty', line: 4, loc: ['body', 4, 'id'] });
    expect(await refusalOf('id,name\n1,z\nx,y\n')).toMatchObject({ type: 'csv_value', line: 3 });
    expect(await refusalOf('id,name\n2,z\n')).toMatchObject({ type: 'key_not_unique', loc: ['query', 'key'] });
    expect((await rowsOf('kept_rows')).map(row => row.name)).toEqual(['a', 'b', 'c']);
    expect((await tableNames()).filter(name => name.startsWith('upload_'))).toEqual([]);
  });

  it('refuses rows that break the primary key and NOT NULL of a copied table, with their line', async () => {
    await upload('ruled', 'id,code,name\n1,a,x\n2,b,y\n').expect(201);
    await test.pool.query('ALTER TABLE mirror.ruled ADD PRIMARY KEY (id), ALTER code SET NOT NULL');
    const refusalOf = async (rows: string, options: Record<string, string>) =>
      (await upload('ruled', `id,code,name\n${rows}`, options).expect(422)).body.detail.errors[0];
    expect(await refusalOf('3,c,z\n1,d,w\n', { mode: 'append' })).toMatchObject({ line: 3, msg: expect.stringContaining('primary key') });
    expect(await refusalOf('3,c,z\n4,,w\n', { mode: 'append' })).toMatchObject({ line: 3, msg: expect.stringContaining('NOT NULL') });
    expect(await refusalOf('1,q,z\n2,,w\n', { mode: 'upsert', key: 'id' })).toMatchObject({
      type: 'csv_value_missing',
      line: 3,
      loc: ['body', 3, 'code'],
    });
    expect(await refusalOf('2,c,z\n', { mode: 'upsert', key: 'code' })).toMatchObject({ type: 'key_not_primary', loc: ['query', 'key'] });
    expect((await rowsOf('ruled')).map(row => row.name)).toEqual(['x', 'y']);
  });

  it('refuses an upsert of as many columns as a table may have', async () => {
    const csv = `${Array.from({ length: 1600 }, (_, index) => `c${index}`).join(',')}\n`;
    const { body } = await upload('widest', csv, { mode: 'upsert', key: 'c0' }).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_too_many_columns', line: 1 });
    await upload('widest', csv).expect(201);
  });

  it.each([
    ['a replacement takes the place of a table that was dropped meanwhile', '', 204, 200],
    ['an upsert keeps its table from being dropped', '?mode=upsert&key=a', 409, 200],
  ])(
    '%s',
    async (_title, query, dropped, loaded) => {
      await upload('dropped_meanwhile', 'a,b\n1,x\n');
      const { request, answer } = rawUpload(`dropped_meanwhile${query}`);
      request.write(`a,b\n${Array.from({ length: 300_000 }, (_, index) => `${index},y\n`).join('')}`);
      await until(async () => (await runningUploads()) > 0);
      await test.admin.delete(`${tablesPath}/dropped_meanwhile`).expect(dropped);
      request.end('300000,z\n');
      expect((await answer).status).toBe(loaded);
      expect(await rowsOf('dropped_meanwhile')).toHaveLength(300_001);
    },
    60_000,
  );

  it('refuses a header without end before its bytes are gathered (risk: everyone waits while they are read)', async () => {
    const { body } = await upload('endless', `"a${'x'.repeat(3_000_000)}`).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_header_too_long', line: 1 });
  });

  it('refuses a body that is no CSV, and options that break their schema', async () => {
    await test.admin.put(`${tablesPath}/t`).send({ a: 1 }).expect(415);
    const { body } = await upload('t', 'a\n1\n', { mode: 'merge', delimiter: '#' }).expect(422);
    expect(body.detail.errors.map((error: { loc: string[] }) => error.loc[1])).toEqual(['mode', 'delimiter']);
  });

  it('holds a large upload in bounded memory', async () => {
    const line = '12345678,some text of a line that is neither short nor long,2024-01-01,12.50,true\n';
    const chunk = Buffer.from(line.repeat(800));
    const chunks = Math.ceil(100e6 / chunk.length);
    function* body(): Generator<Buffer> {
      yield Buffer.from('id,note,at,price,active\n');
      for (let index = 0; index < chunks; index++) yield chunk;
    }
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
    const { request, answer } = rawUpload('large');
    Readable.from(body()).pipe(request);
    const { status, body: result } = await answer;
    clearInterval(watch);
    expect([status, result.rows]).toEqual([201, chunks * 800]);
    expect((peak - before) / 1e6).toBeLessThan(60);
  }, 60_000);

  describeWithShared('real files', 'data', () => {
    const file = (name: string): Buffer => readFileSync(path.join(sharedFolder, 'data', name));
    const typesIn = (body: { columns: { name: string; type: string }[] }): Record<string, string> =>
      Object.fromEntries(body.columns.map(column => [column.name, column.type]));

    it('loads Northwind, with its codes as text', async () => {
      const counts: Record<string, number> = {
        customers: 91,
        orders: 830,
        order_details: 2155,
        products: 77,
        suppliers: 29,
        employees: 9,
        territories: 53,
      };
      for (const [table, rows] of Object.entries(counts)) {
        const { body } = await upload(table, file(`northwind/csv/${table}.csv`)).expect(201);
        expect([table, body.rows]).toEqual([table, rows]);
      }
      const territories = (await user.get(`${tablesPath}/territories`)).body;
      expect(typesIn(territories).territory_id).toBe('text');
      expect(territories.sample[0].territory_id).toBe('01581');
      const orders = typesIn((await user.get(`${tablesPath}/orders`)).body);
      expect(orders).toMatchObject({ order_id: 'integer', order_date: 'date', freight: 'numeric', ship_postal_code: 'text' });
      const { rows } = await test.pool.query(
        `SELECT extract(year FROM order_date)::int AS year, round(sum(unit_price * quantity * (1 - discount)), 2)::text AS revenue
         FROM mirror.orders JOIN mirror.order_details USING (order_id) GROUP BY 1 ORDER BY 1`,
      );
      expect(rows.map(row => row.revenue)).toEqual(['208083.97', '617085.20', '440623.87']);
    });

    it('loads the divisions of China, as numbers by default and as text when asked', async () => {
      const counts: Record<string, number> = { provinces: 31, cities: 342, areas: 2978, streets: 41352 };
      for (const [table, rows] of Object.entries(counts)) {
        expect((await upload(table, file(`china_divisions/${table}.csv`)).expect(201)).body.rows).toBe(rows);
      }
      const asText = await upload('provinces', file('china_divisions/provinces.csv'), { types: 'code:text' }).expect(200);
      expect(typesIn(asText.body)).toEqual({ code: 'text', name: 'text' });
    });

    it('loads OpenFlights, which has no header and its own null marker', async () => {
      const columns = 'airline,airline_id,source,source_id,destination,destination_id,codeshare,stops,equipment';
      const { body } = await upload('routes', file('openflights/routes.dat'), { header: 'false', columns, null: '\\N' }).expect(201);
      expect(body.rows).toBe(67_663);
      expect(typesIn(body)).toMatchObject({ airline_id: 'integer', source_id: 'integer', stops: 'integer', codeshare: 'text' });
      const airports = 'id,name,city,country,iata,icao,latitude,longitude,altitude,timezone,dst,tz,type,source';
      const loaded = await upload('airports', file('openflights/airports.dat'), { header: 'false', columns: airports, null: '\\N' }).expect(
        201,
      );
      expect(typesIn(loaded.body)).toMatchObject({ id: 'integer', latitude: 'numeric', iata: 'text' });
    });

    it('loads a GB18030 file to the same rows as the UTF-8 one, and says what to do when not told', async () => {
      const utf8 = file('china_divisions/cities.csv').toString('utf8');
      await upload('cities_utf8', utf8).expect(201);
      const gb18030 = encodeGbk(utf8);
      await upload('cities_gb', gb18030, { encoding: 'gb18030' }).expect(201);
      const { rows } = await test.pool.query('SELECT count(*)::int AS n FROM mirror.cities_utf8 JOIN mirror.cities_gb USING (code, name)');
      expect(rows[0].n).toBe(342);
      const { body } = await upload('cities_gb', gb18030).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ type: 'csv_not_utf8', line: 2 });
      expect(body.detail.errors[0].msg).toContain('encoding=gb18030');
    });
  });
});

/** Node decodes GBK but does not encode it, so the table is inverted. */
function encodeGbk(text: string): Buffer {
  const decoder = new TextDecoder('gb18030');
  const codes = new Map<string, Buffer>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const bytes = Buffer.from([lead, trail]);
      const character = decoder.decode(bytes);
      if (trail !== 0x7f && [...character].length === 1) codes.set(character, bytes);
    }
  }
  return Buffer.concat([...text].map(character => codes.get(character) ?? Buffer.from(character)));
}
