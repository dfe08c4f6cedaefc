import { type SettingsReader } from './settings-reader.js';

/** Reads the quotas of users and the settings that limit how long records are kept. */
export function readRecordSettings(read: SettingsReader) {
  return {
    maxGraphsPerUser: read.integer('MAX_GRAPHS_PER_USER', 100, 'Graphs that one user may own; admins may own any number', { min: 1 }),
    maxApiKeysPerUser: read.integer('MAX_API_KEYS_PER_USER', 20, 'API keys in force of one user; admins may have any number', { min: 1 }),
    maxSchedulesPerUser: read.integer(
      'MAX_SCHEDULES_PER_USER',
      200,
      'Schedules of jobs, copies and watches that one user may have enabled; admins may enable any number',
      { min: 1 },
    ),
    maxWebhooksPerUser: read.integer('MAX_WEBHOOKS_PER_USER', 200, 'Webhooks that one user may have; admins may have any number', {
      min: 1,
    }),
    maxTablesPerUser: read.integer('MAX_TABLES_PER_USER', 10_000, 'Tables that one user may load; admins may load any', { min: 1 }),
    graphsMaxMbPerUser: read.integer('GRAPHS_MAX_MB_PER_USER', 51_200, 'Disk in MiB of the graphs of one user; admins may take any', {
      min: 1,
    }),
    maxRecordsPerGraph: read.integer(
      'MAX_RECORDS_PER_GRAPH',
      1000,
      'Jobs, metrics and members of a graph, each, and 256 KiB of mappings and bindings for each; admins may add any',
      {
        min: 1,
      },
    ),
    auditKeptDays: read.integer('AUDIT_KEPT_DAYS', 365, 'How long audit events are kept', { min: 1, max: 36_500 }),
    runsKeptDays: read.integer(
      'RUNS_KEPT_DAYS',
      90,
      'How long ended runs are kept; those that wrote rows, the last of a job and its last success stay',
      { min: 1, max: 36_500 },
    ),
    rejectedKeptDays: read.integer('REJECTED_KEPT_DAYS', 30, 'How long the rejected rows of a run are kept', { min: 1, max: 36_500 }),
    rejectedKeptRows: read.integer('REJECTED_KEPT_ROWS', 100_000, 'Rejected rows that a run keeps; more are only counted', {
      min: 1_000,
      max: 10_000_000,
    }),
    rejectedMaxMbPerUser: read.integer('REJECTED_MAX_MB_PER_USER', 256, 'Rejected rows kept for one user; those of old runs go first', {
      min: 1,
      max: 100_000,
    }),
    answersKeptDays: read.integer('ANSWERS_KEPT_DAYS', 7, 'How long answers of queries are stored', { min: 1, max: 36_500 }),
    answersMaxMb: read.integer('ANSWERS_MAX_MB', 64, 'Stored answers of one graph together; the oldest go first', { min: 1, max: 100_000 }),
    answersMaxCount: read.integer('ANSWERS_MAX_COUNT', 10_000, 'How many answers of one graph are stored; the oldest go first', {
      min: 10,
    }),
    storedAnswerMaxKb: read.integer('STORED_ANSWER_MAX_KB', 512, 'Largest answer that is stored; larger ones are computed each time', {
      max: 512,
    }),
    metricResultsKeptHours: read.integer('METRIC_RESULTS_KEPT_HOURS', 24, 'How long results of metrics are kept at most', {
      min: 1,
      max: 8_760,
    }),
    metricResultsMaxMb: read.integer(
      'METRIC_RESULTS_MAX_MB',
      512,
      'Kept results of metrics together, of which one caller has an eighth at most, and an equal part among more than eight; the oldest go first',
      { min: 1, max: 100_000 },
    ),
    metricResultMaxKb: read.integer('METRIC_RESULT_MAX_KB', 512, 'Largest result of a metric that is kept; 0: none is', { max: 16_384 }),
  };
}
