import { type MappingKeys, type MappingWord } from './mapping-key.js';
import { type ListType, type PropertyType, type ScalarName, type Transform } from './mapping.js';
import { scalarNames } from './property-type.js';

const oneSource = { zh: '须在 column、expression、constant 中恰好写一个', en: 'exactly one of column, expression and constant' };

export const columnKeys = {
  column: {
    takes: 'text',
    max: 63,
    required: oneSource,
    meaning: { zh: '源表的列', en: 'A column of the source' },
    example: '{column: full_name}',
  },
  expression: {
    takes: 'text',
    required: oneSource,
    meaning: {
      zh: '以一行的各列计算的 SQL 表达式，受检后执行',
      en: 'An SQL expression over the columns of a row; it runs after it is checked',
    },
    example: '{expression: salary * 12, property: 年薪}',
  },
  constant: {
    takes: 'scalar',
    required: oneSource,
    meaning: {
      zh: '每个节点相同的值；没有引号的数、true 与 false 保持各自的类型，有引号的是文本',
      en: 'A value that is the same for all; a number, true or false keeps its type unless it stands in quotes',
    },
    example: '{constant: hr, property: 来源}',
  },
  property: {
    takes: 'text',
    max: 128,
    required: { zh: '没有 column 时', en: 'where there is no column' },
    default: { zh: '列名', en: 'the name of the column' },
    meaning: { zh: '图中的属性名；不以下划线开头', en: 'The name of the property in the graph; it does not start with an underscore' },
    example: '{column: full_name, property: 姓名}',
  },
  type: {
    takes: 'text',
    max: 40,
    default: { zh: '由源列或常量的类型推断', en: 'inferred from the type of the source column or constant' },
    meaning: {
      zh: '属性的类型，见“类型”；不能按此类型读取的行被拒绝',
      en: 'The type of the property, see Types; a row whose value cannot be read as one is rejected',
    },
    example: `{column: salary, type: 'decimal(12,2)'}`,
  },
  transform: {
    takes: 'list',
    default: { zh: '无', en: 'none' },
    meaning: {
      zh: '按书写顺序改变值的文本，见“转换”；先于 default、type 与 rules',
      en: 'Change the text of the value in this order, see Transforms; before default, type and rules',
    },
    example: '{column: full_name, transform: [trim, collapse_space]}',
  },
  default: {
    takes: 'scalar',
    default: { zh: '无', en: 'none' },
    meaning: { zh: '没有值时所用的值；须符合 type 与 rules', en: 'Stands where there is no value; it must fit type and rules' },
    example: '{column: status, default: active}',
  },
  rules: {
    takes: 'list',
    default: { zh: '无', en: 'none' },
    meaning: {
      zh: '每个值须符合的规则，见“规则”；一个节点或关系的各列合计最多 1000 条',
      en: 'Conditions that each value must fulfil, see Rules; at most 1,000 over the columns of a node or edge',
    },
    example: '{column: salary, type: int, rules: [required, {min: 0}]}',
  },
  sensitive: {
    takes: 'boolean',
    default: false,
    meaning: {
      zh: '被拒绝的行中不显示此值，不自动用作显示列，也不发给语言模型；不隐藏图中的属性',
      en: 'Rejected rows do not show the value, it is not taken as display column by itself, and no language model gets it; the property in the graph is not hidden',
    },
    example: '{column: phone, sensitive: true}',
  },
} as const satisfies MappingKeys;

