import fc from 'fast-check';
import pg from 'pg';
import { cloneDatabase, type ClonedDatabase } from '../../test/support/database.js';
import { mulberry32 } from '../../test/support/seeded.js';
import { guardExpression, type GuardScope } from './guard-expression.js';
import { fragmentMarker } from './same-shape.js';
import { assembleSql } from '../../test/support/assemble-sql.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { loadSqlParser } from './sql-parser.js';
import { isLong } from '../../test/support/tier.js';

const seed = 20261124;
const scope: GuardScope = { columns: new Set(['n', 'x', 's', 'd', 'b', '地区']), alias: 't' };

/**
 * One token of SQL: a word of the grammar, a column, a function or a text. A plain string is a token that can be written in one way only.
 */
type Token = { word: string } | { column: string } | { call: string } | { text: string } | string;

/** Tokens from a template: `COALESCE( % , % )`. Each % stands for the next part. */
function sql(template: string, ...parts: Token[][]): Token[] {
  const rest = [...parts];
  return template.split(' ').flatMap((piece): Token[] => {
    if (piece === '%') return rest.shift()!;
    if (piece.startsWith('@')) return [{ call: piece.slice(1) }];
    return /^[A-Z]+$/.test(piece) ? [{ word: piece }] : [piece];
  });
}

const constant = (...texts: string[]) => fc.constantFrom(...texts.map(text => [text] as Token[]));
const column = (...names: string[]) => fc.constantFrom(...names.map(name => [{ column: name }] as Token[]));
const texts = fc
  .constantFrom('', 'a', 'Ab', '华东', "it's", '%', 'a--b', '/* a */', '; DROP TABLE t', '$1', 'SELECT')
  .map(text => [{ text }] as Token[]);
const patterns = fc.constantFrom('a%', '_b', '%华%', 'a.*').map(text => [{ text }] as Token[]);

interface Trees {
  num: Token[];
  text: Token[];
  bool: Token[];
  date: Token[];
}

const { num, text, bool, date } = fc.letrec<Trees>(tie => {
  type Kind = keyof Trees;
  const of = (template: string, ...kinds: (Kind | fc.Arbitrary<Token[]>)[]) =>
    fc
      .tuple(...kinds.map(kind => (typeof kind === 'string' ? (tie(kind) as fc.Arbitrary<Token[]>) : kind)))
      .map(parts => sql(template, ...parts));
  const arithmetic = constant('+', '-', '*');
  const compared = constant('=', '<>', '<', '<=', '>', '>=', '!=');
  return {
    num: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      column('n', 'x'),
      constant('0', '1', '2', '10', '0.5', '1e2', '.25'),
      of('( % % % )', 'num', arithmetic, 'num'),
      of('( % / NULLIF ( % , 0 ) )', 'num', 'num'),
      of('( - % )', 'num'),
      of('@abs ( % )', 'num'),
      of('@round ( % )', 'num'),
      of('@length ( % )', 'text'),
      of('@strpos ( % , @left ( % , 9 ) )', 'text', 'text'),
      of('EXTRACT ( YEAR FROM % )', 'date'),
      of('CASE WHEN % THEN % ELSE % END', 'bool', 'num', 'num'),
      of('COALESCE ( % , % )', 'num', 'num'),
      of('GREATEST ( % , % )', 'num', 'num'),
      of('CAST ( % AS NUMERIC )', 'num'),
    ),
    text: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      column('s', '地区'),
      texts,
      of('( % || % )', 'text', 'text'),
      of('@upper ( % )', 'text'),
      of('@lower ( % )', 'text'),
      of('@left ( % , 2 )', 'text'),
      of('SUBSTRING ( % FROM 1 FOR 2 )', 'text'),
      of('TRIM ( BOTH FROM % )', 'text'),
      of('CASE % WHEN % THEN % END', 'num', 'num', 'text'),
      of('( % :: TEXT )', 'bool'),
    ),
    bool: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      column('b'),
      constant('true', 'false'),
      of('( % % % )', 'num', compared, 'num'),
      of('( % % % )', 'text', compared, 'text'),
      of('( % % % )', 'date', compared, 'date'),
      of('( % AND % )', 'bool', 'bool'),
      of('( % OR % )', 'bool', 'bool'),
      of('( NOT % )', 'bool'),
      of('( % IS NULL )', 'text'),
      of('( % IS NOT TRUE )', 'bool'),
      of('( % IS DISTINCT FROM % )', 'num', 'num'),
      of('( % BETWEEN % AND % )', 'num', 'num', 'num'),
      of('( % IN ( % , % ) )', 'text', 'text', 'text'),
      of('( % = ANY ( ARRAY [ % , % ] ) )', 'num', 'num', 'num'),
      of('( % LIKE % )', 'text', patterns),
      of('( % ~ % )', 'text', patterns),
      of('( ROW ( % , % ) = ROW ( % , % ) )', 'num', 'text', 'num', 'text'),
    ),
    date: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      column('d'),
      constant("DATE '2024-02-29'", "date '1999-12-31'"),
      of("CAST ( ( % + INTERVAL '1month' ) AS DATE )", 'date'),
      of("CAST ( @date_trunc ( 'month' , % ) AS DATE )", 'date'),
    ),
  };
});
const expression = fc.oneof(num, text, bool, date);
const style = fc.nat();

