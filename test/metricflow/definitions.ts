/** The metrics of a model of MetricFlow, as our formulas and bindings. Dimensions have the column names of MetricFlow's checks. */
export type Model = Record<string, Definition>;

type Definition = string | { formula: string; binding: object };

const on = (binding: object, formulas: Record<string, string>): Record<string, Definition> =>
  Object.fromEntries(Object.entries(formulas).map(([name, formula]) => [name, { formula, binding }]));
const columns = (named: Record<string, string>) => Object.entries(named).map(([name, column]) => ({ name, column }));
const dated = (table: string, time: string) => ({ relation: { table }, grain: [time.split('.').at(-1)!], time: { column: time } });
const joined = (table: string, alias: string, ...pairs: [string, string][]) => ({ table, alias, on: pairs });
/** A custom calendar is an ordinary table, joined by the day. */
const calendar = (alias: string, day: string) => joined('mf_time_spine', alias, [day, `${alias}.ds`]);

const listing = (fact: string) => joined('dim_listings_latest', 'l', [`${fact}.listing_id`, 'l.listing_id']);
const ofListing = { listing__country_latest: 'l.country', listing__is_lux_latest: 'l.is_lux', listing__capacity_latest: 'l.capacity' };

const bookings = {
  ...dated('fct_bookings', 'fct_bookings.ds'),
  joins: [listing('fct_bookings')],
  dimensions: columns({
    ...ofListing,
    booking__is_instant: 'fct_bookings.is_instant',
    booking__paid_at__day: 'fct_bookings.paid_at',
    booking__ds__extract_year: 'EXTRACT(year FROM fct_bookings.ds)',
    metric_time__extract_year: 'EXTRACT(year FROM fct_bookings.ds)',
    metric_time__extract_quarter: 'EXTRACT(quarter FROM fct_bookings.ds)',
    metric_time__extract_dow: 'EXTRACT(isodow FROM fct_bookings.ds)',
    metric_time__extract_doy: 'EXTRACT(doy FROM fct_bookings.ds)',
    metric_time__extract_day: 'EXTRACT(day FROM fct_bookings.ds)',
  }),
  entities: columns({ listing: 'fct_bookings.listing_id', guest: 'fct_bookings.guest_id', host: 'fct_bookings.host_id' }),
};
/** Bookings with all joins. Each join is checked when a metric is saved, so only metrics that need the further joins use this binding. */
export const joinedBookings = {
  ...bookings,
  joins: [
    ...bookings.joins,
    joined('dim_lux_listing_id_mapping', 'lux', ['fct_bookings.listing_id', 'lux.listing_id']),
    joined('dim_users', 'u', ['l.user_id', 'u.user_id'], ['fct_bookings.ds_partitioned', 'u.ds_partitioned']),
    calendar('calendar', 'fct_bookings.ds'),
    calendar('calendar_of_listing', 'l.created_at'),
    calendar('calendar_of_user', 'u.ds'),
  ],
  dimensions: [
    ...bookings.dimensions,
    ...columns({
      booking__ds__alien_day: 'calendar.alien_day',
      metric_time__alien_day: 'calendar.alien_day',
      listing__lux_listing: 'lux.lux_listing_id',
      listing__ds__month: "date_trunc('month', l.created_at)::date",
      listing__ds__alien_day: 'calendar_of_listing.alien_day',
      listing__user__ds__alien_day: 'calendar_of_user.alien_day',
      listing__user__last_login_ts__minute: "date_trunc('minute', u.last_login_ts)",
    }),
  ],
};
const payments = { ...bookings, grain: ['paid_at'], time: { column: 'fct_bookings.paid_at' } };
const instant = { ...bookings, row_filter: 'fct_bookings.is_instant' };
/** A binding that dates each booking `days` later, for offsets in days at any grain. */
const later = (days: number) => ({
  relation: { table: 'fct_bookings' },
  grain: ['ds'],
  time: { column: `fct_bookings.ds + ${days}` },
  dimensions: columns({
    booking__ds__extract_doy: `EXTRACT(doy FROM fct_bookings.ds + ${days})`,
    metric_time__extract_month: `EXTRACT(month FROM fct_bookings.ds + ${days})`,
    metric_time__month: `date_trunc('month', fct_bookings.ds + ${days})::date`,
    metric_time__alien_day: 'calendar.alien_day',
  }),
  joins: [calendar('calendar', `fct_bookings.ds + ${days}`)],
});

