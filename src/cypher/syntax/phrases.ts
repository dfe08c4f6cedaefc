/** Names of the parts that the parser expects, for its error messages. */
export const expected = {
  label: { zh: '标签', en: 'a label' },
  relationshipType: { zh: '关系类型', en: 'a relationship type' },
  propertyName: { zh: '属性名', en: 'a property name' },
  map: { zh: '映射 {名称: 值}', en: 'a map {name: value}' },
  columnName: { zh: '列名', en: 'a column name' },
  variable: { zh: '变量', en: 'a variable' },
  expression: { zh: '表达式', en: 'an expression' },
  index: { zh: '下标', en: 'an index' },
  clause: { zh: 'MATCH、UNWIND、WITH 或 RETURN', en: 'MATCH, UNWIND, WITH or RETURN' },
  count: { zh: '非负整数', en: 'a non-negative integer' },
  endOfQuery: { zh: '查询结尾', en: 'end of query' },
} as const;

/** Names of the parts of the language that the parser refuses, for its error messages. */
export const unbuilt = {
  longChain: { zh: '连续比较中的长表达式', en: 'a long expression inside a chain of comparisons' },
  mapProjection: { zh: '映射投影', en: 'map projection' },
  labelExpression: { zh: '含有 !、% 或括号的标签表达式', en: 'label expressions with !, % or parentheses' },
} as const;
