import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MeaningOf } from './meaning.js';

export function isDate(type: string): boolean {
  return type === 'date' || type === 'datetime' || type === 'localdatetime';
}

/** Whether a property is an integer that is called a year: `birth_year`, 成立年份. A number of years or a value per year does not count. */
export function isYear({ name, column = '', type }: Pick<PropertySchema, 'name' | 'column' | 'type'>): boolean {
  if (!/^(?:int|bigint)$/.test(type)) return false;
  return [name, column].some(own => {
    const spaced = own.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ');
    return /^(?:.* )?year$/i.test(spaced) ? !/(?:per|each|a|every|warranty|experience|service) year$/i.test(spaced) : chineseYear.test(own);
  });
}
const chineseYear =
  /^年份$|(?<!质保|保修|使用|工作|从业|任职|服务|折旧)(?:年份|年度)$|(?:成立|建造|建成|出版|发行|上市|出生|入职|毕业|入学|生产|创立|竣工|上映)年$/;

export function isDateOrYear(property: Pick<PropertySchema, 'name' | 'column' | 'type'>): boolean {
  return isDate(property.type) || isYear(property);
}

/** Whether a word for a property names a date or a year. */
export function isTime({ property, type, isEvent }: MeaningOf<'property'>): boolean {
  return isEvent === true || isDateOrYear({ name: property, type });
}

/** The events that happen at a date, by its names: `shipped` for `shipped_date`, `birth` for `date of birth`, 发货 for 发货日期. */
export function eventsOf({ name, column = '', aliases = [] }: Pick<PropertySchema, 'name' | 'column' | 'aliases'>): string[] {
  return [name, column, ...aliases].flatMap(own => {
    const spaced = own.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toLowerCase();
    const event =
      /^(?:date|day|year) of (.+)$/.exec(spaced)?.[1] ??
      /^(.+?)(?: (?:date|day|time|year|at|on)|\s*(?:日期|日|时间|年份|年度|年月|年))$/.exec(spaced)?.[1];
    return event === undefined || event.length < 2 ? [] : [event];
  });
}