const views = {
  ...dated('fct_views', 'fct_views.ds'),
  joins: [listing('fct_views'), joined('dim_users_latest', 'u', ['fct_views.user_id', 'u.user_id'])],
  dimensions: columns({ ...ofListing, user__home_state_latest: 'u.home_state_latest' }),
  entities: columns({ listing: 'fct_views.listing_id' }),
};

const listings = {
  ...dated('dim_listings_latest', 'l.created_at'),
  alias: 'l',
  joins: [joined('dim_companies', 'company', ['l.user_id', 'company.user_id']), calendar('calendar', 'l.created_at')],
  dimensions: columns({
    ...ofListing,
    user__company_name: 'company.company_name',
    listing__ds__month: "date_trunc('month', l.created_at)::date",
    metric_time__alien_day: 'calendar.alien_day',
  }),
  entities: columns({ listing: 'l.listing_id', user: 'l.user_id' }),
};

const revenue = {
  ...dated('fct_revenue', 'fct_revenue.created_at'),
  joins: [joined('dim_users_latest', 'u', ['fct_revenue.user_id', 'u.user_id'])],
  dimensions: columns({ user__home_state_latest: 'u.home_state_latest' }),
  entities: columns({ user: 'fct_revenue.user_id' }),
};

const verifications = {
  ...dated('fct_id_verifications', 'v.ds'),
  alias: 'v',
  grain: ['verification_id'],
  joins: [
    joined('dim_users', 'u', ['v.user_id', 'u.user_id'], ['v.ds_partitioned', 'u.ds_partitioned']),
    joined('dim_users_latest', 'latest', ['v.user_id', 'latest.user_id']),
  ],
  dimensions: columns({
    verification__ds__day: 'v.ds',
    verification__ds_partitioned__day: 'v.ds_partitioned',
    verification__verification_type: 'v.verification_type',
    user__home_state: 'u.home_state',
    user__home_state_latest: 'latest.home_state_latest',
  }),
};

const accounts = {
  ...dated('fct_accounts', 'fct_accounts.ds'),
  joins: [joined('dim_users_latest', 'u', ['fct_accounts.user_id', 'u.user_id'])],
  dimensions: columns({ account__account_type: 'fct_accounts.account_type', user__home_state_latest: 'u.home_state_latest' }),
  entities: columns({ user: 'fct_accounts.user_id' }),
};
const inStates = (...states: string[]) => ({
  ...accounts,
  row_filter: `u.home_state_latest IN (${states.map(state => `'${state}'`).join(', ')})`,
});

/** The entities of visits and purchases. If both must also agree in a property, such as the session, it becomes part of the entity. */
const ofUser = (table: string) => columns({ user: `${table}.user_id`, user_and_session: `${table}.user_id || ' ' || ${table}.session_id` });
const visits = {
  ...dated('fct_visits', 'fct_visits.ds'),
  joins: [calendar('calendar', 'fct_visits.ds')],
  dimensions: columns({ visit__referrer_id: 'fct_visits.referrer_id', metric_time__alien_day: 'calendar.alien_day' }),
  entities: ofUser('fct_visits'),
};
const buys = { ...dated('fct_buys', 'fct_buys.ds'), entities: ofUser('fct_buys') };

const users = {
  ...dated('dim_users', 'dim_users.created_at'),
  dimensions: columns({
    user__home_state: 'dim_users.home_state',
    user__ds__day: 'dim_users.ds',
    user__bio_added_ts__second: "date_trunc('second', dim_users.bio_added_ts)",
    user__last_profile_edit_ts__millisecond: "date_trunc('milliseconds', dim_users.last_profile_edit_ts)",
  }),
};
const archived = { ...users, grain: ['archived_at'], time: { column: 'dim_users.archived_at', min_grain: 'hour' } };

