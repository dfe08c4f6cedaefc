import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { type TestApp } from '../support/app.js';
import { sharedFolder } from '../support/shared-data.js';

export const metricflowFolder = path.join(sharedFolder, 'data/metricflow');

/** Only these days of the published calendar are loaded: the tables have no rows on its other days, which span forty years. */
export const calendarDays = { from: '2019-01-01', to: '2022-01-01' };

/** The days for which the published calendar of hours has rows. */
export const hourlyDays = { from: '2019-12-28', to: '2020-01-04' };

export interface PublishedTable {
  name: string;
  columns: { name: string; type: string }[];
  rows: Record<string, string | null>[];
}

interface Snapshot {
  table_snapshot: { column_definitions: { name: string; type: string }[]; rows: (string | null)[][] };
}

/** @param place folder and name of the table, such as `simple_model/fct_bookings` */
export function readPublishedTable(place: string): PublishedTable {
  const text = readFileSync(path.join(metricflowFolder, 'tables', `${place}.yaml`), 'utf8');
  const { column_definitions: columns, rows } = (load(text) as Snapshot).table_snapshot;
  const name = path.basename(place);
  const named = rows.map(row => Object.fromEntries(row.map((value, index) => [columns[index]!.name, value])));
  const isKept = ({ ds }: (typeof named)[number]) => name !== 'mf_time_spine' || (ds! >= calendarDays.from && ds! < calendarDays.to);
  return { name, columns, rows: named.filter(isKept) };
}

/** Uploads a table. A time column gets the type date, unless one of its values has a time of day. */
export async function uploadPublishedTable({ admin }: TestApp, { name, columns, rows }: PublishedTable): Promise<void> {
  const types: Record<string, string> = { STRING: 'text', FLOAT: 'decimal', INT: 'integer', BOOLEAN: 'boolean' };
  const timeType = (column: string) => (rows.some(row => (row[column] ?? '').includes(':')) ? 'timestamp' : 'date');
  const typed = columns.map(column => `${column.name}:${types[column.type] ?? timeType(column.name)}`).join(',');
  const { status, text } = await admin
    .put(`/api/warehouse/connections/1/tables/${name}?types=${encodeURIComponent(typed)}`)
    .set('Content-Type', 'application/x-ndjson')
    .send(rows.map(row => JSON.stringify(row)).join('\n'));
  if (status >= 300) throw new Error(`${name}: ${text}`);
}
