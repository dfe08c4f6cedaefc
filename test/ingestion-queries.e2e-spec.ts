import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, aTable, counts, ingest, rowMapping, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

describe('queries', () => {
  it('loads distinct rows, and names what a query may not hold', async () => {
    const table = await aTable(app, 'a,b\nx,1\nx,1\ny,2\n', 'a:text,b:text');
    const query = (sql: string): string =>
      `version: 1\nnodes:\n  - {id: n, label: 点, query: "${sql}", key: [a], columns: [{column: a}, {column: b}]}\n`;
    const { run } = await ingest(app, query(`SELECT DISTINCT a, regexp_replace(b, '[^0-9]', '', 'g') AS b FROM ${table}`));
    expect(counts(run)['点']).toEqual([2, 2, 0, 0, 0, 0, 0]);
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: query(`SELECT n AS a, n AS b FROM generate_series(1, 9) AS n`) })
      .expect(422);
    expect(body.detail.errors).toMatchObject([{ type: 'unsafe_sql', line: 3, path: 'nodes[0].query' }]);
    expect(body.detail.errors[0].msg).toContain("a function cannot stand in FROM: 'generate_series' at character 28");
  });
});

describe('creating a job', () => {
  const refused = async (text: string): Promise<any[]> => {
    const graphId = await aGraph(app);
    const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: text }).expect(422);
    return body.detail.errors;
  };

  it('names missing tables and columns, with line and the nearest name', async () => {
    await upload(app, 'customers', 'customer_id,company_name\n1,甲\n');
    const [table] = await refused(rowMapping('custmers', []));
    expect(table).toMatchObject({ type: 'unknown_table', line: 7, column: 12, path: 'nodes[0].table' });
    expect(table.msg).toContain("did you mean 'customers'?");
    const columns = await refused(
      rowMapping('customers', ['{column: compny_name}']).replaceAll('id,', 'customer_id,').replace('key: [id]', 'key: [customer_id]'),
    );
    expect(columns.map(problem => [problem.type, problem.path, problem.line])).toEqual([
      ['unknown_column', 'nodes[0].columns[1].column', 11],
    ]);
    expect(columns[0].msg).toContain("did you mean 'company_name'?");
  });

  it('lists what does not fit the source beside what cannot be read', async () => {
    const table = await aTable(app, 'id,n\n1,2\n', 'id:text,n:int');
    const columns = [
      '{column: n, property: a, type: intt, rules: [{pattern: x}]}',
      "{column: n, property: b, rules: [{pattern: '[0-9]+'}]}",
      "{column: id, property: c, default: x, rules: [{pattern: '[0-9]+'}]}",
      '{column: nn, property: d, rules: [{min: 0}]}',
      '{column: mm, property: e, type: intt}',
      '{expression: pg_sleep(1), property: f}',
      '{expression: n > current_date, property: g}',
    ];
    const readable = rowMapping(table, columns).replace('key: [id]', 'key: [id]\n    where: pg_sleep(1) IS NULL');
    const text = `${readable}  - {id: other, label: [他], table: nowhere, key: [k], columns: [{column: k}]}
  - {id: third, label: 三, table: nowhere, key: [k], columns: [{column: k}], more: 1}
`;
    const problems = await refused(text);
    expect(problems.map(({ type, path }) => `${path} ${type}`)).toEqual([
      'nodes[0].where unsafe_sql',
      'nodes[0].columns[1].type unknown_type',
      'nodes[0].columns[2].rules[0].pattern rule_type_mismatch',
      'nodes[0].columns[3].default default_breaks_rule',
      'nodes[0].columns[4].column unknown_column',
      'nodes[0].columns[5].column unknown_column',
      'nodes[0].columns[5].type unknown_type',
      'nodes[0].columns[6].expression unsafe_sql',
      'nodes[0].columns[7].expression unsafe_sql',
      'nodes[1].label wrong_type',
      'nodes[2].table unknown_table',
      'nodes[2].more unknown_key',
    ]);
    // Without a valid connection the source is unknown, so only the mistakes of the mapping itself are listed.
    const elsewhere = text.replace('source: {', 'source: {connection: [x], ');
    expect((await refused(elsewhere)).map(({ type }) => type)).toEqual([
      'wrong_type',
      'unknown_type',
      'unknown_type',
      'wrong_type',
      'unknown_key',
    ]);
    const unknown = await refused(text.replace('source: {', 'source: {connection: x, '));
    expect(unknown.map(({ type }) => type)).toEqual([
      'unknown_connection',
      'unknown_type',
      'default_breaks_rule',
      'unknown_type',
      'wrong_type',
      'unknown_key',
    ]);
  });

  it.each([
    ['a break-out of where', 'where: "1=1) OR (1=1"', 'where'],
    ['a sub-query in where', 'where: "id IN (SELECT id FROM t1)"', 'where'],
    ['a function outside the list', 'where: "pg_sleep(1) IS NULL"', 'where'],
    ['a comparison of types that do not match', 'where: "id > current_date"', 'where'],
  ])('refuses %s at its place', async (_name, where, place) => {
    const table = await aTable(app, 'id\n1\n', 'id:text');
    const problems = await refused(rowMapping(table, []).replace('key: [id]', `key: [id]\n    ${where}`));
    expect(problems.map(problem => [problem.type, problem.path, problem.line])).toEqual([['unsafe_sql', `nodes[0].${place}`, 9]]);
  });

  describe('with a column that does not exist', () => {
    beforeAll(async () => {
      await upload(app, 'clients', 'id,company_name,City\n1,甲,x\n');
      await upload(app, 'purchases', 'id,client_id,amount\n1,1,5\n');
    });
    const refusedQuery = (query: string): Promise<any[]> => refused(rowMapping('x', []).replace('table: x', `query: ${query}`));

    it.each([
      ['SELECT id, compny_name FROM clients', 'compny_name', 12, 'company_name', 'clients: id, company_name, City'],
      [
        'SELECT p.id, p.compny_name FROM clients c JOIN purchases p ON p.client_id = c.id',
        'p.compny_name',
        14,
        null,
        'purchases: id, client_id, amount',
      ],
      ['SELECT c.id FROM clients c WHERE c.companyname IS NULL', 'c.companyname', 34, 'company_name', 'clients: id, company_name, City'],
      ['SELECT id, city FROM clients', 'city', 12, 'City', 'clients: id, company_name, City'],
      ['SELECT q.id, q.amont FROM (SELECT * FROM purchases) q', 'q.amont', 14, null, undefined],
    ])('names it in a query: %s', async (query, written, at, meant, hint) => {
      const [problem, ...others] = await refusedQuery(query);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ type: 'unknown_column', path: 'nodes[0].query', line: 7 });
      expect(problem.msg).toContain(`查询用到的列 '${written}' 不存在（第 ${at} 个字符）`);
      expect(problem.msg).toContain(`the query names a column that does not exist: '${written}' at character ${at}`);
      if (meant === null) expect(problem.msg).not.toContain('did you mean');
      else expect(problem.msg).toContain(`did you mean '${meant}'?`);
      expect(problem.hint).toBe(hint);
    });

    it('names a missing table of a query with the nearest one', async () => {
      const [problem] = await refusedQuery('SELECT id FROM purchase');
      expect(problem).toMatchObject({ type: 'unknown_table', path: 'nodes[0].query' });
      expect(problem.msg).toContain("there is no table 'purchase' at character 16; did you mean 'purchases'?");
    });

    it('names what does not fit in a query', async () => {
      const [problem] = await refusedQuery('SELECT id FROM purchases WHERE amount = current_date');
      expect(problem.type).toBe('unsafe_sql');
      expect(problem.msg).toContain("does not fit these types: '=' at character 39");
    });

    it('names it in a where and in an expression', async () => {
      const text = rowMapping('purchases', ['{expression: amont * 2, property: n}']).replace(
        'key: [id]',
        'key: [id]\n    where: client > 1',
      );
      const [where, expression] = await refused(text);
      expect(where).toMatchObject({ type: 'unknown_column', path: 'nodes[0].where', line: 9, hint: 'id, client_id, amount' });
      expect(where.msg).toContain("table 'purchases' has no column 'client' at character 1");
      expect(expression).toMatchObject({ type: 'unknown_column', path: 'nodes[0].columns[1].expression', line: 12 });
      expect(expression.msg).toContain("表 'purchases' 没有列 'amont'（第 1 个字符），是否想写 'amount'？");
      expect(expression.msg).toContain("did you mean 'amount'?");
    });

    it('names the table of an edge whose match names no column on its left', async () => {
      const edge = `edges:
  - type: 购买
    table: purchases
    from: {node: row, match: {cliant_id: id}}
    to: {node: row, match: {client_id: id}}
`;
      const [problem, ...others] = await refused(rowMapping('clients', []) + edge);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ type: 'unknown_column', path: 'edges[0].from.match.cliant_id', hint: 'id, client_id, amount' });
      expect(problem.msg).toContain("表 'purchases' 没有列 'cliant_id'，是否想写 'client_id'？");
      expect(problem.msg).toContain("table 'purchases' has no column 'cliant_id'; did you mean 'client_id'?");
    });

    it('names the column that is spelled so but for its capitals', async () => {
      const [where] = await refused(rowMapping('clients', []).replace('key: [id]', 'key: [id]\n    where: \'"city" > City\''));
      expect(where.msg).toContain('write "City" with double quotes');
    });
  });

  it.each([
    ['of another schema', 'SELECT id FROM public.users'],
    ['of the catalogue', 'SELECT rolname AS id FROM pg_authid'],
    ['that writes', 'DELETE FROM t1 RETURNING id'],
    ['of two statements', 'SELECT 1 AS id; SELECT 2 AS id'],
  ])('refuses a query %s', async (_name, query) => {
    const problems = await refused(rowMapping('x', []).replace('table: x', `query: ${query}`));
    expect(problems.map(problem => problem.type)).toEqual(['unsafe_sql']);
  });

  it.each([
    ['a bound that is not a number', '{column: n, property: n, rules: [required, {min: abc}]}', 'bad_rule_argument', 'abc'],
    ['a bound that is not a date', '{column: d, property: d, rules: [{max: 5}]}', 'bad_rule_argument', '5}'],
    ['a bound of text', '{column: s, property: s, rules: [{min: 5}]}', 'rule_type_mismatch', '5}'],
    ['a pattern of numbers', "{column: n, property: n, rules: [{pattern: '^1'}]}", 'rule_type_mismatch', '^1'],
    [
      'a length of an expression that is a number',
      '{expression: n + 1, property: n, rules: [{max_length: 3}]}',
      'rule_type_mismatch',
      '3}',
    ],
    ['a default that is not a number', '{column: n, property: n, default: none}', 'default_breaks_rule', 'none'],
  ])('refuses %s when the source decides the type', async (_name, column, type, pointedAt) => {
    const table = await aTable(app, 'id,n,d,s\na,1,2026-01-01,x\n');
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: rowMapping(table, [column]) })
      .expect(422);
    expect(body.detail.errors.map((error: any) => `${error.type}@${error.line}:${error.column}`)).toEqual([
      `${type}@11:${7 + '- '.length + column.indexOf(pointedAt)}`,
    ]);
  });

  it.each([
    ['a pattern', "{column: s, property: s, default: '12', rules: [{pattern: '[0-9]{3}'}]}", "the default '12' breaks pattern [0-9]{3}"],
    ['a format', '{column: s, property: s, default: unknown, rules: [{format: uuid}]}', "the default 'unknown' breaks format uuid"],
    ['a checksum', "{column: s, property: s, default: '11010519491231002Y', rules: [{format: id_card_cn}]}", "the default '11010519491231002Y' breaks format id_card_cn"],
    ['a country', '{column: s, property: s, default: XX, rules: [{format: iso_country}]}', "the default 'XX' breaks format iso_country"],
  ])('refuses a default that breaks %s of its own column', async (_name, column, msg) => {
    const table = await aTable(app, 'id,s\na,x\n');
    const problems = await refused(rowMapping(table, [column]));
    expect(problems).toEqual([expect.objectContaining({ type: 'default_breaks_rule', msg: expect.stringContaining(msg), path: 'nodes[0].columns[1].default' })]);
  }); // prettier-ignore

  it('takes a default that its pattern and format admit, or that they only warn of', async () => {
    const table = await aTable(app, 'id,s\na,x\n');
    const columns = [
      "{column: s, property: a, default: '123', rules: [{pattern: '[0-9]{3}'}]}",
      '{column: s, property: b, default: a@b.cn, rules: [{format: email}]}',
      '{column: s, property: c, default: none, rules: [{format: email, severity: warn}]}',
      '{column: s, property: d, default: none, rules: [{when: "s = \'x\'", rules: [{format: email}]}]}',
    ];
    await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: rowMapping(table, columns) })
      .expect(200);
  });

  it('fails a run, by name, when the source has changed to a type that a rule does not fit', async () => {
    const table = await aTable(app, 'id,n\na,1\n');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, rowMapping(table, ['{column: n, property: n, rules: [{min: 0}]}']));
    await upload(app, table, 'id,n\na,x\n');
    const { error } = await runToEnd(app, jobId);
    expect([error.code, JSON.stringify(error)]).toEqual(['source_changed', expect.stringContaining("rule 'min'")]);
  });

  it('names a connection that does not exist', async () => {
    expect((await refused(rowMapping('t1', []).replace('{timezone: Asia/Shanghai}', '{connection: nowhere}')))[0]).toMatchObject({
      type: 'unknown_connection',
      line: 2,
    });
  });

  it('validates without creating anything', async () => {
    const table = await aTable(app, 'id\n1\n', 'id:text');
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: rowMapping(table, []) })
      .expect(200);
    expect(body).toEqual({ valid: true, targets: [{ kind: 'node', target: '行', source: table }], warnings: [] });
    await app.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: 'version: 1\n' }).expect(422);
  });
});