export const transformWords: Record<Transform['kind'], MappingWord> = {
  trim: {
    meaning: { zh: '去掉两端的空白，也包括全角空格', en: 'Takes white space off both ends, full-width spaces too' },
    example: '{column: full_name, transform: [trim]}',
  },
  lower: { meaning: { zh: '改为小写', en: 'Lower case' }, example: '{column: email, transform: [lower]}' },
  upper: { meaning: { zh: '改为大写', en: 'Upper case' }, example: '{column: country_code, transform: [upper]}' },
  nfc: {
    meaning: { zh: 'Unicode 规范化形式 NFC', en: 'Unicode normalisation form NFC' },
    example: '{column: full_name, transform: [nfc]}',
  },
  nfkc: {
    meaning: { zh: 'Unicode 规范化形式 NFKC，如全角变半角', en: 'Unicode normalisation form NFKC, such as full width to half width' },
    example: '{column: phone, transform: [nfkc]}',
  },
  collapse_space: {
    meaning: { zh: '连续的空白变为一个空格', en: 'Several white spaces become one space' },
    example: '{column: full_name, transform: [collapse_space]}',
  },
  map: {
    meaning: {
      zh: '按表替换值；表中没有的值不变，替换为 null 即没有值',
      en: 'Replaces values by a table; others stay as they are, and null means no value',
    },
    example: '{column: status, transform: [{map: {A: active, L: left, X: null}}]}',
  },
  null_if: {
    meaning: { zh: '所列的值视为没有值', en: 'These values count as no value' },
    example: `{column: phone, transform: [{null_if: ['-', n/a]}]}`,
  },
  split: {
    meaning: {
      zh: '按此分隔符分成列表；各部分去掉两端的空白，空的略去；须是最后一个转换，类型为 string[]（默认）或 int[]',
      en: 'Splits by this separator into a list; parts lose the white space around them, and empty ones are left out; must come last, the type is string[] (the default) or int[]',
    },
    example: `{column: skills, transform: [{split: ';'}]}`,
  },
  substring: {
    meaning: {
      zh: '[起点, 长度]：从第几个字符起取多少个字符，第一个字符是 1',
      en: '[start, length]: so many characters from this one on; the first character is 1',
    },
    example: '{column: phone, property: 区号, transform: [{substring: [1, 4]}]}',
  },
  date_format: {
    meaning: {
      zh: '来源的日期如何书写：yyyy MM M MMM dd d HH H hh h mm ss SSS a XXX，其他字母写在单引号内；不符合的值被拒绝；须是最后一个转换，类型为 date、datetime 或 time',
      en: 'How the source writes its dates: yyyy MM M MMM dd d HH H hh h mm ss SSS a XXX, other letters in single quotes; other values are rejected; must come last, the type is date, datetime or time',
    },
    example: `{column: hired_on, type: date, transform: [{date_format: dd/MM/yyyy}]}`,
  },
  number_cn: {
    meaning: {
      zh: '读取带千位分隔符与全角字符的数，如 1,234.5 与 １２３；分隔符不在千位上的值被拒绝；不写 type 时为精确小数',
      en: 'Reads numbers with thousands separators and full-width characters, such as 1,234.5 and １２３; a separator in another place is rejected; without a type they are exact decimals',
    },
    example: `{column: salary, type: 'decimal(12,2)', transform: [number_cn]}`,
  },
};