const days = { ...dated('mf_time_spine', 'ds'), dimensions: columns({ metric_time__extract_dow: 'EXTRACT(isodow FROM ds)' }) };
const hours = { relation: { table: 'mf_time_spine_hour' }, time: { column: 'ts', min_grain: 'hour' } };

const simple: Model = {
  ...on(days, { days: 'COUNT(*)', metric_time__day__min: 'MIN(ds)', metric_time__day__max: 'MAX(ds)' }),
  ...on(hours, { hours: 'COUNT(*)' }),
  ...on(joinedBookings, { bookings: 'SUM(1)', bookers: 'COUNT(DISTINCT guest_id)' }),
  ...on(bookings, {
    instant_bookings: 'SUM(is_instant)',
    booking_value: 'SUM(booking_value)',
    max_booking_value: 'MAX(booking_value)',
    min_booking_value: 'MIN(booking_value)',
    average_booking_value: 'AVG(booking_value)',
    referred_bookings: 'COUNT(referrer_id)',
    median_booking_value: 'MEDIAN(booking_value)',
    booking_value_p99: 'PERCENTILE(booking_value, 0.99)',
    discrete_booking_value_p99: 'PERCENTILE(booking_value, 0.99, DISC)',
    approximate_continuous_booking_value_p99: 'PERCENTILE(booking_value, 0.99)',
    approximate_discrete_booking_value_p99: 'PERCENTILE(booking_value, 0.99, DISC)',
    instant_booking_fraction_of_max_value: 'AVG(booking_value WHERE booking__is_instant) / MAX(booking_value)',
    lux_booking_fraction_of_max_value: 'AVG(booking_value WHERE listing__is_lux_latest) / MAX(booking_value)',
    lux_booking_value_rate_expr:
      'AVG(booking_value WHERE listing__is_lux_latest) * SUM(1 WHERE listing__is_lux_latest) / SUM(booking_value)',
    instant_booking_value_ratio: 'SUM(booking_value WHERE is_instant) / SUM(booking_value)',
    every_two_days_bookers: 'ROLLING(COUNT(DISTINCT guest_id), 2 DAY)',
  }),
  ...on(payments, { booking_payments: 'SUM(booking_value)' }),
  ...on(instant, { instant_booking_value: 'SUM(booking_value)' }),
  ...on({ ...bookings, row_filter: 'NOT fct_bookings.is_instant' }, { delayed_bookings: 'SUM(1)' }),
  ...on(
    { ...bookings, row_filter: 'fct_bookings.listing_id IS NOT NULL' },
    { booking_value_for_non_null_listing_id: 'SUM(booking_value)' },
  ),
  ...on(
    { ...instant, row_filter: 'fct_bookings.is_instant AND fct_bookings.listing_id IS NOT NULL' },
    { instant_bookings_with_measure_filter: 'SUM(1)' },
  ),
  ...on(later(5), { bookings_5_days_later: 'SUM(1)' }),
  ...on(later(7), { booking_value_last_week: 'SUM(booking_value)' }),
  ...on(views, { views: 'SUM(1)' }),
  ...on(listings, { listings: 'SUM(1)', largest_listing: 'MAX(capacity)', smallest_listing: 'MIN(capacity)' }),
  ...on({ ...listings, row_filter: 'l.is_lux' }, { lux_listings: 'SUM(1)' }),
  ...on(verifications, {
    identity_verifications: 'SUM(1)',
    verification__ds__day__min: 'MIN(ds)',
    verification__ds__day__max: 'MAX(ds)',
    verification__ds__month__min: "MIN(date_trunc('month', ds)::date)",
    verification__ds__month__max: "MAX(date_trunc('month', ds)::date)",
  }),
  ...on(revenue, { revenue: 'SUM(revenue)' }),
  ...on(accounts, {
    total_account_balance_first_day: 'FIRST(account_balance)',
    current_account_balance_by_user: 'LAST(account_balance BY user_id)',
  }),
  ...on(
    { ...accounts, time: { column: 'fct_accounts.ds_month', min_grain: 'month' } },
    { total_account_balance_first_day_of_month: 'FIRST(account_balance)' },
  ),
  ...on(inStates('CA', 'HI', 'WA'), { west_coast_balance_first_day: 'FIRST(account_balance)' }),
  ...on(inStates('MD', 'NY', 'TX'), { east_coast_balance_first_day: 'FIRST(account_balance)' }),
  ...on(visits, { visits: 'COUNT(*)' }),
  ...on(buys, { buys: 'COUNT(*)' }),
  ...on(users, { new_users: 'SUM(1)', user__home_state__min: 'MIN(home_state)', user__home_state__max: 'MAX(home_state)' }),
  ...on(archived, { archived_users: 'SUM(1)' }),
  booking_fees: '[booking_value] * 0.05',
  booking_fees_per_booker: '[booking_value] * 0.05 / [bookers]',
  booking_fees_last_week_per_booker_this_week: '[booking_value_last_week] * 0.05 / [bookers]',
  views_times_booking_value: '[booking_value] * [views]',
  bookings_per_booker: '[bookings] / [bookers]',
  bookings_per_view: '[bookings] / [views]',
  bookings_per_listing: '[bookings] / [listings]',
  bookings_per_dollar: '[bookings] / [booking_value]',
  bookings_per_lux_listing_derived: '[bookings] / [lux_listings]',
  booking_value_per_view: '[booking_value] / [views]',
  double_counted_delayed_bookings: '[delayed_bookings] * 2',
  non_referred_bookings_pct: '([bookings] - [referred_bookings]) * 1.0 / [bookings]',
  instant_plus_non_referred_bookings_pct: '[non_referred_bookings_pct] + [instant_bookings] * 1.0 / [bookings]',
  booking_value_sub_instant: '[booking_value] - [instant_booking_value]',
  booking_value_sub_instant_add_10: '[booking_value_sub_instant] + 10',
  derived_shared_alias_1a: '[bookings] - 10',
  derived_shared_alias_1b: '[bookings] - 100',
  derived_shared_alias_2: '[instant_bookings] + 10',
  regional_starting_balance_ratios: '[west_coast_balance_first_day] / [east_coast_balance_first_day]',
  popular_listing_bookings_per_booker: '[listings] / [listings]',
  trailing_2_months_revenue: 'ROLLING([revenue], 2 MONTH)',
  trailing_2_months_revenue_sub_10: 'ROLLING([revenue], 2 MONTH, AVERAGE) - 10',
  revenue_all_time: 'CUMULATIVE([revenue])',
  revenue_mtd: 'MTD([revenue])',
  revenue_mtd_first: 'MTD([revenue], FIRST)',
  bookings_growth_2_weeks: '[bookings] - GROWTH([bookings], 14 DAY, VALUE)',
  bookings_5_day_lag: 'GROWTH([bookings], 5 DAY, VALUE)',
  archived_users_in_3_hours: 'ROLLING([archived_users], 3 HOURS)',
  archived_users_of_the_hour: 'TO_DATE([archived_users], HOUR)',
  archived_users_1_hour_ago: 'GROWTH([archived_users], 1 HOUR, VALUE)',
  every_2_days_bookers_2_days_ago: 'GROWTH([every_two_days_bookers], 2 DAY, VALUE)',
  bookings_offset_twice: '4 * GROWTH([bookings], 7 DAY, VALUE)',
  bookings_fill_nulls_with_0: 'COALESCE([bookings], 0)',
  bookings_growth_2_weeks_fill_nulls_with_0_for_non_offset: 'COALESCE([bookings], 0) - GROWTH([bookings], 14 DAY, VALUE)',
  visit_buy_conversion_rate: 'CONVERSION([visits] -> [buys] BY user, RATE)',
  visit_buy_conversion_rate_7days: 'CONVERSION([visits] -> [buys] BY user WITHIN 7 DAY, RATE)',
  visit_buy_conversion_rate_by_session: 'CONVERSION([visits] -> [buys] BY user_and_session WITHIN 7 DAY, RATE)',
};

