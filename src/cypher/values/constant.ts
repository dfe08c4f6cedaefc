import { type ValueType } from './value-type.js';

/** A number as it was written, so that no digit is lost on the way to `numeric`. */
export class ExactNumber {
  constructor(
    readonly text: string,
    readonly integer: boolean,
  ) {}
}

/** A value in the query itself, or the value of a parameter. */
export type Constant = null | boolean | string | ExactNumber | Constant[] | { [name: string]: Constant };

export function typeOfConstant(value: Constant): ValueType {
  if (value === null) return 'any';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (value instanceof ExactNumber) return value.integer ? 'integer' : 'float';
  return Array.isArray(value) ? 'list' : 'map';
}

/** The length of a constant as JSON, near enough for a limit. */
export function sizeOfConstant(value: Constant): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || typeof value === 'boolean') return 5;
  if (value instanceof ExactNumber) return value.text.length;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const inner = Object.values(value).reduce<number>((size, each) => size + 1 + sizeOfConstant(each), 2);
  return names.reduce((size, name) => size + 3 + name.length, inner);
}

export function jsonText(value: Constant): string {
  if (value instanceof ExactNumber) return value.text.replace(/^(-?)\./, '$10.');
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}
