import { formulaFunctions, type FormulaFunction, formulaKeywords } from '../../metrics/formula/formula-functions.js';
import { grainNames, supportedPatterns } from '../../metrics/formula/formula-keywords.js';
import { type Pattern } from '../../metrics/formula/formula-tree.js';
import { castTypes, operators, scalarFunctions } from '../../sql-guard/allow-lists.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type ReferenceEntry, type ReferencePage } from './render-reference.js';

const patternWords: Record<Pattern, { meaning: Bilingual; example: string }> = {
  aggregate: {
    meaning: {
      zh: '对一期的行聚合；FIRST 与 LAST 为每个 BY 键最早或最晚时刻的行之和，如余额',
      en: 'Aggregates the rows of a period; FIRST and LAST add up the rows of the first or last time of each BY key, such as balances',
    },
    example: `SUM(amount WHERE status = 'paid')`,
  },
  count_distinct: { meaning: { zh: '不同值的个数', en: 'How many different values' }, example: '去重计数(customer_id)' },
  quantile: { meaning: { zh: '分位数', en: 'Quantiles' }, example: 'PERCENTILE(latency_ms, 0.95)' },
  weighted_average: { meaning: { zh: '加权平均', en: 'Weighted means' }, example: 'WAVG(unit_price, quantity)' },
  ratio: {
    meaning: { zh: '两个指标或聚合之比；除以零没有值', en: 'One metric or aggregate by another; a division by zero has no value' },
    example: '[paid orders] / [orders]',
  },
  arithmetic: {
    meaning: { zh: '指标、聚合与数的 + - * /，以及标量函数', en: 'Metrics, aggregates and numbers with + - * /, and scalar functions' },
    example: '[revenue] - [cost]',
  },
  accumulate: { meaning: { zh: '累计、至今与滚动', en: 'Running, to-date and rolling totals' }, example: 'ROLLING([revenue], 7 DAY)' },
  period_over_period: { meaning: { zh: '同比、环比与增长', en: 'The change against an earlier period' }, example: 'YOY([revenue])' },
  share_of_total: { meaning: { zh: '占总数的比例', en: 'The part of the total' }, example: 'SHARE([revenue] WITHIN region)' },
  conversion: {
    meaning: {
      zh: '转化率，按事件计：一次 a 之后可有多次 b，比率可大于 1；没有转化时没有值，fill: zero 时为 0。按实体计的比率是两个去重计数之比：[buyers] / [visitors]，二者为购买与访问的 COUNT(DISTINCT user_id)；要只数访问过的买家，请按指标 visits 筛选 user_id',
      en: 'Conversion rates of events: several b may follow one a, so a rate may be above 1; without a conversion there is no value, or 0 with fill: zero. A rate of entities is a ratio of two distinct counts: [buyers] / [visitors], the COUNT(DISTINCT user_id) of buys and of visits; to count only buyers that visited, filter user_id by the metric visits',
    },
    example: 'CONVERSION([visits] -> [buys] BY user_id WITHIN 7 DAY)',
  },
};

const functions: [string, FormulaFunction][] = Object.entries(formulaFunctions);

const syntaxWords: [anchor: string, name: string, meaning: Bilingual, example: string][] = [
  [
    'metric',
    '[metric]',
    {
      zh: '本图的另一指标；聚合之外，没有方括号的名称也是指标',
      en: 'Another metric of the graph; outside an aggregate a name without brackets is a metric too',
    },
    '[销售额] / [订单数]',
  ],
  [
    'operators',
    '+ - * / ( )',
    { zh: '四则运算；除以零没有值', en: 'Arithmetic; a division by zero has no value' },
    '([revenue] - [cost]) / [revenue]',
  ],
  ['numbers', '1 1.5 5%', { zh: '数；5% 即 0.05', en: 'Numbers; 5% is 0.05' }, 'SUM(amount) * 5%'],
  [
    'columns',
    'column "Column"',
    {
      zh: '聚合之内的名称是绑定的列，不分大小写；特殊的名称写在双引号内',
      en: 'Inside an aggregate names are columns of the binding, in any case; unusual names stand in double quotes, spelled as they are',
    },
    'SUM("Unit Price" * quantity)',
  ],
];

