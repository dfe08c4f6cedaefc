import { type ServicePool } from '../database/service-pool.js';
import { atOnce } from '../text/steps.js';
import { DefaultChecks } from './check-defaults.js';
import { readMapping } from './mapping/parse-mapping.js';

/** A pool whose transactions add the parameters of their statements to `parameters`. Its statements find no broken default. */
function notedBy(parameters: unknown[][]): ServicePool {
  const client = {
    query: (_sql: string, values: unknown[] = []) => {
      parameters.push(values);
      return Promise.resolve({ rows: [] });
    },
  };
  return { transaction: (work: (of: typeof client) => unknown) => work(client) } as unknown as ServicePool;
}

const mapping = (rules: string[], value: string) => `
version: 1
source: {connection: mirror}
nodes:
  - id: n
    label: N
    table: t
    key: [k]
    columns:
      - {column: k}
      - {column: b, default: ${JSON.stringify(value)}, rules: ${JSON.stringify(rules.map(pattern => ({ pattern })))}}
`;

describe('DefaultChecks', () => {
  it('sends a default once, however many rules it has', async () => {
    const sent: unknown[][] = [];
    const value = '"'.repeat(4_000);
    const rules = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? '.' : `^.{${i % 7}}`));
    const { mapping: read } = atOnce(readMapping(mapping(rules, value)));
    await new DefaultChecks(notedBy(sent)).broken(read, 1);
    const texts = sent.flat(2).filter(each => typeof each === 'string');
    expect(texts.filter(text => text === value)).toHaveLength(1);
    expect(JSON.stringify(sent).length).toBeLessThan(40_000);
  });
});
