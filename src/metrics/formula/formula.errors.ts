import { type Bilingual } from '../../text/bilingual.js';
import { LanguageError } from '../../text/language-error.js';
import { offsetAt, placeAt } from '../../text/place.js';
import { supportedPatterns } from './formula-keywords.js';
import { type Pattern } from './formula-tree.js';

export interface FormulaProblem {
  /** What could stand there instead. */
  expected?: string[];
  /** The text at that place, where more than its first characters is known. */
  found?: string;
  nearest?: Pattern;
  hint?: Bilingual;
  /** In place of 'matches none of the patterns', for a formula that has a pattern and still cannot be run. */
  sentence?: Bilingual;
}

/** The formula matches none of the ten patterns, or what it names is not there. */
export class FormulaParseError extends LanguageError {
  /** @param position 1-based, in characters (code points) of the formula as the client wrote it */
  constructor(formula: string, position: number, { expected = [], found, nearest = 'arithmetic', hint, sentence }: FormulaProblem) {
    const characters = [...formula];
    const place = placeAt(formula, offsetAt(formula, position));
    const problem = {
      position,
      ...place,
      found: found ?? (characters.slice(position - 1, position + 19).join('') || 'end of formula'),
      expected,
      nearest_pattern: nearest,
      ...(hint && { hint: hint.en }),
      supported_patterns: supportedPatterns,
    };
    super('formula_parse_error', inWords(problem, hint, sentence), place, problem);
  }
}

interface PlacedProblem {
  line: number;
  column: number;
  found: string;
  expected: string[];
  nearest_pattern: Pattern;
}

function inWords(
  { line, column, found, expected, nearest_pattern: nearest }: PlacedProblem,
  hint?: Bilingual,
  sentence?: Bilingual,
): Bilingual {
  const says = sentence ?? { zh: '公式不符合 10 种模式中的任何一种', en: 'formula matches none of the 10 supported patterns' };
  const zh = [
    `${line > 1 ? `第 ${line} 行` : ''}第 ${column} 列${found === 'end of formula' ? '公式已结束' : `出现 '${found}'`}`,
    expected.length > 0 ? `，应为 ${listed(expected.map(inChinese), '、', ' 或 ')}` : '',
    sentence ? '' : `；最接近的模式：${nearest}`,
    hint ? `；${hint.zh}` : '',
  ];
  const en = [
    `at ${line > 1 ? `line ${line}, ` : ''}column ${column} found '${found}'`,
    expected.length > 0 ? `, expected ${listed(expected, ', ', ' or ')}` : '',
    sentence ? '' : `; nearest pattern: ${nearest}`,
    hint ? `; ${hint.en}` : '',
  ];
  return { zh: `FormulaParseError: ${says.zh}：${zh.join('')}`, en: `${says.en}: ${en.join('')}` };
}

function listed(items: string[], comma: string, or: string): string {
  return [...(items.length > 1 ? [items.slice(0, -1).join(comma)] : []), items.at(-1)].join(or);
}

/** What a parser may expect, in Chinese; keywords and symbols are the same in both. */
const chinese: Record<string, string> = {
  'an aggregate': '聚合函数',
  'a [metric]': '[指标]',
  'a metric': '指标',
  'a number': '数字',
  'a function': '函数',
  'a known function': '已知的函数',
  'an operator': '运算符',
  'an expression': '表达式',
  'a column': '列',
  'a column expression': '列的表达式',
  'a dimension': '维度',
  'an entity': '实体',
  'end of formula': '公式结尾',
  'a number of decimals': '小数位数',
  'a whole number of periods from 1 to 9999': '1 到 9999 的整数期数',
  'a fraction between 0 and 1, such as 0.95': '0 与 1 之间的小数（如 0.95）',
  'the name of a metric of this graph': '本图中某个指标的名称',
};

function inChinese(expected: string): string {
  const limit = /^at most (\d+) characters$/.exec(expected);
  return limit ? `最多 ${limit[1]} 个字符` : (chinese[expected] ?? expected);
}
