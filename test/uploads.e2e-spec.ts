import { gzipSync } from 'node:zlib';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { itLong } from './support/tier.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';

describe('uploads into the mirror', () => {
  let test: TestApp;
  let user: Client;

  beforeAll(async () => {
    test = await startTestApp();
    user = await test.asUser('reader');
    await grantConnection(test, 'reader');
  });
  afterAll(() => test.close());

  const upload = (table: string, csv: string | Buffer, query?: Record<string, string>) => uploadRequest(test.admin, table, csv, query);

  async function rowsOf(table: string, order = 'ctid'): Promise<Record<string, unknown>[]> {
    return (await test.pool.query(`SELECT * FROM mirror."${table}" ORDER BY ${order}`)).rows;
  }

  async function tableNames(): Promise<string[]> {
    return (await test.pool.query(`SELECT relname FROM pg_class WHERE relnamespace = 'mirror'::regnamespace AND relkind = 'r'`)).rows.map(
      row => row.relname,
    );
  }

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
      renamed: [],
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
    const told = await upload('told', csv, { delimiter: ',', encoding: 'latin1' }).expect(422);
    expect(told.body.detail.errors[0]).toMatchObject({ type: 'csv_field_count', line: 3 });
  });

  itLong('refuses a bomb of gzip, and makes no table of it', async () => {
    const bomb = await test.admin
      .put(`${tablesPath}/bomb`)
      .set('Content-Type', 'application/gzip')
      .send(gzipSync(`a\n${`${'1'.repeat(1_000)}\n`.repeat(80_000)}`))
      .expect(422);
    expect(bomb.body.detail.errors[0].type).toBe('csv_gzip_too_dense');
    expect(await tableNames()).not.toContain('bomb');
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

  it('refuses a header without end before its bytes are gathered (risk: everyone waits while they are read)', async () => {
    const { body } = await upload('endless', `"a${'x'.repeat(3_000_000)}`).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ type: 'csv_header_too_long', line: 1 });
  });

  it('refuses a body that is no CSV, and options that break their schema', async () => {
    await test.admin.put(`${tablesPath}/t`).send({ a: 1 }).expect(415);
    const { body } = await upload('t', 'a\n1\n', { mode: 'merge', delimiter: '#' }).expect(422);
    expect(body.detail.errors.map((error: { loc: string[] }) => error.loc[1])).toEqual(['mode', 'delimiter']);
  });
});
