import { expected } from './phrases.js';
import { canonical, isLeafFunction } from './formula-keywords.js';
import { type Token } from './formula-lexer.js';
import { type AggregateName, type Leaf, type Pattern, type SqlText } from './formula-tree.js';
import { type TokenStream } from './token-stream.js';

/**
 * Parses a leaf (patterns 1 to 4) from the token after its opening parenthesis.
 * @param fn canonical name of the function
 * @throws FormulaParseError
 */
export function parseLeaf(stream: TokenStream, fn: string, position: number): Leaf {
  const start = stream.current;
  const distinct = fn === 'COUNT_DISTINCT' || (fn === 'COUNT' && stream.takeWord('DISTINCT'));
  const leaf = distinct ? parseDistinct(stream, position) : parseBody(stream, fn, position);
  return { ...leaf, where: parseConditions(stream, start) };
}

function parseBody(stream: TokenStream, fn: string, position: number): Leaf {
  const base = { kind: 'leaf' as const, where: [], position };
  switch (fn) {
    case 'MEDIAN':
      return { ...base, pattern: 'quantile', argument: rowExpression(stream), fraction: '0.5', mode: 'CONT' };
    case 'PERCENTILE': {
      const argument = rowExpression(stream);
      stream.expectSymbol(',');
      return { ...base, pattern: 'quantile', argument, ...parseFraction(stream) };
    }
    case 'WAVG': {
      const value = rowExpression(stream);
      stream.expectSymbol(',');
      return { ...base, pattern: 'weighted_average', value, weight: rowExpression(stream) };
    }
    default: {
      if (fn === 'COUNT' && stream.isSymbol('*')) {
        stream.advance();
        return { ...base, pattern: 'aggregate', fn, argument: null, by: null };
      }
      const argument = rowExpression(stream);
      const takesKey = fn === 'FIRST' || fn === 'LAST';
      if (!takesKey && stream.isWord('BY'))
        throw stream.unexpected(["')'", 'WHERE'], {
          hint: {
            zh: 'BY 只用于 FIRST 与 LAST；按维度分组写在请求里',
            en: 'BY is for FIRST and LAST; the request says by which dimensions to group',
          },
        });
      const by = takesKey && stream.takeWord('BY') ? column(stream) : null;
      return { ...base, pattern: 'aggregate', fn: fn as AggregateName, argument, by };
    }
  }
}

function parseDistinct(stream: TokenStream, position: number): Leaf {
  return stream.within('count_distinct', () => {
    const keys = [rowExpression(stream)];
    while (stream.takeSymbol(',')) keys.push(rowExpression(stream));
    return { kind: 'leaf', pattern: 'count_distinct', keys, where: [], position };
  });
}

function parseFraction(stream: TokenStream): { fraction: string; mode: 'CONT' | 'DISC' } {
  const { kind, value: fraction } = stream.current;
  if (kind !== 'number' || !(Number(fraction) > 0 && Number(fraction) < 1)) throw stream.unexpected([expected.fraction]);
  stream.advance();
  if (!stream.takeSymbol(',')) return { fraction, mode: 'CONT' };
  if (stream.takeWord('CONT')) return { fraction, mode: 'CONT' };
  if (stream.takeWord('DISC')) return { fraction, mode: 'DISC' };
  throw stream.unexpected(['CONT', 'DISC']);
}

/** Parses `WHERE p` inside the parentheses, the closing parenthesis, and `FILTER (WHERE p)` behind it. */
function parseConditions(stream: TokenStream, start: Token): SqlText[] {
  const where: SqlText[] = [];
  if (stream.takeWord('WHERE')) where.push(predicate(stream));
  if (stream.current.kind === 'end')
    throw stream.unexpected(["')'"], {
      hint: { zh: `'${start.text}' 之前的括号没有闭合`, en: `the parenthesis before '${start.text}' is never closed` },
    });
  stream.expectSymbol(')', ...(where.length === 0 ? ['WHERE'] : []));
  if (stream.isWord('FILTER') && stream.next?.text === '(') {
    stream.advance();
    stream.advance();
    if (!stream.takeWord('WHERE')) throw stream.unexpected(['WHERE']);
    where.push(predicate(stream));
    stream.expectSymbol(')');
  }
  return where;
}

function predicate(stream: TokenStream): SqlText {
  return stream.sqlUntil(token => token.text === ')' && token.kind === 'symbol', rejectNesting(stream), ["')'"]);
}

/** Parses the predicate at the end of a formula that is one leaf: `SUM(amount) WHERE status = 'paid'`. */
export function trailingPredicate(stream: TokenStream): SqlText {
  return stream.sqlUntil(() => false, rejectNesting(stream), [expected.endOfFormula]);
}

function rowExpression(stream: TokenStream): SqlText {
  return stream.sqlUntil(endsRowExpression, rejectNesting(stream), ["')'", 'WHERE']);
}

function endsRowExpression(token: Token): boolean {
  if (token.kind === 'symbol') return token.text === ',' || token.text === ')';
  return token.kind === 'word' && ['WHERE', 'BY'].includes(canonical(token.text));
}

function column(stream: TokenStream): SqlText {
  if (stream.current.kind !== 'word' && stream.current.kind !== 'quoted') throw stream.unexpected([expected.column]);
  return rowExpression(stream);
}

/** Refuses another aggregate or a `[metric]` inside a leaf, with an error of its own. Names inside a leaf are columns. */
function rejectNesting(stream: TokenStream) {
  return (token: Token, next: Token | undefined): void => {
    if (token.kind === 'metric') {
      throw stream.unexpected([expected.column], {
        at: token,
        hint: { zh: '聚合之内的名称是列；指标在聚合之外组合', en: 'inside an aggregate names are columns; metrics combine outside of it' },
      });
    }
    if (token.kind === 'word' && next?.text === '(' && isLeafFunction(token.text)) {
      const nearest: Pattern = 'aggregate';
      throw stream.unexpected([expected.columnExpression], {
        at: token,
        nearest,
        hint: { zh: '聚合不能包含另一个聚合', en: 'an aggregate cannot contain another aggregate' },
      });
    }
  };
}
