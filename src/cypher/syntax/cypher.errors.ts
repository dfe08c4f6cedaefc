import { ApiError, type ErrorText } from '../../common/errors/api-error.js';

/** Where in the query text something stands. `position` counts UTF-16 units from 0; line and column count from 1. */
export interface TextPlace {
  position: number;
  line: number;
  column: number;
}

export function placeOf(text: string, position: number): TextPlace {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { position, line: before.split('\n').length, column: position - lineStart + 1 };
}

/** Every 400 or 422 the Cypher compiler answers with. `position` points into the query text; null where there is no text to point into. */
export class CypherError extends ApiError {
  constructor(
    code: string,
    text: ErrorText,
    readonly place: TextPlace | null,
    context: Record<string, unknown> = {},
    status: 400 | 422 = 400,
  ) {
    const at = place
      ? { zh: `（第 ${place.line} 行第 ${place.column} 列）`, en: ` (line ${place.line}, column ${place.column})` }
      : { zh: '', en: '' };
    super(status, code, { zh: text.zh + at.zh, en: text.en + at.en }, { context: { ...place, ...context } });
  }
}

/** The text is not a query: a wrong token, an unknown variable, a value where its type can never fit. */
export class CypherSyntaxError extends CypherError {
  constructor(text: ErrorText, place: TextPlace | null, context: Record<string, unknown> = {}) {
    super('cypher_syntax_error', text, place, context);
  }
}

/** The query writes, or calls a procedure. */
export class CypherReadOnlyError extends CypherError {
  constructor(feature: string, place: TextPlace) {
    super('cypher_read_only', { zh: `只能读取：不允许 ${feature}`, en: `Queries only read: ${feature} is not allowed` }, place, {
      feature,
    });
  }
}

/** openCypher that reads, and that this compiler does not build. */
export class CypherNotSupportedError extends CypherError {
  constructor(feature: string, place: TextPlace | null, hint: ErrorText = { zh: '', en: '' }) {
    super('cypher_not_supported', { zh: `暂不支持 ${inChinese(feature)}${hint.zh}`, en: `${feature} is not supported${hint.en}` }, place, {
      feature,
    });
  }
}

/** 422: an expression would build a larger value than one query may; nothing is ever cut. */
export class ValueTooLargeError extends CypherError {
  constructor(bytes: number, limit: number, place: TextPlace | null) {
    super(
      'value_too_large',
      {
        zh: `此处的值将有 ${bytes} 字节，上限为 ${limit} 字节；请用 WHERE 缩小范围，或先用 left()、size() 或切片取所需的部分`,
        en: `A value here would take ${bytes} bytes, and ${limit} are the most; narrow the query with WHERE, or take the part you need first with left(), substring() or a slice`,
      },
      place,
      { bytes, limit },
      422,
    );
  }
}

export class MissingParameterError extends CypherError {
  constructor(name: string, place: TextPlace | null) {
    super('cypher_parameter_missing', { zh: `缺少参数 $${name}`, en: `Parameter $${name} is missing` }, place, { parameter: name });
  }
}

export class InvalidParameterError extends CypherError {
  constructor(name: string, reason: ErrorText, place: TextPlace | null) {
    super('cypher_parameter_invalid', { zh: `参数 $${name} ${reason.zh}`, en: `Parameter $${name} ${reason.en}` }, place, {
      parameter: name,
    });
  }
}

/** 422: parameters are long and named often, and each place where one is named costs as much as it holds. */
export class ParametersTooLargeError extends CypherError {
  constructor(name: string, limit: number, place: TextPlace | null) {
    super(
      'cypher_parameters_too_large',
      {
        zh: `到参数 $${name} 为止，各处所用的参数合计超过 ${limit} 个字符；请少用几次，或缩短它们`,
        en: `With $${name}, the parameters at all their uses together hold more than ${limit} characters; name them less often, or shorten them`,
      },
      place,
      { parameter: name, limit },
      422,
    );
  }
}

/** What the grammar expects and what is not built, in Chinese; keywords, symbols and function names are the same in both. */
const chinese: Record<string, string> = {
  'a label': '标签',
  'a relationship type': '关系类型',
  'a property name': '属性名',
  'a column name': '列名',
  'a variable': '变量',
  'an expression': '表达式',
  'an index': '下标',
  'end of query': '查询结尾',
  'MATCH, WHERE or RETURN': 'MATCH、WHERE 或 RETURN',
  'a long expression inside a chain of comparisons': '连续比较中的长表达式',
  'map projection': '映射投影',
  'label expressions with !, % or parentheses': '含有 !、% 或括号的标签表达式',
  'pattern expression': '模式表达式',
  'list comprehension': '列表推导',
  'pattern comprehension': '模式推导',
  'named path': '命名路径',
  'a parameter as the property map of a pattern': '以参数作为模式的属性',
  'a relationship of variable length': '变长关系',
  'ordering of lists': '列表的大小比较',
  'date() of a map': '以映射为参数的 date()',
  'startNode() and endNode() of a relationship without direction': '无方向关系的 startNode() 与 endNode()',
  'a query this complex': '如此复杂的查询',
};

export function inChinese(phrase: string): string {
  const path = /^a path of more than (\d+) relationships$/.exec(phrase);
  if (path) return `超过 ${path[1]} 个关系的路径`;
  const query = /^more than (\d+) (relationships|nodes) in one query$/.exec(phrase);
  return query ? `一次查询中超过 ${query[1]} 个${query[2] === 'nodes' ? '节点' : '关系'}` : (chinese[phrase] ?? phrase);
}
