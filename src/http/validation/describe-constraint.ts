import { type Bilingual } from '../../text/bilingual.js';

/** Our stable code and the Chinese meaning of each constraint, by class-validator's name of the constraint. */
const constraints: Record<string, { type: string; zh: string }> = {
  isString: { type: 'string_type', zh: '应为字符串' },
  isInt: { type: 'int_type', zh: '应为整数' },
  isNumber: { type: 'number_type', zh: '应为数字' },
  isBoolean: { type: 'bool_type', zh: '应为布尔值' },
  isObject: { type: 'object_type', zh: '应为对象' },
  unknownValue: { type: 'object_type', zh: '应为对象' },
  isArray: { type: 'array_type', zh: '应为数组' },
  isIn: { type: 'not_one_of', zh: '不在允许的取值之内' },
  isEnum: { type: 'not_one_of', zh: '不在允许的取值之内' },
  min: { type: 'too_small', zh: '数值过小' },
  max: { type: 'too_large', zh: '数值过大' },
  minLength: { type: 'string_too_short', zh: '长度不足' },
  maxLength: { type: 'string_too_long', zh: '长度过长' },
  isLength: { type: 'string_length', zh: '长度不符' },
  isDefined: { type: 'empty', zh: '不能为空' },
  isNotEmpty: { type: 'empty', zh: '不能为空' },
  matches: { type: 'string_pattern', zh: '格式不符' },
  isDateString: { type: 'date_type', zh: '应为日期' },
  isIso8601: { type: 'date_type', zh: '应为 ISO 8601 日期' },
  arrayMaxSize: { type: 'too_many', zh: '元素过多' },
  arrayMinSize: { type: 'too_few', zh: '元素过少' },
  arrayUnique: { type: 'duplicate', zh: '元素重复' },
  isUrl: { type: 'url_type', zh: '应为 URL' },
};

/**
 * Describes a constraint that a value breaks.
 * @param en the English sentence, class-validator's or the DTO's own
 * @param zh the DTO's own Chinese sentence (see sentence.ts); undefined if it has none
 */
export function describeConstraint(name: string, en: string, zh?: string): { type: string; text: Bilingual } {
  const known = constraints[name];
  const type = known?.type ?? name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return { type, text: { zh: zh ?? (known ? known.zh + boundsIn(en, type) : '取值不符合要求'), en } };
}

/**
 * The bounds or the allowed values that class-validator's English sentence names. A DTO's own sentence has none of the recognised forms.
 */
function boundsIn(english: string, type: string): string {
  const values = /following values: (.*)$/s.exec(english)?.[1];
  if (values !== undefined) return `：${values.replace(/, ?/g, '、')}`;
  const from = /(?:less than|longer than or equal to|at least) (-?[\d.]+)/.exec(english)?.[1];
  const to = /(?:greater than|shorter than or equal to|no more than) (-?[\d.]+)/.exec(english)?.[1];
  const unit = type.startsWith('string') ? ' 个字符' : type === 'too_many' || type === 'too_few' ? ' 个元素' : '';
  if (from !== undefined && to !== undefined) return `：应为 ${from} 到 ${to}${unit}`;
  if (from !== undefined) return `：至少 ${from}${unit}`;
  return to === undefined ? '' : `：最多 ${to}${unit}`;
}
