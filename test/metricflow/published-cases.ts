/** A request whose result MetricFlow publishes. */
export interface PublishedCase {
  metrics: string[];
  request?: object;
  /** The number of leading columns that identify a row. */
  keys: number;
  /** Requests whose rows together, in this order, are the published ones. */
  ranges?: object[];
  isOrdered?: true;
  /** For each published column the index of ours, if the orders differ. */
  places?: number[];
}

const day = { grain: 'day' };
const between = (from: string, to: string, more: object = {}) => ({ time: { grain: 'day', from, to, ...more } });

const ofAlienDay = (alienDay: string, from: string, to: string) => ({
  time: { grain: 'hour', from, to },
  dimensions: ['alien_day'],
  filters: [{ field: 'alien_day', op: '=', value: alienDay }],
});

/** The published cases that can be expressed here, by their names. */
export const publishedCases: Record<string, PublishedCase> = {
  'test_conversion_metrics/test_conversion_metric': {
    metrics: ['visit_buy_conversion_rate'],
    request: { time: day },
    keys: 1,
  },
  'test_conversion_metrics/test_conversion_metric_with_window': {
    metrics: ['visit_buy_conversion_rate_7days'],
    request: { time: day },
    keys: 1,
  },
  'test_conversion_metrics/test_conversion_metric_with_categorical_filter': {
    metrics: ['visit_buy_conversion_rate'],
    request: { time: day, dimensions: ['referrer'], filters: [{ field: 'referrer', op: '=', value: 'fb_ad_1' }] },
    keys: 2,
  },
  'test_conversion_metrics/test_conversion_metric_with_filter_not_in_group_by': {
    metrics: ['visit_buy_conversions'],
    request: { time: { from: '2020-01-01', to: '2020-01-02' } },
    keys: 0,
  },
  'test_conversion_metrics/test_conversion_metric_with_different_time_dimension_grains': {
    metrics: ['visit_buy_conversion_rate_with_monthly_conversion'],
    keys: 0,
  },
  'test_conversion_metrics/test_conversion_metric_with_metric_definition_filter': {
    metrics: ['visit_buy_conversion_rate_7days'],
    request: { time: day, filter_clause: "referrer = 'fb_ad_1'" },
    keys: 1,
  },
  'test_cumulative_metrics/test_simple_cumulative_metric': {
    metrics: ['trailing_2_months_revenue'],
    request: between('2020-02-01', '2020-05-01'),
    keys: 1,
  },
  'test_cumulative_metrics/test_multiple_cumulative_metrics': {
    metrics: ['revenue_all_time', 'trailing_2_months_revenue'],
    request: between('2020-03-31', '2020-06-01'),
    keys: 1,
  },
  'test_cumulative_metrics/test_non_additive_cumulative_metric': {
    metrics: ['every_two_days_bookers'],
    request: between('2019-12-31', '2020-01-04'),
    keys: 1,
  },
  'test_cumulative_metrics/test_grain_to_date_cumulative_metric': {
    metrics: ['revenue_mtd'],
    request: between('2021-01-03', '2021-01-07'),
    keys: 1,
  },
  'test_cumulative_metrics/test_cumulative_metric_with_non_adjustable_filter': {
    metrics: ['trailing_2_months_revenue'],
    ranges: [between('2020-03-15', '2020-03-16'), between('2020-04-30', '2020-05-01')],
    keys: 1,
  },
  'test_cumulative_metrics/test_cumulative_metric_with_metric_definition_filter': {
    metrics: ['trailing_2_months_revenue'],
    request: { ...between('2020-02-01', '2020-05-01'), filter_clause: "home_state = 'CA'" },
    keys: 1,
  },
  'test_fill_nulls_with_0/test_simple_fill_nulls_with_0_metric_time': {
    metrics: ['bookings'],
    request: between('2019-11-27', '2020-01-06', { grain: 'week', fill: 'zero' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_simple_join_to_time_spine': {
    metrics: ['bookings'],
    request: between('2019-11-27', '2020-01-06', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_fill_nulls_with_0_multi_metric_query': {
    metrics: ['bookings_or_0', 'views'],
    request: between('2019-11-27', '2020-01-06', { grain: 'week', fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_timespine_metric_with_custom_granularity_filter': {
    metrics: ['bookings_by_calendar'],
    request: {
      dimensions: ['metric_time__alien_day'],
      filters: [{ field: 'metric_time__alien_day', op: '=', value: '2020-01-02' }],
    },
    keys: 1,
  },
  'test_fill_nulls_with_0/test_fill_nulls_with_0_multi_metric_query_with_categorical_dimension': {
    metrics: ['bookings_count', 'views'],
    request: { time: day, dimensions: ['is_lux'] },
    keys: 2,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by_using_agg_time': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_not_in_group_by_using_agg_time_and_metric_time': {
    metrics: ['bookings'],
    request: between('2020-01-02', '2020-01-03', { fill: 'null' }),
    keys: 1,
  },
  'test_fill_nulls_with_0/test_join_to_time_spine_with_filter_smaller_than_group_by': {
    metrics: ['archived_users'],
    request: between('2020-01-01T01:00', '2020-01-02', { fill: 'null' }),
    keys: 1,
  },
  'test_metric_filter_output/test_query_with_simple_metric_in_where_filter': {
    metrics: ['listings', 'bookings'],
    request: { dimensions: ['listing'], filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 3 }] },
    keys: 1,
  },
  'test_name_edge_cases/test_homonymous_metric_and_entity': { metrics: ['booking_value'], request: { time: day }, keys: 1 },
  'test_offset_metrics/test_offset_window_with_grain_smaller_than_offset_non_default': {
    metrics: ['bookings', 'bookings_1_year_ago', 'bookings_yoy'],
    request: { time: { grain: 'month', to: '2022-01-01' } },
    keys: 1,
  },
  'test_offset_metrics/test_offset_window_with_grain_matching_offset': {
    metrics: ['bookings', 'bookings_1_month_ago', 'bookings_mom'],
    request: { time: { grain: 'month', to: '2021-01-01' } },
    keys: 1,
  },
  'test_offset_metrics/test_offset_window_with_cumulative_input_metric': {
    metrics: ['trailing_7_days_bookings', 'trailing_7_days_bookings_offset_1_week'],
    request: { time: { ...day, to: '2021-02-01' } },
    keys: 1,
  },
  'test_query_output/test_aliases_with_metrics': {
    metrics: ['bookings'],
    request: {
      time: day,
      dimensions: ['listing', 'capacity'],
      filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 2 }],
    },
    keys: 3,
  },
  'test_query_output/test_derived_metric_alias': {
    metrics: ['booking_fees'],
    request: { time: day, filters: [{ metric: 'bookings', by: 'listing', op: '>', value: 2 }] },
    keys: 1,
  },
  'test_query_output/test_multiple_time_spines': {
    metrics: ['archived_users_or_null', 'archived_users_in_3_hours'],
    ranges: [ofAlienDay('2020-01-02', '2019-12-28', '2020-01-01'), ofAlienDay('2020-01-03', '2020-01-01', '2020-01-04')],
    keys: 2,
    places: [1, 0, 2, 3],
  },
  'test_query_output/test_saved_query_with_order_by_and_limit': {
    metrics: ['bookings', 'views'],
    request: {
      time: day,
      dimensions: ['capacity'],
      order: [{ by: 'period', dir: 'desc' }, { by: 'capacity' }, { by: 'bookings', dir: 'desc' }, { by: 'views' }],
      limit: 10,
    },
    keys: 2,
    isOrdered: true,
  },
  'test_query_output/test_scd_group_by_without_metric_time': {
    metrics: ['family_bookings'],
    request: { dimensions: ['listing__capacity'] },
    keys: 1,
  },
  'test_query_output/test_semi_additive_measure_with_where_filter': {
    metrics: ['current_account_balance_by_user'],
    request: { dimensions: ['user'], filters: [{ field: 'account_type', op: '=', value: 'savings' }] },
    keys: 1,
  },
};
