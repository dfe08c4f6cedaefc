import { type Bilingual } from '../../text/bilingual.js';
import { type CypherValue } from './cypher-value.js';
import { kindOf, type ValueKind } from './value-kind.js';

const typeNames: Record<ValueKind, Bilingual> = {
  null: { zh: '空值', en: 'null' },
  boolean: { zh: '布尔值', en: 'a boolean' },
  string: { zh: '文本', en: 'a string' },
  integer: { zh: '整数', en: 'an integer' },
  float: { zh: '浮点数', en: 'a float' },
  decimal: { zh: '小数', en: 'a decimal' },
  list: { zh: '列表', en: 'a list' },
  map: { zh: '映射', en: 'a map' },
  node: { zh: '节点', en: 'a node' },
  edge: { zh: '关系', en: 'a relationship' },
  path: { zh: '路径', en: 'a path' },
  date: { zh: '日期', en: 'a date' },
  localtime: { zh: '当地时间', en: 'a local time' },
  time: { zh: '时间', en: 'a time' },
  localdatetime: { zh: '当地日期时间', en: 'a local date-time' },
  datetime: { zh: '日期时间', en: 'a date-time' },
  duration: { zh: '时长', en: 'a duration' },
};

/** The type of a value as messages name it, in English with its article. */
export function typeNameOf(value: CypherValue): Bilingual {
  return typeNames[kindOf(value)];
}
