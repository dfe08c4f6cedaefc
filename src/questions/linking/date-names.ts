import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type MeaningOf } from './meaning.js';

export function isDate(type: string): boolean {
  return type === 'date' || type === 'datetime' || type === 'localdatetime';
}

/** A whole number that is called a year: `birth_year`, 成立年份. */
export function isYear({ name, column = '', type }: Pick<PropertySchema, 'name' | 'column' | 'type'>): boolean {
  return /^(?:int|bigint)$/.test(type) && [name, column].some(own => /(?:^|[a-z]|[\s_])year$|年(?:份|度)?$/i.test(own));
}

/** Tells whether a word for a property names a date or a year. */
export function isTime({ property, type, isEvent }: MeaningOf<'property'>): boolean {
  return isEvent === true || isDate(type) || isYear({ name: property, type });
}

/** What happens at a date: `shipped` of `shipped_date`, `birth` of `date of birth`, 发货 of 发货日期. */
export function eventsOf({ name, column = '', aliases = [] }: Pick<PropertySchema, 'name' | 'column' | 'aliases'>): string[] {
  return [name, column, ...aliases].flatMap(own => {
    const spaced = own.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toLowerCase();
    const event =
      /^(?:date|day|year) of (.+)$/.exec(spaced)?.[1] ??
      /^(.+?)\s*(?:date|day|time|year|at|on|日期|日|时间|年份|年度|年月|年)$/.exec(spaced)?.[1];
    return event === undefined || event.length < 2 ? [] : [event];
  });
}
