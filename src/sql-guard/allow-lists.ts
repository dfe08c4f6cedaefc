/**
 * The functions, types and values that user SQL may use. Any other name is refused. Some functions are left out although they look
 * harmless: string builders (repeat, lpad, format: a memory bomb per row), string_agg and array_agg (one value over all rows; see
 * check-growth.ts), random() and clock_timestamp() (an answer that cannot be repeated), set-returning functions, and every function that
 * takes SQL as text.
 */
const list = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter(Boolean));

/**
 * The cost of a step over a value of 16 MB, in nodes (see check-copies.ts) besides the node of the step itself. A node is some 8 ms.
 * Only time counts in which PostgreSQL does not look for a cancellation. `npm run bench -- steps` measures each cost.
 */
export interface StepCost {
  /** The nodes of going through the whole value. A value that is shorter by its form costs less. */
  value?: number;
  /** The nodes of each character that is looked for: of the second argument, or of a pattern. */
  perSought?: number;
  /**
   * `result`: the step goes through the value up to the end of what it returns. `format`: it goes through the value for each part of a
   * format. `exponent`: a number to a small constant power costs little.
   */
  by?: 'result' | 'format' | 'exponent';
}

const costs = (...rows: [StepCost, string][]): ReadonlyMap<string, StepCost> =>
  new Map(rows.flatMap(([cost, names]) => [...list(names)].map(name => [name, cost] as const)));

const free: StepCost = {};

/** Scalar functions of pg_catalog, including the names behind SQL syntax (EXTRACT, AT TIME ZONE, TRIM, SIMILAR TO …). */
export const scalarFunctions = costs(
  [
    free,
    `abs ceil ceiling floor round trunc sign mod div sqrt exp ln log width_bucket gcd lcm scale min_scale trim_scale num_nulls num_nonnulls
    octet_length ascii normalize
    now transaction_timestamp date_trunc date_part extract age make_date make_time make_timestamp make_timestamptz timezone overlaps
    isfinite justify_days justify_hours justify_interval date_bin
    array_length array_lower array_upper array_ndims cardinality
    jsonb_array_length json_typeof jsonb_typeof jsonb_extract_path jsonb_exists`,
  ],
  [{ value: 320, by: 'exponent' }, 'power pow'],
  [{ value: 16 }, 'lower upper length char_length character_length reverse right overlay starts_with like_escape similar_to_escape'],
  [{ value: 28 }, 'initcap'],
  [{ value: 16, by: 'result' }, 'left substr substring'],
  [{ value: 8 }, 'md5'],
  [{ value: 4 }, 'concat concat_ws'],
  [{ value: 8, perSought: 12 }, 'btrim ltrim rtrim'],
  [{ value: 24, perSought: 12 }, 'translate'],
  [{ value: 5, perSought: 4 / 3 }, 'strpos position replace string_to_array'],
  [{ value: 11, perSought: 4 / 3 }, 'split_part'],
  [{ value: 12 }, 'regexp_replace regexp_like regexp_count regexp_match regexp_substr'],
  [{ by: 'format' }, 'to_char to_date to_timestamp to_number'],
  [{ value: 8 }, 'array_position array_remove array_append array_prepend array_cat'],
  [{ value: 16 }, 'array_to_string'],
  [{ value: 12 }, 'json_array_length'],
  [{ value: 16 }, 'json_extract_path json_extract_path_text jsonb_extract_path_text'],
  [{ value: 8 }, 'jsonb_path_exists jsonb_path_match jsonb_path_query_first jsonb_path_query_array'],
);

/**
 * Operators of pg_catalog. The parser spells LIKE as `~~`, SIMILAR TO as `~`, IN and IS DISTINCT FROM as `=`. The costs of `||` and `-` are
 * those of documents and lists.
 */
export const operators = costs(
  [free, '+ * / % & | # << >> |/ ||/ @ = <> != < <= > >= ~<~ ~<=~ ~>~ ~>=~ ?'],
  [{ value: 320, by: 'exponent' }, '^'],
  [{ value: 12 }, '- #- ~ !~ ~* !~*'],
  [{ value: 16 }, '-> ->> #> #>> ^@'],
  [{ value: 36 }, '||'],
  [{ value: 8 }, '@?'],
  [{ value: 64 }, '@@'],
  [{ perSought: 5 }, '~~ !~~'],
  [{ value: 24, perSought: 5 }, '~~* !~~*'],
  [{ perSought: 12 }, '@> <@ && ?| ?&'],
);

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

/**
 * The types of casts, as the parser names them, and arrays of them. No reg* types (they probe the catalogue), no user types. The cost is
 * that of reading the type from a text, or of writing a list or document as a text.
 */
export const castTypes = costs(
  [free, 'int2 int4 int8 numeric bool uuid'],
  [{ value: 8 }, 'float4 float8 date time timetz timestamp timestamptz interval'],
  [{ value: 12 }, 'text varchar'],
  [{ value: 30 }, 'json'],
  [{ value: 24 }, 'jsonb'],
);

/** SQLValueFunction also covers CURRENT_USER, SESSION_USER, CURRENT_CATALOG …, so only the clock is allowed. */
export const valueFunctions = list(`
  SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N
  SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N
`);

export const systemColumns = list('tableoid ctid xmin xmax cmin cmax');