const extended: Model = {
  ...on(dated('fct_bookings_extended', 'ds'), { bookings: 'SUM(booking)', unique_listings_booked: 'COUNT(DISTINCT listing_id)' }),
  ...on(
    { ...dated('fct_bookings_extended_monthly', 'ds'), time: { column: 'ds', min_grain: 'month' } },
    { bookings_monthly: 'SUM(bookings_monthly)' },
  ),
};

const byDt: Model = on(
  {
    ...dated('fct_bookings_dt', 'fct_bookings_dt.dt'),
    joins: [listing('fct_bookings_dt')],
    dimensions: columns({ ...ofListing, booking__is_instant: 'fct_bookings_dt.is_instant' }),
  },
  { bookings: 'SUM(1)' },
);

/** A join by a span of validity cannot be a join of a binding, so it is written as a query. */
const spans = {
  relation: {
    sql: `SELECT b.ds, b.is_instant, l.capacity, l.is_lux, l.user_id, x.is_confirmed_lux
      FROM fct_bookings b
      LEFT JOIN dim_listings l ON b.listing_id = l.listing_id AND b.ds >= l.active_from AND (b.ds < l.active_to OR l.active_to IS NULL)
      LEFT JOIN dim_lux_listing_id_mapping m ON b.listing_id = m.listing_id
      LEFT JOIN dim_lux_listings x
        ON m.lux_listing_id = x.lux_listing_id AND b.ds >= x.valid_from AND (b.ds < x.valid_to OR x.valid_to IS NULL)`,
  },
  alias: 'b',
  grain: ['ds'],
  time: { column: 'b.ds' },
  joins: [joined('dim_users_latest', 'u', ['b.user_id', 'u.user_id'])],
  dimensions: columns({
    booking__is_instant: 'b.is_instant',
    listing__capacity: 'b.capacity',
    listing__is_lux: 'b.is_lux',
    listing__user__home_state_latest: 'u.home_state_latest',
    listing__lux_listing__is_confirmed_lux: 'b.is_confirmed_lux',
  }),
};
export const familyBookings = { ...spans, row_filter: 'b.capacity >= 3' };
const slowlyChanging: Model = {
  ...on(spans, { bookings: 'SUM(1)' }),
  ...on(familyBookings, { family_bookings: 'SUM(1)' }),
  ...on({ ...spans, row_filter: 'b.is_lux OR b.is_lux IS NULL' }, { potentially_lux_bookings: 'SUM(1)' }),
};

