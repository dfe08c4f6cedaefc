/** What class-validator calls a constraint, the stable word of ours, and what it means in Chinese. */
const constraints: Record<string, { type: string; zh: string }> = {
  isString: { type: 'string_type', zh: '应为字符串' },
  isInt: { type: 'int_type', zh: '应为整数' },
  isNumber: { type: 'number_type', zh: '应为数字' },
  isBoolean: { type: 'bool_type', zh: '应为布尔值' },
  isObject: { type: 'object_type', zh: '应为对象' },
  isArray: { type: 'array_type', zh: '应为数组' },
  isIn: { type: 'not_one_of', zh: '不在允许的取值之内' },
  isEnum: { type: 'not_one_of', zh: '不在允许的取值之内' },
  min: { type: 'too_small', zh: '数值过小' },
  max: { type: 'too_large', zh: '数值过大' },
  minLength: { type: 'string_too_short', zh: '长度不足' },
  maxLength: { type: 'string_too_long', zh: '长度过长' },
  isLength: { type: 'string_length', zh: '长度不符' },
  isNotEmpty: { type: 'empty', zh: '不能为空' },
  matches: { type: 'string_pattern', zh: '格式不符' },
  isDateString: { type: 'date_type', zh: '应为日期' },
  isISO8601: { type: 'date_type', zh: '应为 ISO 8601 日期' },
  arrayMaxSize: { type: 'too_many', zh: '元素过多' },
  arrayMinSize: { type: 'too_few', zh: '元素过少' },
  arrayUnique: { type: 'duplicate', zh: '元素重复' },
  isUrl: { type: 'url_type', zh: '应为 URL' },
};

/** A constraint that failed, as `{type, msg}`; `english` is class-validator's own sentence or the DTO's. */
export function describeConstraint(name: string, english: string): { type: string; msg: string } {
  const known = constraints[name];
  if (known) return { type: known.type, msg: `${known.zh} / ${english}` };
  const type = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return { type, msg: english.includes(' / ') ? english : `取值不符合要求 / ${english}` };
}
