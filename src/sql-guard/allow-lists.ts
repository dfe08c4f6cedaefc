/**
 * The functions, types and values that user SQL may use. Any other name is refused. Some functions are left out although they look
 * harmless: string builders (repeat, lpad, format: a memory bomb per row), string_agg and array_agg (one value over all rows; see
 * check-growth.ts), random() and clock_timestamp() (an answer that cannot be repeated), set-returning functions, and every function that
 * takes SQL as text.
 */
const list = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter(Boolean));

/** Scalar functions of pg_catalog, including the names behind SQL syntax (EXTRACT, AT TIME ZONE, TRIM, SIMILAR TO …). */
export const scalarFunctions = list(`
  abs ceil ceiling floor round trunc sign mod div power pow sqrt exp ln log width_bucket gcd lcm scale min_scale trim_scale num_nulls num_nonnulls
  lower upper initcap length char_length character_length octet_length btrim ltrim rtrim substring substr left right position strpos
  replace translate split_part reverse concat concat_ws ascii starts_with overlay
  md5 normalize regexp_replace
  regexp_like regexp_count regexp_match regexp_substr like_escape similar_to_escape string_to_array
  to_char to_date to_timestamp to_number
  now transaction_timestamp date_trunc date_part extract age make_date make_time make_timestamp make_timestamptz timezone overlaps
  isfinite justify_days justify_hours justify_interval date_bin
  array_length array_lower array_upper array_ndims array_position array_positions array_remove array_append array_prepend array_cat
  array_to_string cardinality
  json_array_length jsonb_array_length json_typeof jsonb_typeof json_extract_path json_extract_path_text jsonb_extract_path
  jsonb_extract_path_text jsonb_path_exists jsonb_path_match jsonb_path_query_first jsonb_path_query_array jsonb_exists
`);

export const aggregateFunctions = list(`
  count sum avg min max stddev stddev_samp stddev_pop variance var_samp var_pop bool_and bool_or every
  percentile_cont percentile_disc mode corr
`);

export const windowFunctions = list('row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value');

/**
 * Names that PostgreSQL reads as a function of the whole row where a table has no such column: `t.json_agg` is `json_agg(t)`. Functions of
 * the other lists can be read in the same way. Those return a row (see `rowChoices`), a number or a name.
 */
export const rowFunctions = list(`
  any_out anycompatible_out anycompatiblenonarray_out anyelement_out anynonarray_out array_agg concat hash_record json_agg json_agg_strict
  json_build_array json_build_object jsonb_agg jsonb_agg_strict jsonb_build_array jsonb_build_object pg_collation_for pg_column_compression
  pg_column_size pg_column_toast_chunk_id pg_restore_attribute_stats pg_restore_relation_stats pg_typeof quote_literal quote_nullable
  record_out record_send row_to_json to_json to_jsonb
`);

/** The allowed functions that return a row if PostgreSQL reads them as a function of the whole row: `t.max` is `max(t)`. */
export const rowChoices = list('any_value first_value lag last_value lead max min mode');

/** The types of casts, as the parser names them, and arrays of them. No reg* types (they probe the catalogue), no user types. */
export const castTypes = list(`
  text varchar int2 int4 int8 float4 float8 numeric bool date time timetz timestamp timestamptz interval json jsonb uuid
`);

/** SQLValueFunction also covers CURRENT_USER, SESSION_USER, CURRENT_CATALOG …, so only the clock is allowed. */
export const valueFunctions = list(`
  SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N
  SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N
`);

export const systemColumns = list('tableoid ctid xmin xmax cmin cmax');
