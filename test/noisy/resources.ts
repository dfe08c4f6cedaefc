import * as fc from 'fast-check';
import { queryResources } from './query-resources.js';
import { deep, queries, type Resource } from './resource.js';
import { mappingOf, type Owner } from './world.js';

const crossOf = (tables: number, select: string, where = '') =>
  `SELECT ${select} FROM ${Array.from({ length: tables }, (_, index) => `noisy_rows t${index}`).join(', ')} ${where}`;

/** Makes a metric over each SQL relation. Returns the ids of those that the service accepted. */
async function metricsOver(noisy: Owner, relations: { sql: string; dimension: string; formula: string }[]): Promise<number[]> {
  const made: number[] = [];
  for (const [index, { sql, dimension, formula }] of relations.entries()) {
    const { status, text } = await noisy.caller.send({
      path: '/metrics',
      body: {
        graph_id: noisy.graphId,
        name: `指标 ${index}`,
        formula,
        binding: { relation: { sql }, dimensions: [{ name: '维', column: dimension }] },
      },
    });
    if (status === 201) made.push((JSON.parse(text) as { id: number }).id);
  }
  if (made.length === 0) throw new Error('None of these metrics was saved');
  return made;
}

const executions = (made: number[], most = 16) =>
  fc
    .array(fc.record({ limit: fc.integer({ min: 1, max: 10_000 }), totals: fc.boolean() }), { minLength: most / 2, maxLength: most })
    .map(options =>
      options.map((option, index) => ({ path: `/metrics/${made[index % made.length]}/execute`, body: { ...option, dimensions: ['维'] } })),
    );

