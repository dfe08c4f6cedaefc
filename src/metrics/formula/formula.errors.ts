import { type Bilingual, inBoth, type Phrase } from '../../text/bilingual.js';
import { type Language } from '../../text/language.js';
import { LanguageError } from '../../text/language-error.js';
import { offsetAt, placeAt } from '../../text/place.js';
import { exampleOf, supportedPatterns } from './formula-keywords.js';
import { type Pattern } from './formula-tree.js';

export interface FormulaProblem {
  /** The parts that the grammar allows at the place of the error. */
  expected?: readonly Phrase[];
  /** The text at the place of the error as the client wrote it. Absent if only its first characters are known. */
  found?: string;
  nearest?: Pattern;
  hint?: Bilingual;
  /** Replaces the sentence that the formula matches no pattern, for a formula that has a pattern and still cannot be run. */
  sentence?: Bilingual;
  /** The name of the metric with the faulty formula, if the caller asked for another metric. */
  metric?: string;
}

/** The formula matches no pattern, or names something that does not exist. */
export class FormulaParseError extends LanguageError {
  /** @param position 1-based, in characters (code points) of the formula as the client wrote it */
  constructor(
    private readonly formula: string,
    private readonly position: number,
    private readonly problem: FormulaProblem,
  ) {
    const { expected = [], found, nearest = 'arithmetic', hint, sentence, metric } = problem;
    const characters = [...formula];
    const place = placeAt(formula, offsetAt(formula, position));
    const facts = {
      position,
      ...place,
      found: found ?? (characters.slice(position - 1, position + 19).join('') || 'end of formula'),
      expected: expected.map(phrase => inBoth(phrase).en),
      nearest_pattern: nearest,
      hint: hint?.en ?? `for example: ${exampleOf(nearest)}`,
      supported_patterns: supportedPatterns,
      ...(metric !== undefined && { metric }),
    };
    super('formula_parse_error', inWords(facts, expected.map(inBoth), hint, sentence), place, facts);
  }

  /** The same error for a caller who asked for another metric, whose formula refers to the metric `name`. */
  inMetric(name: string): FormulaParseError {
    return new FormulaParseError(this.formula, this.position, { ...this.problem, metric: name });
  }
}

interface PlacedProblem {
  line: number;
  column: number;
  found: string;
  nearest_pattern: Pattern;
  metric?: string;
}

function inWords(
  { line, column, found, nearest_pattern: nearest, metric }: PlacedProblem,
  expected: Bilingual[],
  hint?: Bilingual,
  sentence?: Bilingual,
): Bilingual {
  const says = sentence ?? { zh: '公式不符合 10 种模式中的任何一种', en: 'formula matches none of the 10 supported patterns' };
  const zh = [
    `${line > 1 ? `第 ${line} 行` : ''}第 ${column} 列${found === 'end of formula' ? '公式已结束' : `出现 '${found}'`}`,
    expected.length > 0 ? `，应为 ${listed(expected, 'zh', '、', ' 或 ')}` : '',
    sentence ? '' : `；最接近的模式：${nearest}`,
    hint ? `；${hint.zh}` : '',
  ];
  const en = [
    `at ${line > 1 ? `line ${line}, ` : ''}column ${column} found '${found}'`,
    expected.length > 0 ? `, expected ${listed(expected, 'en', ', ', ' or ')}` : '',
    sentence ? '' : `; nearest pattern: ${nearest}`,
    hint ? `; ${hint.en}` : '',
  ];
  const of = metric === undefined ? { zh: '', en: '' } : { zh: `指标“${metric}”：`, en: `metric '${metric}': ` };
  return { zh: `FormulaParseError: ${of.zh}${says.zh}：${zh.join('')}`, en: `${of.en}${says.en}: ${en.join('')}` };
}

function listed(phrases: Bilingual[], language: Language, comma: string, or: string): string {
  const items = phrases.map(phrase => phrase[language]);
  return [...(items.length > 1 ? [items.slice(0, -1).join(comma)] : []), items.at(-1)].join(or);
}
