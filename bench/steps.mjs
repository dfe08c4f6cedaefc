// `npm run bench -- steps`: what each step of user SQL costs on one row of 16 MB, against the nodes that the guard counts for it
// (src/sql-guard/allow-lists.ts). Only time counts in which PostgreSQL does not look for a cancellation. The reference is a node: 8 ms.
import pg from 'pg';
import { castTypes, operators, scalarFunctions } from '../dist/src/sql-guard/allow-lists.js';
import { guardExpression } from '../dist/src/sql-guard/guard-expression.js';
import { loadSqlParser } from '../dist/src/sql-guard/sql-parser.js';
import { report, round, timed } from './figures.mjs';
import { databaseUrl, startService } from './service.mjs';

const msOfNode = 8;
/** Milliseconds after which a statement is cancelled. */
const cancelledAfter = [5, 25, 60];

/** Texts of ASCII, of Chinese, of blanks and of two letters; a blank number, date and list as text; documents, lists and numbers. */
const columns = {
  t: ['text', `repeat('Lorem ipsum dolor ', 861111)`],
  z: ['text', `repeat('數據倉庫', 1291666)`],
  s: ['text', `repeat(' ', 15500000)`],
  b: ['text', `repeat('Aa', 7750000)`],
  n: ['text', `repeat(' ', 15500000) || '1'`],
  q: ['text', `repeat(' ', 15500000) || '10:00'`],
  p: ['text', `repeat(' ', 15500000) || '2020-01-01'`],
  l: ['text', `'{' || repeat('1,', 7750000) || '1}'`],
  jt: ['text', `'[' || repeat('1,', 7750000) || '1]'`],
  j: ['json', `('[' || repeat('1,', 7750000) || '1]')::json`],
  o: ['json', `(SELECT ('{' || string_agg('"k' || i || '":1', ',') || '}')::json FROM generate_series(1, 1200000) i)`],
  d: ['jsonb', `('[' || repeat('"abcdefgh",', 1100000) || '1]')::jsonb`],
  e: ['jsonb', `(SELECT jsonb_object_agg('k' || i, 1) FROM generate_series(1, 600000) i)`],
  a: ['int[]', `(SELECT array_agg(i % 10) FROM generate_series(1, 1000000) i)`],
  w: ['text[]', `(SELECT array_agg('x' || i) FROM generate_series(1, 900000) i)`],
  x: ['numeric', `repeat('7', 65000)::numeric`],
};

const ofTexts = `lower(t) upper(t) initcap(t) length(t) char_length(t) character_length(t) octet_length(t) reverse(t) right(t,10) overlay(t,z,2)
  starts_with(t,t) like_escape(t,'#') similar_to_escape(t,'#') left(t,-1) substr(t,2) substring(t,2) substring(t,4000000,10) md5(t) concat(t,'a')
  concat_ws(',',t,'a') btrim(t) ltrim(t) rtrim(t) btrim(t,'xyzvw') translate(t,'q','r') strpos(t,'qqqq') position('qqqq'in(t)) replace(t,'qq','r')
  replace(t,'a','r') string_to_array(t,'q') string_to_array(t,NULL) split_part(t,'i',2) split_part(t,'i',-2) regexp_replace(t,'q+','r')
  regexp_replace(t,'a','r','g') regexp_like(t,'[q-r]{3}') regexp_like(t,'qq','i') regexp_count(t,'a') regexp_match(t,'qq') regexp_substr(t,'qq')
  ascii(t) normalize(left(t,1000),NFKC) t~'qqq' t!~'qqq' t~*'qqq' t!~*'qqq' t^@t t~~'%qqq%' t!~~'%qqq%' t~~*'%qqq%' t!~~*'%qqq%' t~~'a%' t~~*'a%'
  t=t t<>t t!=t t<t t<=t t>t t>=t t~<~t t~<=~t t~>~t t~>=~t t||t||'a' t||'a' t::text t::varchar t::varchar(9000000) t@@'abc'`;