/** The reference page of the formula language, made from the tables that the parser and the patterns read. */
export const formulasPage: ReferencePage = {
  path: '/docs/formulas',
  title: { zh: '公式', en: 'Formulas' },
  intro: [
    {
      zh: '公式定义指标。英文与中文名称可互换、可混用，不分大小写；全角标点与数字同半角，× ÷ − 同 * / -，【】同 []。最多 4,000 个字符，32 层。',
      en: 'A formula defines a metric. English and Chinese names can replace each other and be mixed, in any case; full-width punctuation and digits count as half-width, × ÷ − as * / -, and 【】 as []. At most 4,000 characters and 32 levels.',
    },
    {
      zh: 'POST /api/metrics/parse 检查公式而不保存，并用文字说明公式的意思。尚未支持的部分可以解析，但不能执行。',
      en: 'POST /api/metrics/parse checks a formula without saving it, and says in words what it means. A part that is not supported yet can be parsed, but not executed.',
    },
  ],
  sections: [
    {
      anchor: 'patterns',
      title: { zh: '模式', en: 'Patterns' },
      entries: supportedPatterns.map(pattern => entryOf(`patterns-${pattern}`, pattern, [], patternWords[pattern])),
    },
    ...supportedPatterns.map(pattern => ({
      anchor: pattern,
      title: { zh: `函数：${pattern}`, en: `Functions of ${pattern}` },
      entries: functions
        .filter(([, { pattern: own }]) => own === pattern)
        .map(([name, { zh, syntax, ...word }]) => entryOf(`function-${name}`, name, [syntax, ...zh], word)),
    })),
    {
      anchor: 'keywords',
      title: { zh: '关键词', en: 'Keywords' },
      entries: [
        ...Object.entries(formulaKeywords).map(([name, { zh, ...word }]) => entryOf(`keyword-${name}`, name, [...zh], word)),
        ...Object.entries(grainNames).map(([grain, zh]) =>
          entryOf(`keyword-${grain.toUpperCase()}`, grain.toUpperCase(), [`${grain.toUpperCase()}S`, zh], {
            meaning: { zh: '期的长短', en: 'The length of a period' },
            example: `ROLLING([revenue], 2 ${grain.toUpperCase()})`,
          }),
        ),
      ],
    },
    {
      anchor: 'syntax',
      title: { zh: '指标、列与运算', en: 'Metrics, columns and arithmetic' },
      entries: syntaxWords.map(([anchor, name, meaning, example]) => entryOf(`syntax-${anchor}`, name, [], { meaning, example })),
    },
    {
      anchor: 'sql',
      title: { zh: '聚合之内的 SQL', en: 'SQL inside an aggregate' },
      intro: [
        {
          zh: '聚合的参数与条件是 SQL 表达式，受检后执行；filter_clause 与映射的 where、expression 也按同样的规则。其他函数与类型会被拒绝。',
          en: 'The arguments and conditions of aggregates are SQL expressions, which run after they are checked, like filter_clause and the where and expression of mappings. Other functions and types are refused.',
        },
      ],
      entries: [
        {
          anchor: 'sql-functions',
          name: 'SQL functions',
          facts: [],
          meaning: { zh: `函数：${[...scalarFunctions.keys()].join('、')}`, en: `Functions: ${[...scalarFunctions.keys()].join(', ')}` },
          example: `SUM(round(amount * coalesce(rate, 1), 2) WHERE extract(year FROM paid_at) = 2024)`,
        },
        {
          anchor: 'sql-operators',
          name: 'SQL operators',
          facts: [],
          meaning: {
            zh: `运算符：${[...operators.keys()].join(' ')}，以及 AND、OR、NOT、IS、IN、BETWEEN、LIKE、SIMILAR TO、AT TIME ZONE`,
            en: `Operators: ${[...operators.keys()].join(' ')}, and AND, OR, NOT, IS, IN, BETWEEN, LIKE, SIMILAR TO, AT TIME ZONE`,
          },
          example: `COUNT(order_id WHERE status ~ '^paid' OR note ->> 'vip' = 'yes')`,
        },
        {
          anchor: 'sql-casts',
          name: 'CAST(x AS type), x::type',
          facts: [],
          meaning: { zh: `类型：${[...castTypes.keys()].join('、')}`, en: `Types: ${[...castTypes.keys()].join(', ')}` },
          example: 'SUM(amount::numeric)',
        },
        {
          anchor: 'sql-case',
          name: 'CASE',
          facts: [],
          meaning: { zh: '按条件取值', en: 'A value by conditions' },
          example: `SUM(CASE WHEN status = 'paid' THEN amount ELSE 0 END)`,
        },
      ],
    },
  ],
};

function entryOf(
  anchor: string,
  name: string,
  spellings: string[],
  { meaning, example }: { meaning: Bilingual; example: string },
): ReferenceEntry {
  const facts = spellings.map(spelling => ({ zh: spelling, en: spelling }));
  return { anchor, name, facts, meaning, example };
}
