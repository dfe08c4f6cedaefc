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
  constructor(readonly problem: FormulaProblem) {
    const { column, line, found, expected, nearest_pattern, hint } = problem;
    const place =
      line > 1
        ? { zh: `第 ${line} 行第 ${column} 列`, en: `line ${line}, column ${column}` }
        : { zh: `第 ${column} 列`, en: `column ${column}` };
    const wanted = expected.join(', ').replace(/, ([^,]*)$/, ' or $1');
    const expecting = wanted ? { zh: `，应为 ${wanted}`, en: `, expected ${wanted}` } : { zh: '', en: '' };
    super(
      400,
      'formula_parse_error',
      {
        zh: `FormulaParseError: 公式不符合 10 种模式中的任何一种：${place.zh}出现 '${found}'${expecting.zh}`,
        en: `formula matches none of the 10 supported patterns: at ${place.en} found '${found}'${expecting.en}; nearest pattern: ${nearest_pattern}${hint ? `; ${hint}` : ''}`,
      },
      { context: { ...problem, supported_patterns: patterns } },
    );
  }
}
