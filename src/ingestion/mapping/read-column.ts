import { columnKeys } from './column-keys.js';
import { type ColumnMapping, type ColumnSource, type PropertyType, type Rule } from './mapping.js';
import { digitsOver } from './digits.js';
import { typeNames, fitsType, parsePropertyType, typeMeantBy, typeText } from './property-type.js';
import { isAbove, readRules } from './read-rules.js';
import { checkNumberTransform, readTransforms, typeAfter } from './read-transform.js';
import { type MapReader, type YamlReader } from './yaml-reader.js';
import { type YamlNode } from './yaml-tree.js';

export function readColumn(at: YamlReader): ColumnMapping | null {
  if (at.node.kind !== 'map') {
    at.wrongType('map', at.node.kind === 'scalar' ? `{column: ${at.node.written.slice(0, 63)}}` : undefined);
    return null;
  }
  const cut = cutDecimal(at.node.entries);
  const map = at.asMap([...Object.keys(columnKeys), ...(cut ? [cut.rest] : [])]);
  const source = readSource(at, map);
  const steps = map.has('transform') ? readTransforms(map.optional('transform') ?? at) : [];
  const written = readType(map.optional('type'), cut);
  const type = typeAfter(map.optional('type') ?? at, written, steps);
  checkNumberTransform(map.optional('type') ?? at, written, steps);
  const property = readProperty(at, map, source);
  const rules = map.has('rules') ? readRules(map.optional('rules') ?? at, type) : [];
  const fallback = map.optional('default')?.asWritten() ?? null;
  if (fallback !== null) checkDefault(map.optional('default')!, fallback, type, rules);
  const sensitive = map.optional('sensitive')?.asBoolean() ?? columnKeys.sensitive.default;
  if (!source || property === null) return null;
  const transform = steps.filter(step => step !== null);
  return { source, property, type, transform, default: fallback, rules, sensitive, path: at.path };
}

function readSource(at: YamlReader, map: MapReader): ColumnSource | null {
  const given = ['column', 'expression', 'constant'].filter(key => map.has(key));
  if (given.length !== 1) {
    at.problem('missing_key', {
      zh: '须在 column、expression、constant 中恰好写一个',
      en: 'give exactly one of column, expression and constant',
    });
    return null;
  }
  if (given[0] === 'constant') {
    const constant = map.optional('constant');
    return { kind: 'constant', value: constant?.asWritten() ?? null, type: constantType(constant?.node) };
  }
  const text = map.required(given[0]!)?.asText(given[0] === 'column' ? columnKeys.column : {}) ?? null;
  if (text === null) return null;
  return given[0] === 'column' ? { kind: 'column', column: text } : { kind: 'expression', expression: text };
}

/**
 * The type of a constant: boolean or a number type for an unquoted scalar, otherwise text. A number that must keep its spelling, such as
 * `0110`, is text.
 */
function constantType(node: YamlNode | undefined): (ColumnSource & { kind: 'constant' })['type'] {
  if (node?.kind !== 'scalar') return 'string';
  const { value, written } = node;
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'number') return 'string';
  if (!/^[-+]?\d+$/.test(written)) return fitsType(written, { name: 'float' }) ? 'float' : 'string';
  if (String(value) !== written) return 'string';
  return (['int', 'bigint'] as const).find(name => fitsType(written, { name })) ?? 'string';
}

function readProperty(at: YamlReader, map: MapReader, source: ColumnSource | null): string | null {
  const written = map.optional('property');
  const property = written ? written.asText(columnKeys.property) : source?.kind === 'column' ? source.column : null;
  if (property === null) {
    if (!written && source)
      at.problem('missing_key', { zh: '没有 column 时必须写 property', en: "'property' is needed where there is no column" });
    return null;
  }
  if (property.startsWith('_')) {
    (written ?? at).problem('reserved_property', { zh: '属性名不能以下划线开头', en: 'a property name may not start with _' });
  }
  return property;
}

/** Finds a `decimal(12,2)` without quotes in a flow map, which YAML splits into `decimal(12` and a key `2)`. Null if there is none. */
function cutDecimal(entries: ReadonlyMap<string, { value: YamlNode }>): { whole: string; rest: string } | null {
  const type = entries.get('type')?.value;
  const begin = type?.kind === 'scalar' && type.plain && /^decimal\(\s*\d+$/.test(type.written) ? type.written : null;
  const rest = [...entries.keys()].find(key => /^\d+\s*\)$/.test(key));
  return begin === null || rest === undefined ? null : { whole: `${begin},${rest}`, rest };
}

function readType(at: YamlReader | null, cut: { whole: string } | null): PropertyType | null {
  if (at !== null && cut !== null) {
    at.problem(
      'unknown_type',
      { zh: `花括号中的 ${cut.whole} 含逗号，须加引号`, en: `quote ${cut.whole} inside { }: it holds a comma` },
      `type: '${cut.whole}'`,
    );
    return null;
  }
  const written = at?.asText(columnKeys.type) ?? null;
  if (at === null || written === null) return null;
  const type = parsePropertyType(written);
  if (type) return type;
  if (/^decimal\b/.test(written)) {
    at.problem('unknown_type', { zh: 'decimal 须写作 decimal(p,s)，p ≤ 1000，s ≤ p', en: 'write decimal(p,s) with p ≤ 1000 and s ≤ p' });
  } else at.unknown('unknown_type', 'type', '类型', written, typeNames, typeMeantBy(written));
  return null;
}

/** Reports a default that the rules or the type of its own column refuse, because every row that needs the default would be rejected. */
function checkDefault(at: YamlReader, value: string, type: PropertyType | null, rules: Rule[]): void {
  const broken = (rule: string): void =>
    at.problem('default_breaks_rule', { zh: `默认值 '${value}' 不符合 ${rule}`, en: `the default '${value}' breaks ${rule}` });
  if (type && !fitsType(value, type)) return broken(typeText(type));
  const { length } = [...value];
  const always = rules.filter(rule => rule.severity === 'error' && rule.when === null);
  // Only the last rule of each kind is checked, because a second rule of one kind is reported as a problem of its own.
  for (const rule of new Map(always.map(each => [each.kind, each])).values()) {
    if (rule.kind === 'one_of' && !rule.values.includes(value)) broken('one_of');
    if (rule.kind === 'min' && isAbove(rule.bound, value, type)) broken(`min ${rule.bound}`);
    if (rule.kind === 'max' && isAbove(value, rule.bound, type)) broken(`max ${rule.bound}`);
    if (rule.kind === 'precision' && digitsOver(value, rule) !== null) broken(`precision [${rule.precision}, ${rule.scale}]`);
    if (rule.kind === 'min_length' && length < rule.length) broken(`min_length ${rule.length}`);
    if (rule.kind === 'max_length' && length > rule.length) broken(`max_length ${rule.length}`);
  }
}
