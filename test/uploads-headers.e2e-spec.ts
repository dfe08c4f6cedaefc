import { startTestApp, type TestApp } from './support/app.js';
import { uploadRequest } from './support/ingestion.js';
import { mulberry32 } from './support/seeded.js';

const question = '您对我们公司提供的售后服务的总体满意程度（单选题，一至五分）';
const survey = `序号,${question},${question}的主要原因,,备注,备注\n1,5,及时,,无,无\n2,3,"慢,""不理""",,,再联系\n`;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const upload = (table: string, file: string, query: Record<string, string> = {}, type = 'text/csv') =>
  uploadRequest(test.admin, table, file, query, type);

async function textsOf(table: string): Promise<unknown[][]> {
  return (await test.pool.query({ text: `SELECT * FROM mirror."${table}" ORDER BY ctid`, rowMode: 'array' })).rows;
}

describe('headers of surveys', () => {
  it('are refused with all their problems and the way out, which loads them in the same columns each time', async () => {
    const refused = (await upload('survey', survey).expect(422)).body;
    expect(refused.detail.errors.map(({ type }: { type: string }) => type).sort()).toEqual([
      'duplicate_column',
      'empty_name',
      'name_too_long',
      'name_too_long',
    ]);
    for (const { msg } of refused.detail.errors) expect(msg).toContain('?rename=true');
    const { body } = await upload('survey', survey, { rename: 'true' }).expect(201);
    expect(body.renamed.map(({ from }: { from: string }) => from)).toEqual([question, `${question}的主要原因`, '', '备注']);
    const rows = [[1, 5, '及时', null, '无', '无'], [2, 3, '慢,"不理"', null, null, '再联系']]; // prettier-ignore
    expect(await textsOf('survey')).toEqual(rows);
    for (const mode of ['append', 'replace']) {
      const again = (await upload('survey', survey, { mode, rename: 'true' }).expect(200)).body;
      expect([again.columns, again.renamed]).toEqual([body.columns, body.renamed]);
      expect(await textsOf('survey')).toEqual(mode === 'append' ? [...rows, ...rows] : rows);
    }
    const name = body.renamed[0].to as string;
    const key = { mode: 'upsert', key: '序号', rename: 'true' };
    expect((await upload('survey', survey.replace('2,3,', '2,4,'), key).expect(200)).body.updated).toBe(2);
    const { rows: changed } = await test.pool.query(`SELECT "${name}" AS n FROM mirror.survey ORDER BY 序号`);
    expect(changed.map(({ n }) => n)).toEqual([5, 4]);
    expect((await upload('survey', survey, { rename: 'true', types: `${name}:text` }).expect(200)).body.columns[1].type).toBe('text');
  });

  it('take the names that the caller gives by place, if the header is said to be there', async () => {
    const columns = '编号,满意度,原因,空,备注,联系';
    const missing = (await upload('named', survey, { columns }).expect(422)).body.detail.errors[0];
    expect(missing).toMatchObject({ loc: ['query', 'columns'], msg: expect.stringMatching(/header=true/) });
    const { body } = await upload('named', survey, { columns, header: 'true' }).expect(201);
    expect(body.columns.map(({ name }: { name: string }) => name)).toEqual(columns.split(','));
    expect(body.renamed[0]).toEqual({ from: '序号', to: '编号' });
    expect(body.rows).toBe(2);
    const fewer = (await upload('named', survey, { columns: 'a,b', header: 'true' }).expect(422)).body.detail.errors[0];
    expect(fewer).toMatchObject({ type: 'csv_field_count', line: 1 });
  });

  it('are taken as keys of NDJSON too', async () => {
    const ndjson = `{"id": 1, "${question}": 5}\n`;
    const type = 'application/x-ndjson';
    expect((await upload('keys', ndjson, {}, type).expect(422)).body.detail.errors[0].msg).toContain('?rename=true');
    const { body } = await upload('keys', ndjson, { rename: 'true' }, type).expect(201);
    expect(body.renamed).toEqual([{ from: question, to: body.columns[1].name }]);
    await upload('keys', ndjson, { rename: 'true', mode: 'append' }, type).expect(200);
    expect(await textsOf('keys')).toEqual([[1, 5], [1, 5]]); // prettier-ignore
  });
});

