import { calendarDays, hourlyDays } from './tables.js';

/** Our request that corresponds to a check query. */
export interface Asked {
  /** Our metrics that replace those of the check, in the same order. */
  metrics?: string[];
  /** If there are several requests, their rows are joined in this order. */
  request: object | object[];
  /** Columns of the check that follow from another column and are left out here. */
  implied?: string[];
  how?: string;
}

export const by = (...dimensions: string[]) => ({ dimensions });
export const at = (grain: string, ...dimensions: string[]) => ({ time: { grain }, dimensions });
export const day = at('day');
/** `to` is exclusive here. */
export const between = (from: string, to: string, grain = 'day', ...dimensions: string[]) => ({ time: { grain, from, to }, dimensions });
export const until = (to: string, grain = 'day') => ({ time: { grain, to } });
export const only = (filter_clause: string) => ({ filter_clause });
export const where = (metric: string, by: string, value: number) => ({ metric, by, op: '>', value });

/** The whole calendar, with empty periods filled. */
export const calendar = (grain: string, fill: string, more: object = {}) => ({
  time: { grain, from: calendarDays.from, to: calendarDays.to, fill },
  ...more,
});
export const hourly = { time: { grain: 'hour', ...hourlyDays } };
/** All hours before 06:00 of the last day. */
export const hoursUpTo5 = { time: { grain: 'hour', from: '2020-01-01T02:00', to: '2020-01-03T06:00', fill: 'null' } };
export const endHow = '`to` says where the periods end; without it they end with the data';
export const laterHow = 'a binding whose time is days later, `ds + 5`';
export const filterHow = 'the filter of the metric is a filter of the request';
export const wholeHow = 'the range in whole periods';
export const calendarJoin = 'the calendar is a joined table, its days a dimension';
export const query = 'the join by a span is the SELECT of the binding';
export const rowsHow = 'the groups of a metric that counts rows';

export const onlyUs = only("listing__country_latest = 'us'");
export const sinceAlien = (column: string) => only(`${column} >= DATE '2019-12-20'`);

export const cumulative = between('2020-03-05', '2021-01-05');
