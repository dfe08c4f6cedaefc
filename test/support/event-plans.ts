import { type GoldenPlace } from './golden-metrics.js';

/** Statements that fill `events`, 20,000 sales over seven years, with indexes on their time and on their channel. */
export const fillEvents: Record<GoldenPlace, string[]> = {
  postgres: [
    `CREATE TABLE mirror.events (id int, amount int, weight numeric(12,2), key int, flag boolean, at timestamptz, buyer int, channel text)`,
    `INSERT INTO mirror.events SELECT i, i % 100, 1.5, i % 7, i % 2 = 0, timestamptz '2020-01-01 00:00+00' + i * interval '3 hour', i % 3, 'c' || i % 200
       FROM generate_series(1, 20000) AS i`,
    'CREATE INDEX events_at ON mirror.events (at)',
    'CREATE INDEX events_channel ON mirror.events (channel)',
    'ANALYZE mirror.events',
  ],
  mysql: [
    `CREATE TABLE events (id int, amount int, weight decimal(12,2), \`key\` int, flag tinyint, at timestamp NULL, buyer int, channel varchar(20),
       KEY events_at (at), KEY events_channel (channel))`,
    `INSERT INTO events SELECT seq, seq % 100, 1.5, seq % 7, seq % 2, '2020-01-01' + INTERVAL 3 * seq HOUR, seq % 3, CONCAT('c', seq % 200)
       FROM seq_1_to_20000`,
    'ANALYZE TABLE events',
  ],
  duckdb: [
    `CREATE TABLE events AS SELECT i::int AS id, (i % 100)::int AS amount, 1.5::decimal(12,2) AS weight, (i % 7)::int AS key, i % 2 = 0 AS flag,
       TIMESTAMPTZ '2020-01-01 00:00:00+00' + INTERVAL (3 * i) HOUR AS at, (i % 3)::int AS buyer, 'c' || i % 200 AS channel
       FROM range(1, 20001) AS r(i)`,
  ],
  clickhouse: [
    `CREATE TABLE events (id Int32, amount Nullable(Int32), weight Nullable(Decimal(12,2)), key Nullable(Int32), flag Bool, at DateTime('UTC'),
       buyer Int32, channel String) ENGINE = MergeTree PARTITION BY toYear(at) ORDER BY (channel, at) SETTINGS index_granularity = 16`,
    `INSERT INTO events SELECT number, number % 100, 1.5, number % 7, number % 2, toDateTime('2020-01-01 00:00:00', 'UTC') + number * 10800, number % 3,
       concat('c', toString(number % 200)) FROM numbers(1, 20000)`,
  ],
};

/** How a query plan reads the table `events`. */
export interface EventPlan {
  /** The number of times that the plan reads the table. */
  reads: number;
  /** The way to its rows: an index with its condition, or a scan of all rows with its filter. */
  found: string;
  /** Whether the database groups the rows, so that not every row leaves it. */
  isGrouped: boolean;
}

export const explaining: Record<GoldenPlace, string> = {
  postgres: 'EXPLAIN (FORMAT JSON) ',
  mysql: 'EXPLAIN ',
  duckdb: 'EXPLAIN (FORMAT JSON) ',
  clickhouse: 'EXPLAIN PLAN json = 1, indexes = 1 ',
};

type Row = Record<string, unknown>;
type Node = Row & { Plans?: Node[]; children?: Node[] };

function nodesOf(node: Node): Node[] {
  return [node, ...[...(node.Plans ?? []), ...(node.children ?? [])].flatMap(nodesOf)];
}

/** Reads the plan from the rows of EXPLAIN, for each database. */
export const readEventPlan: Record<GoldenPlace, (rows: Row[]) => EventPlan> = {
  postgres: rows => {
    const [{ Plan }] = rows[0]!['QUERY PLAN'] as [{ Plan: Node }];
    const nodes = nodesOf(Plan);
    const events = nodes.filter(node => node['Relation Name'] === 'events');
    const of = events[0]!;
    const index = nodesOf(of).find(node => node['Index Cond'] !== undefined);
    return {
      reads: events.length,
      found: index ? `${String(index['Index Name'])}: ${String(index['Index Cond'])}` : `all: ${String(of.Filter)}`,
      isGrouped: nodes.some(node => node['Node Type'] === 'Aggregate' && nodesOf(node).includes(of)),
    };
  },
  mysql: rows => {
    const events = rows.filter(({ table }) => table === 's');
    const { type, key, id } = events[0]!;
    // MySQL shows a grouped sub-select as a table `<derivedN>` among the rows of the outer statement.
    const isGrouped = rows.some(({ table }) => table === `<derived${String(id)}>`);
    return { reads: events.length, found: `${String(key)}: ${String(type)}`, isGrouped };
  },
  duckdb: rows => {
    const nodes = (JSON.parse(String(rows[0]!.plan)) as Node[]).flatMap(nodesOf);
    const infoOf = (node: Node): { Table?: string; Filters?: string | string[] } => node.extra_info as object;
    const events = nodes.filter(node => infoOf(node).Table?.endsWith('.events'));
    const isGrouped = nodes.some(node => String(node.name).includes('GROUP_BY') && nodesOf(node).includes(events[0]!));
    return { reads: events.length, found: `scan: ${String(infoOf(events[0]!).Filters)}`, isGrouped };
  },
  clickhouse: rows => {
    const text = rows.map(row => String(row.explain)).join('\n');
    const nodes = (JSON.parse(text) as { Plan: Node }[]).flatMap(({ Plan }) => nodesOf(Plan));
    const events = nodes.filter(({ Description }) => Description === 'sales.events');
    const found = (events[0]!.Indexes as Row[]).map(index => {
      const part = index['Initial Granules'] === index['Selected Granules'] ? 'all' : 'some';
      return `${part} by ${String(index.Type)}`;
    });
    const isGrouped = nodes.some(node => node['Node Type'] === 'Aggregating' && nodesOf(node).includes(events[0]!));
    return { reads: events.length, found: found.join(', '), isGrouped };
  },
};