const plainly = (tokens: Token[]): string => tokens.map(token => (typeof token === 'string' ? token : writings(token)[0]!)).join(' ');

/** The ways to write a token; the first is the plain one. */
function writings(token: Exclude<Token, string>): string[] {
  if ('word' in token) return [token.word, token.word.toLowerCase(), `${token.word[0]}${token.word.slice(1).toLowerCase()}`];
  if ('call' in token)
    return [token.call, token.call.toUpperCase(), `"${token.call}"`, `pg_catalog.${token.call}`, `PG_Catalog . "${token.call}"`];
  if ('column' in token) {
    const { column: name } = token;
    return [`"${name}"`, name, name.toUpperCase(), `t.${name}`, `T . "${name}"`, `"t"."${name}"`, `U&"${escaped(name)}"`];
  }
  const quoted = `'${token.text.replaceAll("'", "''")}'`;
  return [quoted, `$$${token.text}$$`, `$q$${token.text}$q$`, `E${quoted}`, `U&'${escaped(token.text)}'`];
}

const escaped = (value: string): string =>
  Array.from(value, character => `\\${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Writes each token in one of its ways, and odd white space between them. The parentheses around all of it are left out. */
function oddly(tokens: Token[], choice: number): string {
  const random = mulberry32(choice);
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  const isWrapped = tokens[0] === '(' && closes(tokens) === tokens.length - 1;
  return (isWrapped ? tokens.slice(1, -1) : tokens)
    .map(token => (typeof token === 'string' ? token : one(writings(token))) + one([' ', '\n', '\t', ' \r\n  ']))
    .join('');
}

/** The place of the parenthesis that closes the first token. */
function closes(tokens: Token[]): number {
  let depth = 0;
  return tokens.findIndex(token => (depth += token === '(' ? 1 : token === ')' ? -1 : 0) === 0);
}

describe(`random expressions of what is allowed (seed ${seed})`, () => {
  let database: ClonedDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query(`
      CREATE TABLE t (id int, n int, x numeric, s text, d date, b boolean, "地区" text);
      INSERT INTO t VALUES (1, 3, 1.5, 'a', '2024-01-31', true, '华东'), (2, 0, -2, 'Ab', '2024-02-29', false, ''),
        (3, -7, 0, '', '1999-12-31', NULL, 'a--b'), (4, NULL, NULL, NULL, NULL, NULL, NULL)`);
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** The values of the rows, or the SQLSTATE. */
  const run = (statement: string): Promise<unknown> =>
    client.query({ text: statement, rowMode: 'array' }).then(
      ({ rows }) => rows,
      (error: pg.DatabaseError) => error.code,
    );

  it('pass, and mean in the statement what they mean alone', async () => {
    const numRuns = isLong ? 500 : 150;
    const seen = { admitted: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(expression, style, async (tokens, choice) => {
        const written = oddly(tokens, choice);
        if (written.length > 4_000) return;
        let guarded;
        try {
          guarded = guardExpression(written, scope);
        } catch (error) {
          // The guard refuses values that may grow too long, even if all their parts are allowed.
          if (error instanceof UnsafeFilterClauseError && error.refused.reason === 'length') return;
          throw error;
        }
        seen.admitted++;
        const template = `SELECT id, ${fragmentMarker(0)}, ${fragmentMarker(0)} IS NULL FROM t WHERE NOT ${fragmentMarker(0)} IS NULL OR id < 9 ORDER BY id`;
        const embedded = await run(assembleSql(template, [guarded]));
        if (typeof embedded === 'string') seen.failed++;
        expect(embedded).toEqual(await run(`SELECT id, (${plainly(tokens)}), (${plainly(tokens)}) IS NULL FROM t ORDER BY id`));
      }),
      { numRuns, seed },
    );
    expect(seen.admitted).toBeGreaterThan(numRuns * 0.8);
    expect(seen.failed).toBeLessThan(seen.admitted / 5);
  });

  const atoms = [
    '(SELECT 1)',
    'ARRAY(SELECT 1)',
    'EXISTS (SELECT 1 FROM pg_class)',
    '(VALUES (1))',
    '(TABLE t)',
    'pg_sleep(0)',
    '"pg_sleep"(0)',
    'PG_CATALOG . Pg_Sleep(0)',
    'U&"\\0070g_sleep"(0)',
    'U&"!0070g_sleep" UESCAPE \'!\' (0)',
    'public.lower(s)',
    'random()',
    'clock_timestamp()',
    "nextval('q')",
    "set_config('a.b', 'c', false)",
    "current_setting('is_superuser')",
    "lo_import('/etc/passwd')",
    "dblink('dbname=x', $$DELETE FROM t$$)",
    "query_to_xml($$SELECT 1$$, true, true, '')",
    "'t'::regclass",
    'CAST($q$t$q$ AS pg_catalog.regtype)',
    "regclass 't'",
    "'a'::evil",
    'current_user',
    'SESSION_USER',
    '$1',
    'ctid',
    't.xmin',
    't',
    't.*',
    '(t).n',
    'other.n',
    'public.t.n',
    'nope',
    'U&"\\006eope"',
    'count(*)',
    'sum(n)',
    'row_number() OVER ()',
    'lower(VARIADIC ARRAY[s])',
    'lower(s => 1)',
    "string_agg(s, ',')",
    "repeat('x', 9)",
    'n OPERATOR(public.+) 1',
    's COLLATE "C"',
    'XMLELEMENT(NAME a)',
    "JSON_VALUE(s, '$.a')",
    'DEFAULT',
    'GROUPING(n)',
  ];
  const tails = [
    ';',
    '; DROP TABLE t',
    ') OR (1 = 1',
    ' UNION SELECT 1',
    ' -- x',
    ' /* x */',
    ' ORDER BY 1',
    ' LIMIT 1',
    ' GROUP BY 1',
    ' FOR UPDATE',
    ', 1',
    ' AS y',
    " '",
    ' "',
    ' $$',
    '\u0000',
    '\u0007',
    ')',
    ' FROM t',
    ' WINDOW w AS ()',
    ' INTO z',
  ];

  it.each([
    'COPY t TO PROGRAM %',
    'DO %',
    'CALL lower(%)',
    'WITH a AS (SELECT %) SELECT 1',
    'SELECT %',
    'DELETE FROM t WHERE %',
    'EXPLAIN ANALYZE SELECT %',
    'SET a = %',
    'PREPARE p AS SELECT %',
    '(SELECT %)',
    'NOT EXISTS (SELECT %)',
  ])('%j around one is refused', around => {
    fc.assert(
      fc.property(expression, style, (tokens, choice) => {
        expectRefused(around.replace('%', () => oddly(tokens, choice)));
      }),
      { numRuns: 20, seed },
    );
  });

  it('are refused once any of their parts is not allowed', () => {
    fc.assert(
      fc.property(expression, style, fc.nat(), fc.constantFrom(...atoms), (tokens, choice, at, atom) => {
        const places = tokens.flatMap((token, index) =>
          typeof token !== 'string' && ('column' in token || 'text' in token) ? [index] : [],
        );
        const place = places[at % places.length];
        expectRefused(place === undefined ? `${oddly(tokens, choice)} = ${atom}` : oddly(tokens.with(place, atom), choice));
      }),
      { numRuns: isLong ? 1_500 : 300, seed },
    );
  });

  it('are refused with anything behind or between them', () => {
    fc.assert(
      fc.property(expression, style, fc.nat(), fc.constantFrom(...tails), (tokens, choice, at, tail) => {
        expectRefused(oddly(tokens, choice) + tail);
        const place = at % tokens.length;
        if (/;|--|\/\*|\p{Cc}|UNION|INTO/u.test(tail)) expectRefused(oddly(tokens.toSpliced(place, 0, tail), choice));
      }),
      { numRuns: isLong ? 1_000 : 300, seed },
    );
  });

  function expectRefused(written: string): void {
    let text: string;
    try {
      ({ text } = guardExpression(written, scope));
    } catch (error) {
      if (error instanceof UnsafeFilterClauseError) return;
      throw error;
    }
    throw new Error(`admitted: ${text}`);
  }
});
