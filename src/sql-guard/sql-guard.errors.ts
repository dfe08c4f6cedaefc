import { type Bilingual } from '../text/bilingual.js';
import { LanguageError } from '../text/language-error.js';
import { offsetAt, placeAt } from '../text/place.js';

/**
 * The reasons for refusing a piece of SQL. `statement` covers everything that is more than one expression: several statements, DDL,
 * DML, extra clauses.
 */
export type UnsafeReason =
  'statement' | 'subquery' | 'function' | 'column' | 'type' | 'type_mismatch' | 'operator' | 'parameter' | 'syntax' | 'length';

const sentences: Record<UnsafeReason, Bilingual> = {
  statement: { zh: '只允许一个表达式，不允许其他语句或子句', en: 'only one expression is allowed, no other statement or clause' },
  subquery: { zh: '不允许子查询', en: 'sub-queries are not allowed' },
  function: { zh: '不允许使用此函数', en: 'this function is not allowed' },
  column: { zh: '此列或表不在允许范围内', en: 'this column or table is not in the binding' },
  type: { zh: '不允许转换为此类型', en: 'casts to this type are not allowed' },
  type_mismatch: { zh: '运算或函数不适用于这些类型', en: 'an operator, function or value does not fit the types it is used with' },
  operator: { zh: '不允许使用此运算符或语法', en: 'this operator or construct is not allowed' },
  parameter: { zh: '不允许参数占位符', en: 'parameter placeholders are not allowed' },
  syntax: { zh: '无法解析', en: 'it does not parse' },
  length: { zh: '过长或嵌套过深', en: 'it is too long or nested too deeply' },
};

export interface UnsafeSql {
  reason: UnsafeReason;
  /** The refused name or text, if known. */
  token?: string;
  /** Place of the refused name or text in characters of the client's text, counted from 1. */
  position?: number;
  hint?: Bilingual;
  /** Replaces the sentence of `reason` when the sentence would be wrong. */
  sentence?: Bilingual;
}

/** The allow-list does not cover SQL of a user (a filter clause, a row expression, a mapping's query). */
export class UnsafeFilterClauseError extends LanguageError {
  /** The sentence of the reason and its place, without the hint and the name of the error. */
  readonly sentence: Bilingual;

  /** @param text the text in which `position` counts */
  constructor(
    readonly refused: UnsafeSql,
    text?: string,
  ) {
    const { hint, sentence: own, ...facts } = refused;
    const { reason, token, position } = facts;
    const { zh, en } = own ?? sentences[reason];
    const named = token === undefined ? { zh: '', en: '' } : { zh: `：'${token}'`, en: `: '${token}'` };
    const at = position === undefined ? { zh: '', en: '' } : { zh: `（第 ${position} 个字符）`, en: ` at character ${position}` };
    const sentence = { zh: `${zh}${named.zh}${at.zh}`, en: `${en}${named.en}${at.en}` };
    super(
      'unsafe_filter_clause',
      { zh: `UnsafeFilterClauseError: ${sentence.zh}${hint ? `；${hint.zh}` : ''}`, en: `${sentence.en}${hint ? `; ${hint.en}` : ''}` },
      position === undefined || text === undefined ? null : placeAt(text, offsetAt(text, position)),
      { ...facts, ...(hint && { hint: hint.en }) },
    );
    this.sentence = sentence;
  }
}
