import { expected } from './phrases.js';
import { classifyFormula } from './classify-formula.js';
import { canonical, functionPatterns, grainNamed, isLeafFunction, nearestFunction } from './formula-keywords.js';
import { lexFormula, type Token } from './formula-lexer.js';
import { type Formula, type Grain, type ParsedFormula, type ScalarName } from './formula-tree.js';
import { parseLeaf, trailingPredicate } from './parse-leaf.js';
import { TokenStream } from './token-stream.js';

/**
 * Parses a metric formula. One grammar serves all patterns. English and Chinese words may be mixed. The root of the tree decides the
 * pattern.
 * @throws FormulaParseError with the place of the error, the parts that the grammar allows there, and the nearest pattern
 */
export function parseFormula(formula: string): ParsedFormula {
  const stream = new TokenStream(formula, lexFormula(formula));
  const root = parseExpression(stream);
  if (root.kind === 'leaf' && stream.isWord('WHERE')) {
    stream.advance();
    root.where.push(trailingPredicate(stream));
  }
  if (stream.current.kind !== 'end')
    throw stream.unexpected([expected.operator, expected.endOfFormula], root.kind === 'leaf' ? { nearest: root.pattern } : {});
  return { pattern: classifyFormula(root, formula), root };
}

function parseExpression(stream: TokenStream): Formula {
  let left = parseTerm(stream);
  for (;;) {
    const { position, current } = stream;
    const op = stream.takeOperator('+', '-');
    if (op === null) return left;
    refuseComment(stream, current);
    left = { kind: 'binary', op, left, right: parseTerm(stream), position };
  }
}

function parseTerm(stream: TokenStream): Formula {
  let left = parseFactor(stream);
  for (;;) {
    const { position } = stream;
    const op = stream.takeOperator('*', '/');
    if (op === null) return left;
    left = { kind: 'binary', op, left, right: parseFactor(stream), position };
  }
}

function parseFactor(stream: TokenStream): Formula {
  const { position, current } = stream;
  if (stream.takeSymbol('-')) {
    refuseComment(stream, current);
    return { kind: 'negate', operand: stream.within(undefined, () => parseFactor(stream)), position };
  }
  if (stream.takeSymbol('(')) {
    const inner = stream.within(undefined, () => parseExpression(stream));
    stream.expectSymbol(')', expected.operator);
    return inner;
  }
  switch (current.kind) {
    case 'number':
      return parseNumber(stream, position);
    case 'metric':
      return { kind: 'metric', name: metricName(stream), position };
    case 'word':
      return stream.next?.text === '(' ? parseCall(stream, position) : { kind: 'metric', name: stream.advance().value, position };
    case 'quoted':
      throw stream.unexpected([expected.metric], {
        hint: {
          zh: `聚合之外的名称是指标：请写 [${current.value}]`,
          en: `outside an aggregate names are metrics: write [${current.value}]`,
        },
      });
    case 'string':
    case 'symbol':
    case 'end':
      throw stream.unexpected([expected.number, expected.metricReference, expected.function, "'('"]);
    default:
      return current.kind satisfies never;
  }
}

/** Refuses `--`, with which SQL begins a comment: arithmetic would read `SUM(x) -- 2024` as adding 2024. @throws FormulaParseError */
function refuseComment(stream: TokenStream, sign: Token): void {
  if (sign.text !== '-' || !stream.isSymbol('-') || stream.current.start !== sign.end) return;
  const hint = { zh: '公式没有注释；减去负数请写 - (-x)', en: 'formulas have no comments; write - (-x) to subtract a negative number' };
  throw stream.unexpected([], { hint });
}

function parseNumber(stream: TokenStream, position: number): Formula {
  const { value } = stream.advance();
  return { kind: 'number', value: stream.takeSymbol('%') ? hundredth(value) : value, position };
}