describe('numbers with decimal commas', () => {
  it('are read where they can be read in one way, and the answer says so', async () => {
    const csv = 'sep=;\r\nArtikel;Preis;Menge\r\nTee;12,50;1.234\r\nRad;1.234,00;7\r\n';
    const mixed = (await upload('preise', csv).expect(201)).body;
    expect(mixed.columns.map(({ type }: { type: string }) => type)).toEqual(['text', 'text', 'text']);
    expect(mixed).toMatchObject({
      delimiter: ';',
      warnings: ['Preis', 'Menge'].map(name => expect.stringContaining(`${name}:decimal(.,)`)),
    });
    const typed = (await upload('preise', csv, { types: 'Preis:decimal(.,),Menge:decimal(.,)' }).expect(200)).body;
    expect(typed.warnings).toEqual([]);
    expect(await textsOf('preise')).toEqual([['Tee', '12.50', '1234'], ['Rad', '1234.00', '7']]); // prettier-ignore
    const plain = (await upload('preise', csv.replace('1.234,00', '1234,00')).expect(200)).body;
    expect(plain.columns.map(({ type }: { type: string }) => type)).toEqual(['text', 'numeric', 'text']);
    expect(plain.warnings).toEqual([expect.stringContaining('Menge:decimal(.,)'), expect.stringMatching(/"Preis".*decimal sign/)]);
    expect(await textsOf('preise')).toEqual([['Tee', '12.50', '1.234'], ['Rad', '1234.00', '7']]); // prettier-ignore
  });

  it('are added to a column of numbers only as the caller says, and to no column of texts', async () => {
    await upload('added', 'id,price,note\n1,2.5,x\n').expect(201);
    const row = 'id;price;note\n2;3,5;1,5\n';
    const refused = (await upload('added', row, { mode: 'append' }).expect(422)).body.detail.errors[0];
    expect(refused).toMatchObject({ line: 2, loc: ['body', 2, 'price'], msg: expect.stringContaining('types=price:decimal(,)') });
    await upload('added', row, { mode: 'append', types: 'price:decimal(,)' }).expect(200);
    expect(await textsOf('added')).toEqual([[1, '2.5', 'x'], [2, '3.5', '1,5']]); // prettier-ignore
    const text = (await upload('added', row, { mode: 'append', types: 'note:decimal(,)' }).expect(422)).body.detail.errors[0];
    expect(text).toMatchObject({ type: 'column_type', loc: ['query', 'types'] });
  });
});