/** The scalar types and the lists `string[]` and `int[]`, with their descriptions. `typeWords` adds the other list types. */
const plainTypeWords: Record<Exclude<PropertyType, ListType>['name'] | 'string[]' | 'int[]', MappingWord> = {
  string: { meaning: { zh: '文本', en: 'Text' }, example: '{column: full_name, type: string}' },
  int: { meaning: { zh: '32 位整数', en: 'An integer of 32 bits' }, example: '{column: age, type: int}' },
  bigint: { meaning: { zh: '64 位整数', en: 'An integer of 64 bits' }, example: '{column: badge_no, type: bigint}' },
  decimal: {
    meaning: {
      zh: 'decimal(p,s)：最多 p 位数字、其中 s 位小数的精确数；p ≤ 1000，s ≤ p；decimal(p,s)[] 是其列表',
      en: 'decimal(p,s): an exact number of at most p digits, s of them decimals; p ≤ 1000, s ≤ p; decimal(p,s)[] is a list of them',
    },
    example: `{column: salary, type: 'decimal(12,2)'}`,
  },
  float: { meaning: { zh: '64 位浮点数', en: 'A floating-point number of 64 bits' }, example: '{column: rating, type: float}' },
  boolean: {
    meaning: { zh: '真或假；可读 true、yes、on、1、t、y 及其反义', en: 'True or false; reads true, yes, on, 1, t, y and their opposites' },
    example: '{column: is_manager, type: boolean}',
  },
  date: {
    meaning: {
      zh: '日期，如 2024-05-01；其后写有时刻的，取 source.timezone 中的那一天',
      en: 'A day, such as 2024-05-01; with a time behind it, the day in source.timezone',
    },
    example: '{column: hired_on, type: date}',
  },
  time: {
    meaning: {
      zh: '一天中的时刻，如 08:30；写有日期与时区的，取 source.timezone 中的时刻；有时区而没有日期的被拒绝',
      en: 'A time of day, such as 08:30; with a day and a zone, the time in source.timezone; a zone without a day is rejected',
    },
    example: '{column: shift_start, type: time}',
  },
  datetime: {
    meaning: { zh: '日期时间；没有时区的按 source.timezone 读取', en: 'A date with time; without a zone it is read in source.timezone' },
    example: '{column: changed_at, type: datetime}',
  },
  timetz: {
    meaning: {
      zh: '一天中的时刻与其偏移，如 08:30+08:00；没有偏移的被拒绝',
      en: 'A time of day with its offset, such as 08:30+08:00; one without an offset is rejected',
    },
    example: '{column: opens_at, type: timetz}',
  },
  localdatetime: {
    meaning: {
      zh: '没有时区的日期时间，如 2024-05-01T08:30；写有时区的文本被拒绝；带时区的列取 source.timezone 中的时间',
      en: 'A date with time and no zone, such as 2024-05-01T08:30; a text with a zone is rejected; of a column with zones it is the time in source.timezone',
    },
    example: '{column: planned_for, type: localdatetime}',
  },
  duration: {
    meaning: {
      zh: '时长，写作 ISO 8601（P1Y2M10DT2H30M）或 1 day 02:30:00；只有秒可有小数，最多 6 位',
      en: 'A length of time, as ISO 8601 (P1Y2M10DT2H30M) or as 1 day 02:30:00; only seconds may have decimals, at most 6',
    },
    example: '{column: notice, type: duration}',
  },
  json: {
    meaning: { zh: '任意 JSON，至多 1 MB，同一对象中的键不重复', en: 'Any JSON of at most 1 MB, without a key twice in an object' },
    example: '{column: settings, type: json}',
  },
  map: {
    meaning: { zh: 'JSON 对象；其他 JSON 被拒绝', en: 'A JSON object; other JSON is rejected' },
    example: '{column: address, type: map}',
  },
  'string[]': {
    meaning: { zh: '文本的列表，写作 JSON 或 PostgreSQL 数组', en: 'A list of texts, as JSON or as an array of PostgreSQL' },
    example: `{column: skills, type: 'string[]'}`,
  },
  'int[]': {
    meaning: { zh: '整数的列表，写法同上', en: 'A list of integers, written likewise' },
    example: `{column: project_ids, type: 'int[]'}`,
  },
};

const furtherLists = scalarNames.filter((name): name is Exclude<ScalarName, 'string' | 'int'> => name !== 'string' && name !== 'int');

export const typeWords: Readonly<Record<string, MappingWord>> = {
  ...plainTypeWords,
  ...Object.fromEntries(
    furtherLists.map(name => [
      `${name}[]`,
      {
        meaning: {
          zh: `${name} 的列表，写作 JSON 或 PostgreSQL 数组；其中可有 null`,
          en: `A list of ${name}, as JSON or as an array of PostgreSQL; nulls may be among them`,
        },
        example: `{column: history, type: '${name}[]'}`,
      },
    ]),
  ),
};
