import { type Bilingual } from '../../text/bilingual.js';
import { ApiError } from '../../common/errors/api-error.js';
import { type Pattern, patterns } from './formula-tree.js';

export interface FormulaProblem {
  /** 1-based, in characters (code points) of the formula as the client wrote it. */
  position: number;
  line: number;
  column: number;
  /** The text at that place; 'end of formula' when nothing is left. */
  found: string;
  expected: string[];
  nearest_pattern: Pattern;
  hint?: string;
}

/** 400: the formula matches none of the ten patterns, or the metrics it names do not resolve. */
export class FormulaParseError extends ApiError {
  /**
   * @param hintZh the Chinese of the problem's hint
   * @param sentence in place of 'matches none of the patterns', for a formula that has a pattern and still cannot be run
   */
  constructor(
    readonly problem: FormulaProblem,
    hintZh?: string,
    sentence?: Bilingual,
  ) {
    const { column, line, found, expected, nearest_pattern, hint } = problem;
    const place =
      line > 1
        ? { zh: `第 ${line} 行第 ${column} 列`, en: `line ${line}, column ${column}` }
        : { zh: `第 ${column} 列`, en: `column ${column}` };
    const wanted = expected.join(', ').replace(/, ([^,]*)$/, ' or $1');
    const wantedZh = expected
      .map(inChinese)
      .join('、')
      .replace(/、([^、]*)$/, ' 或 $1');
    const expecting = wanted ? { zh: `，应为 ${wantedZh}`, en: `, expected ${wanted}` } : { zh: '', en: '' };
    const foundZh = found === 'end of formula' ? '公式已结束' : `出现 '${found}'`;
    const says = sentence ?? { zh: '公式不符合 10 种模式中的任何一种', en: 'formula matches none of the 10 supported patterns' };
    const nearest = sentence
      ? { zh: '', en: '' }
      : { zh: `；最接近的模式：${nearest_pattern}`, en: `; nearest pattern: ${nearest_pattern}` };
    super(
      400,
      'formula_parse_error',
      {
        zh: `FormulaParseError: ${says.zh}：${place.zh}${foundZh}${expecting.zh}${nearest.zh}${hintZh === undefined ? '' : `；${hintZh}`}`,
        en: `${says.en}: at ${place.en} found '${found}'${expecting.en}${nearest.en}${hint ? `; ${hint}` : ''}`,
      },
      { context: { ...problem, supported_patterns: patterns } },
    );
  }
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
