import { exampleCounts, exampleTarget } from './run-counts.dto.js';

/** The description of a run's event stream in the API document. */
export const eventsDescription =
  '进度变化时（至多每秒一次）推送 progress，结束时推送 end 并关闭；失去权限时推送 access_lost。每个事件都是完整的运行记录，进度在 progress 字段。' +
  '10 秒没有事件时发送一行注释。带 Last-Event-ID 重连时不再发送已收到的状态；已收到 end 时回答 204，EventSource 便不再重连。每个用户最多同时观察 10 个。' +
  '命令行：curl -N -H "X-API-Key: $KEY" http://127.0.0.1:8080/api/ingestion/runs/1/events' +
  ' / Sends progress when something changes, at most once a second, then end, and closes; access_lost once its reader may not see the rest. ' +
  'Each event is the whole record of the run, with its progress in the field of that name. After 10 seconds without an event comes a comment. ' +
  'With Last-Event-ID, a state that was received is not sent again, and after end the answer is 204, so that an EventSource stays closed. ' +
  'A user may watch 10 at a time. On the command line: curl -N -H "X-API-Key: $KEY" http://127.0.0.1:8080/api/ingestion/runs/1/events';

const run = {
  id: 8,
  job_id: 1,
  graph_id: 1,
  revision: 1,
  allow_deletes: false,
  retires: false,
  started_by: 'user',
  full: false,
  status: 'running',
  phase: 'copying customers',
  attempt: 1,
  cancel_requested: false,
  report: { source: { connection: 'sales', guarantee: 'snapshot', copied: { tables: 0, rows: 400_000, bytes: 21_300_000 } }, targets: [] },
  progress: {
    step: 'copying',
    of: 'customers',
    step_seconds: 2.2,
    rows: 400_000,
    rows_per_second: 181_000,
    bytes: 21_300_000,
    bytes_per_second: 9_640_000,
    expected_rows: 1_000_000,
    expected_from: 'last_run',
    rows_so_far: { copied: 400_000, staged: 0, written: 0 },
    remaining_seconds: 19,
    remaining_of: 'run',
    remaining_from: 'rate_and_last_run',
    remaining_reason: null,
    last_run: { run_id: 7, duration_ms: 21_500, share_before: 0.004, share_of_step: 0.26 },
  },
  error: null,
  created_at: '2026-01-05T08:00:00.000Z',
  started_at: '2026-01-05T08:00:00.200Z',
  finished_at: null,
};

const ended = { report: { targets: [exampleTarget], totals: exampleCounts } };

export const exampleEvents = [
  `event: progress\nid: kX3vY0mZb1pQ4sTa\nretry: 2000\ndata: ${JSON.stringify(run)}`,
  ': alive',
  `event: end\nid: Jr9fQw2LcUe7HnDx\nretry: 2000\ndata: ${JSON.stringify({ ...run, ...ended, status: 'succeeded', phase: null, progress: null, finished_at: '2026-01-05T08:00:21.700Z' })}`,
].join('\n\n');