const ofOthers = `n::int2 n::int4 n::int8 n::numeric n::bool n::float4 n::float8 p::date p::timestamp p::timestamptz '00000000-0000-0000-0000-000000000000'::uuid q::time q::timetz n::interval
  l::int[] l::text[] jt::json (left(jt,99000)||']')::jsonb to_number('1','9') to_date(p,'YYYY-MM-DD') to_timestamp(p,'YYYY') to_char(now(),'YYYY')
  array_length(a,1) array_lower(a,1) array_upper(a,1) array_ndims(a) cardinality(a) array_position(a,-1) array_position(w,'y') array_remove(a,-1)
  array_append(a,1) array_prepend(1,a) array_cat(a,a) array_to_string(a,',') array_to_string(w,',') a::text w::text a::text[] a[2:] w[2:] a[5]
  a@>'{-1}' '{1}'<@a a&&'{-1}' a=a a<a num_nulls(a,t) num_nonnulls(a,t) concat(a,'x') ROW(a,w)::text
  json_array_length(j) json_typeof(j) j->5 j->>-1 j#>'{5}' j#>>'{5}' o->'kk' json_extract_path(o,'kk') json_extract_path_text(o,'kk') j::text o::text
  jsonb_array_length(d) jsonb_typeof(d) d->9 e->'kk' jsonb_extract_path(d,'5') jsonb_extract_path_text(d,'5') e?'kk' d?'zz' jsonb_exists(d,'zz')
  d@>'["zz"]' '["zz"]'<@d d?|'{zz}' d?&'{zz}' d::text e::text e::json d||'[1]' e||'{"a":1}' d-5 e-'k5' d-'zz' d#-'{5}' e=e e<e
  jsonb_path_exists(d,'$[*]?(@=="q")') jsonb_path_exists(e,'$.*?(@==7)') jsonb_path_match(d,'exists($[*]?(@=="q"))') jsonb_path_query_first(d,'$[*]?(@=="q")')
  jsonb_path_query_array(d,'$[*]') d@?'$[*]?(@=="q")' d@@'exists($[*]?(@=="q"))'
  x+x x-x x*x x/3.7 x%7 x^1.9 power(x,1.9) pow(x,1.9) 9.9^130000.0 power(2.0,400000) abs(x) ceil(x) ceiling(x) floor(x) round(x,2) trunc(x,2) sign(x)
  mod(x,7) div(x,7) sqrt(x) exp(5000::numeric) ln(x) log(x) width_bucket(x,1,2,3) gcd(x,x+1) lcm(x,x+1) scale(x) min_scale(x) trim_scale(x) |/(2) ||/(2)
  @(x) 5&3 5|3 5#3 5<<2 5>>1 ~5 now() transaction_timestamp() date_trunc('day',now()) date_part('day',now()) extract('day'from(now())) age(now())
  make_date(2020,1,1) make_time(1,1,1) make_timestamp(2020,1,1,1,1,1) make_timestamptz(2020,1,1,1,1,1) timezone('UTC',now())
  overlaps(now(),now(),now(),now()) isfinite(now()) justify_days('1d'::interval) justify_hours('1d'::interval) justify_interval('1d'::interval)
  date_bin('1d',now(),now())`;

const steps = [
  ...['t', 'z', 's', 'b'].flatMap(column => words(ofTexts).map(step => step.replace(/\bt\b(?!')/g, column))),
  ...words(ofOthers),
].map(step => step.replaceAll("'in(", "' in (").replaceAll('from(', ' from ('));

function words(text) {
  return text.split(/\s+/).filter(Boolean);
}

export async function benchSteps(folder) {
  await loadSqlParser();
  const service = await startService(folder);
  const client = new pg.Client({ connectionString: await databaseUrl(folder) });
  await client.connect();
  try {
    const names = Object.keys(columns);
    await client.query(`CREATE TEMP TABLE v (${names.map(name => `${name} ${columns[name][0]} STORAGE EXTERNAL`).join(', ')})`.replace('numeric STORAGE EXTERNAL', 'numeric')); // prettier-ignore
    await client.query(`INSERT INTO v SELECT ${names.map(name => columns[name][1]).join(', ')}`);
    for (const step of steps) {
      const { cost } = guardExpression(step, { columns: 'any' });
      const { ms, refused } = await measure(client, step);
      report('steps', {
        step,
        nodes: cost,
        ms: round(ms, 0),
        ...(ms > 1.5 * msOfNode * (cost + 3) && { over: round(ms / msOfNode, 1) }),
        ...refused,
      });
    }
    const known = [...scalarFunctions.keys(), ...operators.keys(), ...castTypes.keys()];
    report('steps', { notMeasured: known.filter(name => !steps.some(step => step.includes(name))) });
  } finally {
    await client.end();
    await service.stop();
  }
}

/** @returns the longest time in which the statement cannot be cancelled, in ms */
async function measure(client, step) {
  const query = `SELECT count(${step}) FROM v`;
  const run = async limit => {
    await client.query(`SET statement_timeout = ${limit}`);
    return timed(() => client.query(query).then(() => null, error => error)); // prettier-ignore
  };
  await run(60_000);
  const whole = await run(60_000);
  let ms = 0;
  for (const limit of cancelledAfter) {
    if (whole.ms > limit) ms = Math.max(ms, (await run(limit)).ms - limit);
  }
  return { ms: Math.min(ms, whole.ms), refused: whole.result && { refused: whole.result.message.slice(0, 80) } };
}
