import { citeSources, keyOfRow, toCitations } from './to-citations.js';

const schema = {
  labels: [],
  edges: [],
  sources: [
    { kind: 'node' as const, name: '产品', sourceLabel: '', targetLabel: '', jobId: 1, connection: 'pg_mirror', connectionId: 1, table: 'products', queryTables: null, keyColumns: ['product_id'] },
    { kind: 'node' as const, name: '产品', sourceLabel: '', targetLabel: '', jobId: 2, connection: 'pg_mirror', connectionId: 1, table: 'old_products', queryTables: null, keyColumns: ['id'] },
  ], // prettier-ignore
};
const cited = (key: string, jobId: number | null) => ({ kind: 'node' as const, name: '产品', key, jobId, loadedAt: null });

describe('toCitations', () => {
  it('names the table of the job that wrote the node, each row once', () => {
    const { citations } = toCitations(schema, [cited('7', 2), cited('8', 1), cited('7', 2)]);
    expect(citations.map(({ table, key }) => [table, key])).toEqual([
      ['old_products', { id: '7' }],
      ['products', { product_id: '8' }],
    ]);
  });

  it('names the table of the pair of labels that an edge joins when one job maps its type several times', () => {
    const source = {
      kind: 'edge' as const,
      name: '属于',
      jobId: 1,
      connection: 'pg_mirror',
      connectionId: 1,
      queryTables: null,
      keyColumns: ['id'],
    };
    const sources = [
      { ...source, sourceLabel: '产品', targetLabel: '类别', table: 'product_categories' },
      { ...source, sourceLabel: '客户', targetLabel: '地区', table: 'customer_regions' },
    ];
    const edge = { kind: 'edge' as const, name: '属于', key: '7', jobId: 1, loadedAt: null };
    const tables = (...edges: Parameters<typeof toCitations>[1]) =>
      toCitations({ ...schema, sources }, edges).citations.map(({ table }) => table);
    expect(tables({ ...edge, ends: ['客户', '地区'] }, { ...edge, ends: ['产品', undefined] })).toEqual([
      'customer_regions',
      'product_categories',
    ]);
    expect(tables(edge)).toEqual([]);
  });

  it('names the table of edges without a key once, unless a node at one of their ends is read from the same table', () => {
    const source = { jobId: 1, connection: 'pg_mirror', connectionId: 1, queryTables: null };
    const nodeSource = { ...source, kind: 'node' as const, sourceLabel: '', targetLabel: '', keyColumns: ['id'] };
    const edgeSource = { ...source, kind: 'edge' as const, sourceLabel: 'Patient', targetLabel: 'Drug', keyColumns: [] };
    const sources = [
      { ...nodeSource, name: 'Patient', table: 'patients' },
      { ...nodeSource, name: 'Drug', table: 'drugs' },
      { ...edgeSource, name: 'ALLERGIC', table: 'allergies' },
      { ...edgeSource, name: 'TAKES', table: 'patients' },
    ];
    const edge = { kind: 'edge' as const, key: '', jobId: 1, loadedAt: null, ends: ['Patient', 'Drug'] as const };
    const { citations } = toCitations({ ...schema, sources }, [
      { ...edge, name: 'ALLERGIC' },
      { ...edge, name: 'TAKES' },
      { ...edge, name: 'ALLERGIC' },
    ]);
    expect(citations).toMatchObject([{ table: 'allergies', key: {}, label: 'ALLERGIC', job_id: 1 }]);
  });

  it('names no table when several are possible and the run that wrote the node is gone', () => {
    expect(toCitations(schema, [cited('7', null)]).citations).toEqual([]);
    expect(toCitations({ ...schema, sources: schema.sources.slice(0, 1) }, [cited('7', null)]).citations).toMatchObject([
      { table: 'products' },
    ]);
  });

  it('names the tables that a query reads, and takes queries over other tables for other sources', () => {
    const source = { ...schema.sources[0]!, table: 'query', keyColumns: ['id'] };
    const sources = [
      { ...source, jobId: 1, queryTables: ['orders', 'customers'] },
      { ...source, jobId: 2, queryTables: ['products'] },
      { ...source, jobId: 3, queryTables: null },
    ];
    const tables = (...jobs: (number | null)[]) =>
      toCitations(
        { ...schema, sources },
        jobs.map((job, i) => cited(String(i), job)),
      ).citations.map(({ table, query_tables }) => [table, query_tables]);
    expect(tables(1, 2, 3)).toEqual([
      ['query', ['orders', 'customers']],
      ['query', ['products']],
      ['query', undefined],
    ]);
    expect(tables(null)).toEqual([]);
    expect(citeSources([...sources, { ...sources[1]!, jobId: 4 }]).map(each => each.query_tables)).toEqual([
      ['orders', 'customers'],
      ['products'],
      undefined,
    ]);
  });

  it('reports that not all are listed', () => {
    const { citations, more } = toCitations(
      schema,
      Array.from({ length: 201 }, (_, i) => cited(String(i), 1)),
    );
    expect([citations.length, more]).toEqual([200, true]);
  });

  // With a comparison of all sources for each edge, this takes an hour.
  it('cites the sources of edges that have very many sources', () => {
    const names = Array.from({ length: 100 }, (_, i) => `a table with a long name ${i}`);
    const sources = Array.from({ length: 2_000 }, (_, i) => ({
      ...{ kind: 'edge' as const, name: '属于', sourceLabel: `A${i}`, targetLabel: `B${i}`, jobId: 1, connection: 'c', connectionId: 1 },
      ...{ table: 'query', queryTables: [...names], keyColumns: ['id'] },
    }));
    const edges = Array.from({ length: 50_000 }, (_, i) => ({
      kind: 'edge' as const,
      name: '属于',
      key: `${i}`,
      jobId: 1,
      loadedAt: null,
    }));
    const { citations, more } = toCitations({ labels: [], edges: [], sources }, edges);
    expect([citations.length, citations[0]?.query_tables, more]).toEqual([200, names, true]);
  });
});

describe('keyOfRow', () => {
  it('splits the key of several columns and keeps a key of one as it is', () => {
    expect(keyOfRow(['order_id', 'line_no'], '["10248", "11"]')).toEqual({ order_id: '10248', line_no: '11' });
    expect(keyOfRow(['code'], '["a", "b"]')).toEqual({ code: '["a", "b"]' });
  });
});
