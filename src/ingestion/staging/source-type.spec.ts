import { inferredType, sourceFamily } from './source-type.js';

describe('sourceFamily', () => {
  it.each([
    ['smallint', 'int'],
    ['integer', 'int'],
    ['bigint', 'bigint'],
    ['numeric(12,2)', 'numeric'],
    ['double precision', 'float'],
    ['timestamp(3)', 'timestamp'],
    ['TIMESTAMPTZ', 'timestamptz'],
    ['jsonb', 'jsonb'],
    ['varchar(20)[]', 'text[]'],
    ['bigint[]', 'int[]'],
    ['time with time zone', 'timetz'],
    ['time(3) with time zone[]', 'timetz[]'],
    ['interval day to second(3)', 'interval'],
    ['numeric(12,2)[]', 'numeric[]'],
    ['timestamptz[]', 'timestamptz[]'],
    ['jsonb[]', 'text'],
    ['int4range', 'text'],
    ['varchar(20)', 'text'],
    ['inet', 'inet'],
    ['cidr', 'text'],
  ])('puts %s in the family %s', (type, family) => {
    expect(sourceFamily(type)).toBe(family);
  });
});

describe('inferredType', () => {
  it.each([
    ['text', 'string'],
    ['timestamp', 'datetime'],
    ['timestamptz', 'datetime'],
    ['text[]', 'string[]'],
    ['interval', 'duration'],
    ['timetz', 'timetz'],
    ['numeric[]', 'numeric[]'],
    ['timestamp[]', 'datetime[]'],
    ['numeric', 'numeric'],
    ['int', 'int'],
  ] as const)('reads %s as %s', (family, name) => {
    expect(inferredType(family)).toEqual({ name });
  });
});