/** A hundredth of a decimal text, without rounding: 5 becomes 0.05, 12.5 becomes 0.125. */
function hundredth(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = whole.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`.replace(/^0+(?=\d)/, '');
}

function metricName(stream: TokenStream): string {
  const { kind, value } = stream.current;
  if ((kind !== 'metric' && kind !== 'word') || value === '') throw stream.unexpected([expected.metricReference]);
  stream.advance();
  return value;
}

function parseCall(stream: TokenStream, position: number): Formula {
  const name = stream.current;
  const fn = canonical(name.text);
  const pattern = functionPatterns.get(fn);
  if (!pattern) throw unknownFunction(stream, name);
  stream.advance();
  stream.advance();
  return stream.within(pattern, () => {
    // `parseLeaf` reads the closing parenthesis of a leaf, because a FILTER may follow it.
    if (isLeafFunction(name.text)) return parseLeaf(stream, fn, position);
    const node = parseArguments(stream, fn, position);
    stream.expectSymbol(')');
    return node;
  });
}

const toDateGrains = { YTD: 'year', QTD: 'quarter', MTD: 'month', WTD: 'week' } as const;

function unknownFunction(stream: TokenStream, name: Token) {
  const nearest = nearestFunction(name.text);
  const pattern = nearest && functionPatterns.get(canonical(nearest));
  return stream.unexpected([expected.knownFunction], {
    ...(pattern && { nearest: pattern }),
    hint: nearest
      ? { zh: `是否想写 ${nearest}？`, en: `did you mean ${nearest}?` }
      : { zh: '没有这个函数', en: 'this function is unknown' },
  });
}

function parseArguments(stream: TokenStream, fn: string, position: number): Formula {
  switch (fn) {
    case 'RATIO':
    case 'PERCENT': {
      const numerator = parseExpression(stream);
      stream.expectSymbol(',', expected.operator);
      return { kind: 'ratio', percent: fn === 'PERCENT', numerator, denominator: parseExpression(stream), position };
    }
    case 'CUMULATIVE':
      return { kind: 'accumulate', fn, operand: parseExpression(stream), grain: null, count: null, at: parseDays(stream), position };
    case 'TO_DATE': {
      const operand = parseExpression(stream);
      stream.expectSymbol(',', expected.operator);
      return { kind: 'accumulate', fn, operand, grain: parseGrain(stream), count: null, at: parseDays(stream), position };
    }
    case 'YTD':
    case 'QTD':
    case 'MTD':
    case 'WTD': {
      const operand = parseExpression(stream);
      return { kind: 'accumulate', fn: 'TO_DATE', operand, grain: toDateGrains[fn], count: null, at: parseDays(stream), position };
    }
    case 'ROLLING': {
      const operand = parseExpression(stream);
      stream.expectSymbol(',', expected.operator);
      return { kind: 'accumulate', fn, operand, ...parsePeriods(stream), at: parseDays(stream), position };
    }
    case 'GROWTH': {
      const operand = parseExpression(stream);
      stream.expectSymbol(',', expected.operator);
      return { kind: 'period_over_period', fn, operand, ...parsePeriods(stream), mode: parseMode(stream), position };
    }
    case 'SHARE':
      return { kind: 'share', operand: parseExpression(stream), within: parseWithin(stream), position };
    case 'CONVERSION':
    case 'CONVERSION_COUNT':
      return parseConversion(stream, fn === 'CONVERSION' ? 'RATE' : 'COUNT', position);
    case 'YOY':
    case 'QOQ':
    case 'MOM':
    case 'WOW':
    case 'DOD':
    case 'POP':
      return {
        kind: 'period_over_period',
        fn,
        operand: parseExpression(stream),
        grain: null,
        count: null,
        mode: parseMode(stream),
        position,
      };
    default:
      return parseScalar(stream, fn as ScalarName, position);
  }
}

const scalarArity: Record<ScalarName, [least: number, most: number]> = {
  ROUND: [1, 2],
  ABS: [1, 1],
  NULLIF: [2, 2],
  COALESCE: [2, 20],
  GREATEST: [2, 20],
  LEAST: [2, 20],
};

function parseScalar(stream: TokenStream, fn: ScalarName, position: number): Formula {
  const operands = [parseExpression(stream)];
  const [least, most] = scalarArity[fn];
  while (operands.length < most && stream.takeSymbol(',')) {
    operands.push(fn === 'ROUND' ? parseDecimals(stream) : parseExpression(stream));
  }
  if (operands.length < least)
    throw stream.unexpected(["','"], { hint: { zh: `${fn} 需要 ${least} 个参数`, en: `${fn} takes ${least} arguments` } });
  return { kind: 'scalar', fn, operands, position };
}

/**
 * Parses the decimals of ROUND: one integer from -10 to 10, not an expression. The value of an expression, as in `ROUND(x, 1 + 1)`, is
 * known only when rows are read.
 */
function parseDecimals(stream: TokenStream): Formula {
  const { position } = stream;
  const sign = stream.takeSymbol('-') ? '-' : '';
  if (!/^(\d|10)$/.test(stream.current.text)) throw stream.unexpected([expected.decimals]);
  const { text } = stream.advance();
  if (!stream.isSymbol(')')) throw stream.unexpected(["')'"]);
  return { kind: 'number', value: `${sign}${text}`, position };
}

function parseGrain(stream: TokenStream): Grain {
  const grain = stream.current.kind === 'word' ? grainNamed(stream.current.text) : undefined;
  if (!grain) throw stream.unexpected(['HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']);
  stream.advance();
  return grain;
}

function parsePeriods(stream: TokenStream): { count: number; grain: Grain } {
  const { kind, text } = stream.current;
  if (kind !== 'number' || !/^\d{1,4}$/.test(text) || Number(text) === 0) throw stream.unexpected([expected.periods]);
  stream.advance();
  return { count: Number(text), grain: parseGrain(stream) };
}

function parseDays(stream: TokenStream): 'LAST' | 'FIRST' | 'AVERAGE' {
  if (!stream.takeSymbol(',')) return 'LAST';
  for (const at of ['LAST', 'FIRST', 'AVERAGE'] as const) if (stream.takeWord(at)) return at;
  throw stream.unexpected(['LAST', 'FIRST', 'AVERAGE']);
}

function parseMode(stream: TokenStream): 'RATE' | 'DIFF' | 'VALUE' {
  if (!stream.takeSymbol(',')) return 'RATE';
  for (const mode of ['RATE', 'DIFF', 'VALUE'] as const) if (stream.takeWord(mode)) return mode;
  throw stream.unexpected(['RATE', 'DIFF', 'VALUE']);
}

function parseWithin(stream: TokenStream): string[] {
  if (!stream.takeWord('WITHIN')) return [];
  const dimensions: string[] = [];
  do {
    if (stream.current.kind !== 'word' && stream.current.kind !== 'quoted') throw stream.unexpected([expected.dimension]);
    dimensions.push(stream.advance().value);
  } while (stream.takeSymbol(','));
  return dimensions;
}

/** Parses the arguments of a conversion: `[visits] -> [buys] BY user WITHIN 7 DAY`, or in Chinese order `按 用户 在 7 天 内`. */
function parseConversion(stream: TokenStream, defaultMode: 'RATE' | 'COUNT', position: number): Formula {
  const base = metricName(stream);
  if (!stream.takeSymbol('→')) stream.expectSymbol('->');
  const converted = metricName(stream);
  if (!stream.takeWord('BY')) throw stream.unexpected(['BY']);
  if (stream.current.kind !== 'word' && stream.current.kind !== 'quoted') throw stream.unexpected([expected.entity]);
  const entity = stream.advance().value;
  let within: { count: number; grain: Grain } | null = null;
  if (stream.takeWord('WITHIN')) within = parsePeriods(stream);
  else if (stream.takeWord('在')) {
    within = parsePeriods(stream);
    if (!stream.takeWord('WITHIN')) throw stream.unexpected(['内']);
  }
  let mode = defaultMode;
  if (stream.takeSymbol(',')) {
    if (stream.takeWord('RATE')) mode = 'RATE';
    else if (stream.takeWord('COUNT')) mode = 'COUNT';
    else throw stream.unexpected(['RATE', 'COUNT']);
  }
  return { kind: 'conversion', base, converted, entity, within, mode, position };
}