export const resources: Resource[] = [
  ...queryResources,
  {
    name: 'warehouse connections',
    sends: 'slow metrics over cross products, sixteen at once',
    prepare: noisy =>
      metricsOver(noisy, [
        { sql: crossOf(3, 't0.id AS id, t1.grp AS grp', 'WHERE t0.id * t1.id = t2.id * 7919 + 1'), dimension: 'grp', formula: 'SUM(id)' },
        { sql: crossOf(3, 't0.id AS id, t1.name AS grp'), dimension: 'grp', formula: 'COUNT(DISTINCT id)' },
      ]),
    waves: (_, made) => executions(made),
  },
  {
    name: 'memory, by growing metrics',
    sends: 'metrics over concat(), string_agg() and array_agg() that multiply a text',
    prepare: noisy => {
      const ten = (text: string) => `concat(${Array.from({ length: 10 }, () => text).join(', ')})`;
      const nested = (levels: number): string =>
        levels === 0 ? 'SELECT id, long AS t FROM noisy_rows' : `SELECT id, ${ten('q.t')} AS t FROM (${nested(levels - 1)}) q`;
      return metricsOver(noisy, [
        { sql: nested(2), dimension: 't', formula: 'SUM(id)' },
        { sql: crossOf(2, 't0.id AS id, concat(t0.long, t1.long) AS t'), dimension: 't', formula: 'COUNT(DISTINCT id)' },
        { sql: nested(3), dimension: 't', formula: 'SUM(id)' },
        { sql: nested(6), dimension: 't', formula: 'SUM(id)' },
        { sql: crossOf(2, `t0.grp AS id, string_agg(t0.long, ',') AS t`, 'GROUP BY t0.grp'), dimension: 't', formula: 'SUM(id)' },
        { sql: crossOf(2, `t0.grp AS id, array_agg(t0.long)::text AS t`, 'GROUP BY t0.grp'), dimension: 't', formula: 'SUM(id)' },
        { sql: `SELECT id, repeat(long, 1000) AS t FROM noisy_rows`, dimension: 't', formula: 'SUM(id)' },
        { sql: `SELECT id, lpad(long, 100000000) AS t FROM noisy_rows`, dimension: 't', formula: 'SUM(id)' },
      ]);
    },
    waves: (_, made) => executions(made, 8),
  },
  {
    name: 'uploads',
    sends: 'large, endless, slow, broken and abandoned CSV',
    waves: noisy =>
      fc
        .array(
          fc.oneof(
            fc.record({
              body: fc.constant(`1,${'x'.repeat(60_000)}\n`),
              pieces: fc.record({ count: fc.integer({ min: 200, max: 600 }), pauseMs: fc.constant(0) }),
            }),
            fc.record({
              body: fc.constant('1,2\n'),
              pieces: fc.record({ count: fc.constant(1_000), pauseMs: fc.integer({ min: 20, max: 200 }) }),
            }),
            fc.record({
              body: fc.constant(`"${'x'.repeat(60_000)}`),
              pieces: fc.record({ count: fc.constant(400), pauseMs: fc.constant(0) }),
            }),
            fc.record({
              body: fc.constant(`${Array.from({ length: 1_599 }, (_, index) => `c${index}`).join(',')}\n`),
              pieces: fc.record({ count: fc.constant(500), pauseMs: fc.constant(0) }),
            }),
            fc.record({
              body: fc.constant('1,2\n'.repeat(10_000)),
              pieces: fc.record({ count: fc.constant(100), pauseMs: fc.constant(5) }),
              hangUpMs: fc.integer({ min: 100, max: 1_000 }),
            }),
          ),
          { minLength: 8, maxLength: 20 },
        )
        .map(bodies =>
          bodies.map((ask, index) => ({
            method: 'PUT',
            path: `/warehouse/connections/1/tables/noisy_${noisy.graphId}_${index % 6}`,
            ...ask,
          })),
        ),
  },
  {
    name: 'runs',
    sends: 'jobs whose queries are cross products, with a statement_timeout of 24 hours',
    prepare: async noisy => {
      const made: number[] = [];
      for (let index = 0; index < 5; index++) {
        const slow = mappingOf('noisy_rows', ', statement_timeout: 24h').replaceAll(
          'table: noisy_rows',
          `query: ${crossOf(3, 't0.id, t0.name, t0.grp, t0.long', `WHERE t0.id * t1.id = t2.id * ${7919 + index} + 1`)}`,
        );
        for (const mapping_yaml of [slow, slow.replace('24h', '60s')]) {
          const { status, text } = await noisy.caller.send({ path: '/ingestion/jobs', body: { graph_id: noisy.graphId, mapping_yaml } });
          if (status === 201) made.push((JSON.parse(text) as { id: number }).id);
        }
      }
      return made;
    },
    waves: (noisy, made) =>
      fc
        .shuffledSubarray([noisy.jobId, ...made], { minLength: Math.min(4, made.length + 1) })
        .map(ids => ids.map(id => ({ path: `/ingestion/jobs/${id}/run`, body: {}, headers: { Prefer: 'wait=5' } }))),
  },
  {
    name: 'event streams',
    sends: 'streams of one run, forty at once, never read to the end',
    prepare: async noisy => {
      const { items } = await noisy.caller.must<{ items: { id: number }[] }>({ path: `/ingestion/jobs/${noisy.jobId}/runs` });
      return items.map(({ id }) => id);
    },
    waves: (noisy, [run]) =>
      fc.integer({ min: 20, max: 40 }).map(count => [
        { path: `/ingestion/jobs/${noisy.jobId}/run`, body: {} },
        ...Array.from({ length: count }, () => ({
          path: `/ingestion/runs/${run}/events`,
          headers: { Accept: 'text/event-stream' },
          hangUpMs: 3_000,
        })),
      ]),
  },
  {
    name: 'hashing',
    sends: 'logins, registrations and password changes with wrong and long passwords',
    waves: noisy =>
      fc
        .array(
          fc.record({
            kind: fc.constantFrom('login', 'register', 'password'),
            password: fc.oneof(
              fc.string({ minLength: 8, maxLength: 128 }),
              fc.constantFrom('密'.repeat(128), 'x'.repeat(100_000), '\u0000'.repeat(64)),
            ),
          }),
          { minLength: 10, maxLength: 30 },
        )
        .map(asks =>
          asks.map(({ kind, password }, index) =>
            kind === 'password'
              ? { method: 'PUT', path: '/auth/password', body: { old_password: password, new_password: `${password}1` } }
              : { path: `/auth/${kind}`, body: { username: kind === 'login' ? noisy.username : `${noisy.username}-${index}`, password } },
          ),
        ),
  },
  {
    name: 'bodies',
    sends: 'JSON that is deep, wide or long, and texts that are slow to read',
    waves: noisy =>
      fc
        .array(
          fc.oneof(
            fc
              .constantFrom(1_000, 100_000, 250_000)
              .map(depth => ({ path: `/graphs/${noisy.graphId}/query`, body: deep(depth, '[', ']') })),
            fc.constantFrom(1_000, 20_000, 60_000).map(depth => ({
              path: `/graphs/${noisy.graphId}/query`,
              body: `{"cypher":"RETURN $p AS x","parameters":{"p":${deep(depth, '{"a":', '}')}}}`,
            })),
            fc.constantFrom(10_000, 80_000).map(keys => ({
              path: '/metrics/parse',
              body: `{${Array.from({ length: keys }, (_, index) => `"k${index}":1`).join(',')}}`,
            })),
            fc
              .constantFrom(500, 2_000, 100_000)
              .map(depth => ({ path: '/metrics/parse', body: JSON.stringify({ formula: deep(depth, '(', ')') }) })),
            fc.constantFrom(5_000, 60_000).map(lines => ({
              path: '/ingestion/mappings/validate',
              body: JSON.stringify({
                mapping_yaml: `version: 1\nnodes:\n${'  - {id: a, label: b, table: c}\n'.repeat(lines)}`.slice(0, 900_000),
              }),
            })),
            fc.constantFrom(100, 5_000).map(depth => ({
              path: '/ingestion/mappings/validate',
              body: JSON.stringify({ mapping_yaml: `version: 1\nnodes: ${deep(depth, '[', ']')}` }),
            })),
          ),
          { minLength: 6, maxLength: 12 },
        )
        .map(asks => asks.map(ask => ({ ...ask, headers: { 'Content-Type': 'application/json' } }))),
  },
  {
    name: 'memory of retrieval',
    sends: 'searches of a graph that is larger than the memory for loaded graphs',
    prepare: async noisy => {
      const table = `noisy_large_${noisy.graphId}`;
      const rows = Array.from(
        { length: 150_000 },
        (_, index) => `${index},${(index * 2_654_435_761).toString(36).repeat(12)},${index % 10}`,
      );
      await noisy.caller.must({
        method: 'PUT',
        path: `/warehouse/connections/1/tables/${table}`,
        body: `id,name,grp\n${rows.join('\n')}\n`,
      });
      const { id } = await noisy.caller.must<{ id: number }>({
        path: '/ingestion/jobs',
        body: { graph_id: noisy.graphId, mapping_yaml: mappingOf(table).replaceAll('项', '大') },
      });
      await noisy.caller.must({ path: `/ingestion/jobs/${id}/run`, body: {}, headers: { Prefer: 'wait=60' } });
      return [];
    },
    waves: noisy =>
      queries(
        noisy,
        fc.string({ unit: fc.constantFrom('1', 'a', 'k', '名'), minLength: 1, maxLength: 20 }).map(search => ({ search })),
      ),
  },
];

resources.push({
  name: 'everything at once',
  sends: 'some of each of the above',
  waves: noisy =>
    fc
      .tuple(...resources.filter(({ prepare, name }) => !prepare && name !== 'everything at once').map(({ waves }) => waves(noisy, [])))
      .chain(all =>
        fc.shuffledSubarray(
          all.flatMap(wave => wave.slice(0, 3)),
          { minLength: 20 },
        ),
      ),
});
