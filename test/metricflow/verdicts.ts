import { type Asked, at, between, by } from './request-parts.js';
import { equal } from './requests.js';
import { calendarDays } from './tables.js';

export interface Different extends Asked {
  why: string;
  /** The number of rows that only one side has. All other rows are equal. */
  rows: { ours: number; theirs: number };
}

/** Checks whose rows differ because of a definition. */
export const different: Record<string, Record<string, Different>> = {
  cumulative_metric: {
    grain_to_date_metric_with_non_default_grains: {
      metrics: ['revenue_mtd_first'],
      request: at('quarter'),
      implied: ['revenue_instance__ds__year'],
      rows: { ours: 0, theirs: 1 },
      why: '`FIRST` is the window of the first day of a period, there of the first day whose window holds a row',
    },
  },
  join_to_timespine: {
    test_constraint_on_measure_selected_in_group_by: {
      metrics: ['instant_bookings_with_measure_filter'],
      request: { time: { grain: 'day', from: '2020-01-01', to: calendarDays.to, fill: 'null' }, ...by('booking__is_instant') },
      rows: { ours: 628, theirs: 628 },
      why: 'an empty day has a row for each tuple of dimensions, there it has one without dimensions',
    },
  },
  metrics: {
    cumulative_time_offset_metric_with_time_constraint: {
      request: between('2019-12-19', '2020-01-03'),
      rows: { ours: 1, theirs: 0 },
      why: 'the range bounds the periods of the answer, there also the periods that an offset reads',
    },
  },
  semi_additive_measure: {
    semi_additive_measure_query_with_where_time_constraint: {
      request: { time: { from: '2020-01-03' }, ...by('account__account_type') },
      rows: { ours: 1, theirs: 0 },
      why: '`FIRST` without a key takes the first day of each tuple of dimensions, there of all rows',
    },
  },
};

/** Checks that cannot be expressed here: the names by reason and by file. */
export const notExpressible: Record<string, Record<string, string[]>> = {
  'no table: `mf_time_spine_second` is not among those published': { constraints: ['test_subdaily_time_constraint'] },
  'two grains of time for one window': {
    cumulative_metric: ['all_time_metric_with_non_default_grains', 'window_metric_with_non_default_grains'],
  },
  'a query without a metric, over tables that no metric joins': {
    dimensions: [
      'query_dimensions_from_different_tables',
      'query_dimension_with_constraint_from_diff_source',
      'metric_time_with_other_dimensions',
      'query_dimensions_with_time_constraint',
      'distinct_values_query_with_metric_filter',
      'no_dedupe',
      'saved_query_no_dedupe',
    ],
    granularity: ['test_no_metrics_with_custom_granularity_filter', 'test_no_metrics_with_custom_granularity_in_filter_and_group_by'],
  },
  'a window, an offset or `fill` by a calendar of its own (`alien_day`)': {
    granularity: [
      'cumulative_metric_with_custom_granularity',
      'test_join_to_time_spine_metric_grouped_by_custom_grain',
      'custom_offset_window',
      'custom_offset_window_with_grain_and_date_part',
    ],
  },
  'an offset to the start of a grain': {
    metrics: [
      'derived_metric_with_offset_to_grain',
      'derived_metric_with_offset_window_and_offset_to_grain',
      'derived_metric_with_offset_to_grain_and_granularity',
      'derived_metric_with_offset_window_and_offset_to_grain_and_granularity',
      'derived_metric_with_offset_to_grain_and_multiple_granularities',
      'nested_derived_metric_outer_offset_multiple_input_metrics',
      'offset_to_grain_with_agg_time_dim',
    ],
  },
  'a join that repeats rows is refused: an account stands in two partitions, and each listing in 37 rows': {
    granularity: [
      'query_granularity_for_joined_dundered_dimension_day',
      'query_granularity_for_joined_dundered_dimension_month',
      'metrics_with_different_time_granularities_and_no_metric_time',
    ],
    multi_hop_join: [
      'multihop_join',
      'multihop_join_two_dims_different_sources',
      'multihop_join_two_dims_same_source',
      'mixed_length_joins',
    ],
  },
};

type Verdict = readonly [key: string, verdict: string, reason: string];

/** Each check with its verdict. */
export function verdicts(): Verdict[] {
  const of = <T>(cases: Record<string, Record<string, T>>, verdict: string, reason: (each: T) => string) =>
    named(cases).map(([key, each]): Verdict => [key, verdict, reason(each)]);
  const missing = Object.entries(notExpressible).flatMap(([reason, files]) =>
    Object.entries(files).flatMap(([file, names]) => names.map((name): Verdict => [`${file}/${name}`, 'not expressible', reason])),
  );
  return [...of(equal, 'equal', ({ how = '' }) => how), ...of(different, 'differs by definition', ({ why }) => why), ...missing];
}

/** The section of docs/metricflow.md, with one table row for each verdict and reason. */
export function verdictSection(): string {
  const all = verdicts();
  const rows = new Map<string, { row: string; files: Map<string, string[]> }>();
  for (const [key, ...rest] of all) {
    const [file, name] = key.split('/') as [string, string];
    const row = `| ${rest.join(' | ')} |`;
    // Checks without a reason are grouped by file, because together they would be too long for one row.
    const group = rest[1] === '' ? file + row : row;
    const { files } = rows.get(group) ?? { files: new Map<string, string[]>() };
    rows.set(group, { row, files: files.set(file, [...(files.get(file) ?? []), name]) });
  }
  const listed = [...rows.values()].map(
    ({ row, files }) => `| ${[...files].map(([file, names]) => `**${file}**: ${names.join(', ')}`).join('; ')} ${row}`,
  );
  const count = (verdict: string) => all.filter(each => each[1] === verdict).length;
  return `## Check queries

Each of MetricFlow's integration tests has a query in which its authors say what is right. ${count('equal')} of ${all.length} have equal answers here,
${count('differs by definition')} differ by definition and ${count('not expressible')} cannot be expressed; three more stand there in comments. \`test/metricflow-checks.long-spec.ts\` runs each query beside
our request (\`test/metricflow/requests.ts\`) and fails when this table no longer says what it sees. Decimals and counts are compared to the digit,
doubles to nine digits. Three years of the calendar's days are loaded. \`UPDATE_GOLDEN=1\` writes the table.

| tests | verdict | why, or how |
| --- | --- | --- |
${listed.join('\n')}
`;
}

export const named = <T>(cases: Record<string, Record<string, T>>): [string, T][] =>
  Object.entries(cases).flatMap(([file, of]) => Object.entries(of).map(([name, value]): [string, T] => [`${file}/${name}`, value]));