describe('ways out of a refused file', () => {
  const problem = async (table: string, file: string | Buffer, query: Record<string, string> = {}, type?: string) =>
    (await uploadRequest(test.admin, table, file, query, type).expect(422)).body.detail.errors[0];
  const kept = [[1, 'a']];

  it.each([
    ['carriage returns alone', 'id,v\r1,a\r2,b\r', 'csv_bare_carriage_return', 'LF'],
    ['carriage returns alone behind sep=;', 'sep=;\rid;v\r1;2\r', 'csv_bare_carriage_return', 'LF'],
    ['carriage returns alone in one column', 'id\r1\r2\r', 'csv_bare_carriage_return', 'LF'],
    ['a doubled carriage return', 'id,v\r\r\n1,a\r\r\n', 'csv_bare_carriage_return', 'LF'],
    ['UTF-16 without a mark', Buffer.from('id,v\n1,a\n', 'utf16le'), 'csv_nul', 'UTF-8'],
    ['a JSON list', '[{"id": 1}]\n', 'csv_other_format', 'application/x-ndjson'],
    ['a page', '<html><body>x</body></html>', 'csv_other_format', 'a web page'],
    ['a header alone', 'id,v\n\n', 'csv_no_rows', 'empty=true'],
    ['a row of too many fields', 'id,v\n1,5,a\n', 'csv_field_count', 'delimiter='],
  ])('%s never renames a column and replaces no rows', async (_title, file, type, way) => {
    await upload('guarded', 'id,v\n1,a\n');
    for (const query of [{}, { rename: 'true' }] as Record<string, string>[]) {
      expect(await problem('guarded', file, query)).toMatchObject({ type, msg: expect.stringContaining(way) });
    }
    expect(await textsOf('guarded')).toEqual(kept);
  });

  it('empties a table if that is asked, and makes and replaces empty ones without', async () => {
    await upload('emptied', 'id,v\n').expect(201);
    await upload('emptied', 'id,w\n').expect(200);
    await upload('emptied', 'id,v\n1,a\n').expect(200);
    await upload('emptied', 'id,v\n', { mode: 'append' }).expect(200);
    expect(await textsOf('emptied')).toEqual(kept);
    await upload('emptied', 'id,v\n', { empty: 'true' }).expect(200);
    expect(await textsOf('emptied')).toEqual([]);
  });

  it('gives a table that is made by any mode its types, and refuses others for one that is there', async () => {
    await upload('by_append', 'id,v\n007,a\n', { mode: 'append', types: 'id:text' }).expect(201);
    await upload('by_upsert', 'id,v\n007,a\n', { mode: 'upsert', key: 'id', types: 'id:text' }).expect(201);
    for (const table of ['by_append', 'by_upsert']) expect(await textsOf(table)).toEqual([['007', 'a']]);
    await upload('by_append', 'id,v\n008,a\n', { mode: 'append', types: 'id:text' }).expect(200);
    const refused = await problem('by_append', 'id,v\n009,a\n', { mode: 'append', types: 'id:int' });
    expect(refused).toMatchObject({ type: 'no_effect', loc: ['query', 'types'], msg: expect.stringContaining('"id" as text') });
  });

  it('names the new name of a renamed column, and quotes a name with a comma', async () => {
    const renamed = (await upload('renamed', survey, { rename: 'true' }).expect(201)).body.renamed[0].to;
    const told = expect.stringContaining(`write "${renamed}"`);
    expect(await problem('renamed', survey, { rename: 'true', types: `${question}:text` })).toMatchObject({ msg: told });
    expect(await problem('renamed', survey, { rename: 'true', mode: 'upsert', key: question })).toMatchObject({ msg: told });
    const csv = '"a,b";c\n1;2\n';
    expect((await upload('commas', csv, { types: '"a,b":text' }).expect(201)).body.columns[0]).toEqual({ name: 'a,b', type: 'text' });
    await upload('commas', csv, { mode: 'upsert', key: '"a,b"' }).expect(200);
    expect(await textsOf('commas')).toEqual([['1', 2]]);
  });

  it('quotes the value that is not of its type, and names a way that loads it', async () => {
    const value = await problem('valued', 'id,v\n1,2024年3月5日\n', { types: 'v:date' });
    expect(value.msg).toMatch(/'2024年3月5日'.*v:date\(YYYY年M月D日\)/);
    await upload('valued', 'id,v\n1,2024年3月5日\n', { types: 'v:date(YYYY年M月D日)' }).expect(201);
    expect((await problem('valued', 'id,v\n1,是\n', { types: 'v:boolean' })).msg).toMatch(/'是'.*v:text/);
    const wide = Array.from({ length: 1_600 }, (_, index) => `c${index}`).join();
    const row = Array.from({ length: 1_600 }, () => '1234567890123456789012345').join();
    expect((await problem('wide', `${wide}\n${row}\n`)).msg).toMatch(/line 2: the row is too large.*300 columns/);
    const fitting = wide.replace(/c\d+/g, '123456789');
    const late = await problem('wide', `${wide}\n${`${fitting}\n`.repeat(250)}${wide}\n`);
    expect(late).toMatchObject({ type: 'csv_row_refused', msg: expect.stringContaining('300 columns') });
    await upload('keyed', 'id,v\n1,2\n', { types: 'id:text' }).expect(201);
    await test.pool.query('ALTER TABLE mirror.keyed ADD PRIMARY KEY (id)');
    const random = mulberry32(54);
    const key = Array.from({ length: 12_000 }, () => Math.floor(random() * 36).toString(36)).join('');
    for (const query of [{ mode: 'append' }, { mode: 'upsert', key: 'id' }] as Record<string, string>[]) {
      const { msg, type } = await problem('keyed', `id,v\n2,3\n${key},1\n`, query);
      expect([type, msg]).toEqual(['csv_row_refused', expect.stringMatching(/primary key.*2,700 bytes.*shorten/)]);
      expect(msg).not.toContain('300 columns');
      if (query.mode === 'append') expect(msg).toContain('line 3: ');
    }
    expect((await problem('pretty', '{\n  "id": 1\n}\n', {}, 'application/x-ndjson')).msg).toContain('jq -c .');
  });

  it('warns of a late value that makes a column of numbers text', async () => {
    const rows = Array.from({ length: 3_000 }, (_, row) => `${row},${row}.5,2024-01-01\n`).join('');
    const { body } = await upload('late', `i,n,d\n${rows}abc,1,x\n`).expect(201);
    expect(body.warnings).toEqual([
      expect.stringMatching(/"i".*'abc' in line 3002.*integer/),
      expect.stringMatching(/"d".*'x' in line 3002.*date/),
    ]); // prettier-ignore
    const quoted = await upload('late quoted', `i,n,d\n${rows}"say ""hi""\nand go",1,\n`).expect(201);
    expect(quoted.body.warnings).toEqual([expect.stringContaining(String.raw`'say "hi"\nand go' in line 3002`)]);
    expect((await upload('codes', 'code\n12\nA3\n').expect(201)).body.warnings).toEqual([]);
  });
});
