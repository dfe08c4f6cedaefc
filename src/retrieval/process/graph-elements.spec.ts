import { type ElementRow, toGraphElements } from './graph-elements.js';

const row = (more: Partial<ElementRow>): ElementRow => ({
  kind: 'node',
  name: '客户',
  source_label: '',
  target_label: '',
  job_id: 1,
  aliases: [],
  connection: 'default',
  connection_id: 1,
  source_table: 'customers',
  query_tables: null,
  key_columns: ['id'],
  key_properties: ['编号'],
  display_property: null,
  properties: [],
  row_count: 2,
  labels: [],
  ...more,
});

describe('toGraphElements', () => {
  it('makes one label of what several jobs write, with one source for each', () => {
    const { labels, sources } = toGraphElements([
      row({ aliases: ['Customer'], properties: [{ name: '编号', type: 'int', column: 'id' }] }),
      row({ job_id: 2, source_table: 'vips', aliases: ['Customer', 'VIP'], properties: [{ name: '级别', type: 'string', column: null }] }),
    ]);
    expect(labels).toEqual([
      {
        name: '客户',
        aliases: ['Customer', 'VIP'],
        keyProperties: ['编号'],
        displayProperty: null,
        properties: [
          { name: '编号', type: 'int', column: 'id' },
          { name: '级别', type: 'string' },
        ],
        rowCount: 4,
        furtherLabels: [],
      },
    ]);
    expect(sources.map(({ jobId, table }) => [jobId, table])).toEqual([
      [1, 'customers'],
      [2, 'vips'],
    ]);
  });

  it('knows no key of a label whose jobs take it from different columns (risk: a look-up by key that misses the rows of one)', () => {
    const [label] = toGraphElements([row({}), row({ job_id: 2, key_properties: ['代码'] }), row({ job_id: 3 })]).labels;
    expect(label?.keyProperties).toEqual([]);
  });

  it('knows no type of a property that jobs declare differently, unless all are the same to a query', () => {
    const typeOf = (...types: string[]) =>
      toGraphElements(types.map((type, i) => row({ job_id: i, properties: [{ name: 'x', type, column: null }] }))).labels[0]?.properties[0]
        ?.type;
    expect(typeOf('int', 'string', 'int')).toBe('mixed');
    expect(typeOf('decimal(10,2)', 'decimal(12,4)')).toBe('decimal(10,2)');
  });

  it('keeps edges of one type between other labels apart', () => {
    const edge = row({ kind: 'edge', name: '属于', source_label: '客户', target_label: '地区' });
    const { edges } = toGraphElements([edge, { ...edge, job_id: 2 }, { ...edge, target_label: '国家' }]);
    expect(edges.map(({ targetLabel, rowCount }) => [targetLabel, rowCount])).toEqual([
      ['地区', 4],
      ['国家', 2],
    ]);
  });
});