const partitioned: Model = {
  ...on(
    {
      ...dated('account_month_txns', 'a.ds'),
      alias: 'a',
      joins: [
        joined('bridge_table', 'bridge', ['a.account_id', 'bridge.account_id'], ['a.ds_partitioned', 'bridge.ds_partitioned']),
        joined('customer_table', 'c', ['bridge.customer_id', 'c.customer_id'], ['bridge.ds_partitioned', 'c.ds_partitioned']),
        joined('customer_other_data', 'o', ['bridge.customer_id', 'o.customer_id']),
      ],
      dimensions: columns({ account_id__customer_id__customer_name: 'c.customer_name' }),
      entities: columns({ customer_third_hop_id: 'o.customer_third_hop_id' }),
    },
    { txn_count: 'SUM(txn_count)' },
  ),
  ...on({ relation: { table: 'customer_other_data' }, row_filter: "country = 'paraguay'" }, { paraguayan_customers: 'SUM(1)' }),
  ...on({ relation: { table: 'third_hop_table' } }, { third_hop_count: 'COUNT(DISTINCT customer_third_hop_id)' }),
};

/** Bindings whose joins repeat a fact row. MetricFlow would count the row several times. */
export const repeatingJoins: Record<string, object> = {
  'accounts to their rows of all partitions': {
    relation: { table: 'account_month_txns' },
    joins: [joined('bridge_table', 'bridge', ['account_month_txns.account_id', 'bridge.account_id'])],
  },
  'bookings to all rows of their listing': {
    relation: { table: 'fct_bookings_extended' },
    joins: [joined('dim_listings_extended', 'l', ['fct_bookings_extended.listing_id', 'l.listing_id'])],
  },
};

/** The models, by the names that the checks use. */
export const models: Record<string, Model> = {
  SIMPLE_MODEL: simple,
  EXTENDED_DATE_MODEL: extended,
  SIMPLE_MODEL_NON_DS: byDt,
  SCD_MODEL: slowlyChanging,
  PARTITIONED_MULTI_HOP_JOIN_MODEL: partitioned,
};
