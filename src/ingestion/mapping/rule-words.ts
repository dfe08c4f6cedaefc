import { type MappingKeys, type MappingWord } from './mapping-key.js';
import { type Rule } from './mapping.js';

/** The rules of the mapping language, with their descriptions. A missing value passes every rule except `required`. */
export const ruleWords: Record<Rule['kind'] | 'when', MappingWord> = {
  required: { meaning: { zh: '须有值', en: 'There must be a value' }, example: '{column: full_name, rules: [required]}' },
  unique: {
    meaning: { zh: '值不重复；重复时第一行通过，其余被拒绝', en: 'No value twice; the first row passes and the others are rejected' },
    example: '{column: email, rules: [unique]}',
  },
  one_of: {
    meaning: { zh: '须为所列的值之一', en: 'Must be one of these values' },
    example: '{column: status, rules: [{one_of: [active, left]}]}',
  },
  pattern: {
    meaning: {
      zh: '整个值须符合此正则表达式（RE2 的子集，没有环视与反向引用）；仅用于 string',
      en: 'The whole value must match this regular expression (a subset of RE2, no look-around, no back-references); for strings only',
    },
    example: `{column: phone, type: string, rules: [{pattern: '\\+?[0-9 ]{5,20}'}]}`,
  },
  min: {
    meaning: { zh: '不小于此值；用于数、日期与时间', en: 'Not below this bound; for numbers, days and times' },
    example: '{column: salary, type: int, rules: [{min: 0}]}',
  },
  max: {
    meaning: { zh: '不大于此值；用于数、日期与时间', en: 'Not above this bound; for numbers, days and times' },
    example: `{column: hired_on, type: date, rules: [{max: '2099-12-31'}]}`,
  },
  min_length: {
    meaning: { zh: '至少这么多个字符；仅用于 string', en: 'At least so many characters; for strings only' },
    example: '{column: full_name, type: string, rules: [{min_length: 2}]}',
  },
  max_length: {
    meaning: { zh: '至多这么多个字符；仅用于 string', en: 'At most so many characters; for strings only' },
    example: '{column: full_name, type: string, rules: [{max_length: 200}]}',
  },
  precision: {
    meaning: {
      zh: '[p, s]：不经舍入，最多 p 位数字、其中 s 位小数；仅用于数',
      en: '[p, s]: at most p digits, s of them decimals, without rounding; for numbers only',
    },
    example: `{column: salary, type: 'decimal(12,2)', rules: [{precision: [12, 2]}]}`,
  },
  format: {
    meaning: { zh: '须为此格式，见“format”；仅用于 string', en: 'Must have this format, see format; for strings only' },
    example: '{column: email, rules: [{format: email}]}',
  },
  not_in_future: {
    meaning: {
      zh: '不晚于运行开始时（日期按 source.timezone 的当天）；用于 date 与 datetime',
      en: 'Not after the start of the run (for days: the day in source.timezone); for date and datetime',
    },
    example: '{column: hired_on, type: date, rules: [not_in_future]}',
  },
  expression: {
    meaning: {
      zh: '以一行的各列写的 SQL 条件；为假时该行被拒绝，没有结果时通过',
      en: 'An SQL condition over the columns of the row; the row is rejected where it is false, not where it is NULL',
    },
    example: `{column: left_on, type: date, rules: [{expression: left_on >= hired_on}]}`,
  },
  when: {
    meaning: {
      zh: 'SQL 条件，旁边写 rules：这些规则只用于条件为真的行',
      en: 'An SQL condition, with rules beside it: they apply only to rows for which it is true',
    },
    example: `{column: left_on, type: date, rules: [{when: status = 'left', rules: [required]}]}`,
  },
  references: {
    meaning: {
      zh: '值须是某个节点的键，见“references”；在所有表读入之后、写入之前按运行结束后图中应有的节点判断，被拒绝的行不算，除非图中已有其节点；值与键的比较同关系的两端：按该节点键的类型，string 键按文本（01 不是 1），数值键按数值；此前已因 unique 或重复的键而落选的行不再补上',
      en: 'The value must be the key of a node, see references; judged after all rows are read, by the nodes that the graph has after the run. Rejected rows do not count, unless the graph has their node already. Values and keys are compared as for the ends of relationships: by the type of the key of the node, so 01 is 1 for numbers and not for a string. Rows that unique or a repeated key left out before do not come back',
    },
    example: '{column: reports_to, rules: [{references: {node: employee, column: employee_id}}]}',
  },
};

/** The keys of the rule `references`. */
export const referenceKeys = {
  node: {
    takes: 'text',
    max: 134,
    required: true,
    meaning: {
      zh: '本映射中某个节点的 id（也可以是本节点，或写在后面的节点），或 label:标签，即由其他任务装入的节点',
      en: 'The id of a node of this mapping (also this one, or one that is written below), or label: and a label, whose nodes another job loads',
    },
    example: 'node: employee',
  },
  column: {
    takes: 'text',
    max: 63,
    required: true,
    meaning: {
      zh: '该节点唯一的键列；几列合成的键请用关系检查',
      en: 'The only key column of that node; use a relationship to check a key of several columns',
    },
    example: 'column: employee_id',
  },
} as const satisfies MappingKeys;

/** The keys that may stand beside the name of a rule that is written as a map. */
export const modifierKeys = {
  severity: {
    takes: 'text',
    values: ['error', 'warn'],
    default: 'error',
    meaning: {
      zh: 'error：拒绝该行；warn：只计数，该行照常写入',
      en: 'error rejects the row; warn only counts it, and the row is written',
    },
    example: '{column: phone, rules: [{required: true, severity: warn}]}',
  },
  message: {
    takes: 'text',
    max: 500,
    default: { zh: '该规则自己的句子', en: 'the sentence of the rule' },
    meaning: { zh: '被拒绝的行所示的原因', en: 'The reason that rejected rows show' },
    example: '{column: salary, type: int, rules: [{min: 0, message: 薪资不能为负}]}',
  },
} as const satisfies MappingKeys;
