import { positionAt } from '../../text/place.js';
import { type Format, type PropertyType, type Rule, type RuleCondition, type Severity } from './mapping.js';
import { fitsType, isNumeric, isTemporal, typeText } from './property-type.js';
import { RegexError, toPostgresRegex } from './regex-subset.js';
import { formatWords } from './rule-formats.js';
import { nodeNamed } from './node-named.js';
import { modifierKeys, referenceKeys, ruleWords } from './rule-words.js';
import { type YamlReader } from './yaml-reader.js';

type RuleName = keyof typeof ruleWords;
const ruleNames = Object.keys(ruleWords) as RuleName[];
const formats = Object.keys(formatWords) as Format[];
const modifierNames = Object.keys(modifierKeys);
const bareRules = ['required', 'unique', 'not_in_future'] as const;

/** The rules of one column, in written order. `type` is the type that the mapping states, or null if the source decides the type. */
export function readRules(list: YamlReader, type: PropertyType | null): Rule[] {
  return readList(list, type, null);
}

function readList(list: YamlReader, type: PropertyType | null, when: RuleCondition | null): Rule[] {
  const rules = list.asList().flatMap(item => readRule(item, type, when));
  checkTogether(
    list,
    rules.filter(rule => rule.when === when),
    type,
  );
  return rules;
}

function readRule(item: YamlReader, type: PropertyType | null, when: RuleCondition | null): Rule[] {
  if (item.node.kind === 'scalar') {
    const name = ruleName(item, item.asText() ?? '', ruleNames);
    if (name === null) return [];
    const bare = bareRules.find(each => each === name);
    if (bare === undefined) {
      item.problem('bad_rule_argument', { zh: `规则「${name}」需要参数`, en: `rule '${name}' needs an argument` }, `{${name}: …}`);
      return [];
    }
    if (bare === 'not_in_future' && !isDay(type)) mismatch(item, name, type!);
    return [{ kind: bare, severity: 'error', message: null, when, path: item.path }];
  }
  const entries = item.asEntries();
  if (entries.has('when')) return readWhen(item, type, when);
  const named = [...entries.keys()].filter(key => !modifierNames.includes(key));
  const written = named[0];
  if (written === undefined || named.length > 1) {
    if (named.length > 1) {
      // Each further name may be a misspelt modifier, or a rule that belongs in an entry of its own.
      for (const extra of named.slice(1)) ruleName(item, extra, [...ruleNames, ...modifierNames]);
    }
    item.problem('bad_rule_argument', { zh: '一条规则恰好有一个名称', en: 'one rule has exactly one name' }, '{min: 0, severity: warn}');
    return [];
  }
  const argument = item.child(entries.get(written)!.value, written);
  const name = ruleName(argument, written, ruleNames);
  if (name === null || name === 'when') return [];
  const modifiers = item.asMap([written, ...modifierNames]);
  const severity: Severity = modifiers.optional('severity')?.asOneOf(modifierKeys.severity.values) ?? modifierKeys.severity.default;
  const message = modifiers.optional('message')?.asText(modifierKeys.message) ?? null;
  const details = readArgument(name, argument, type);
  return details ? [{ ...details, severity, message, when, path: item.path }] : [];
}

/** Reads `{when: condition, rules: […]}` as the rules of the list, each with the condition. */
function readWhen(item: YamlReader, type: PropertyType | null, outer: RuleCondition | null): Rule[] {
  const map = item.asMap(['when', 'rules']);
  const predicate = map.required('when')?.asText() ?? null;
  const list = map.required('rules');
  if (outer !== null) {
    item.problem(
      'bad_rule_argument',
      { zh: 'when 之内不能再有 when', en: 'a when cannot stand inside another' },
      { zh: '用 AND 连接两个条件', en: 'join the conditions with AND' },
    );
    return [];
  }
  if (predicate === null || !list) return [];
  return readList(list, type, { predicate, path: [...item.path, 'when'] });
}

function ruleName(at: YamlReader, written: string, known: string[]): RuleName | null {
  const name = ruleNames.find(rule => rule === written);
  if (name) return name;
  if (written !== '') at.unknown('unknown_rule', 'rule', '规则', written, known);
  return null;
}

type RuleDetails = Rule extends infer R ? (R extends Rule ? Omit<R, 'severity' | 'message' | 'when' | 'path'> : never) : never;

function readArgument(name: Exclude<RuleName, 'when'>, argument: YamlReader, type: PropertyType | null): RuleDetails | null {
  switch (name) {
    case 'required':
    case 'unique':
    case 'not_in_future': {
      if (name === 'not_in_future' && !isDay(type)) return mismatch(argument, name, type!);
      if (argument.node.kind === 'scalar' && (argument.node.value === true || argument.node.value === null)) return { kind: name };
      argument.problem('bad_rule_argument', { zh: `规则「${name}」没有参数`, en: `rule '${name}' takes no argument` });
      return null;
    }
    case 'one_of':
      return readOneOf(argument);
    case 'pattern':
      return readPattern(argument, type);
    case 'min':
    case 'max':
      return readBound(name, argument, type);
    case 'min_length':
    case 'max_length': {
      if (type && type.name !== 'string') return mismatch(argument, name, type);
      const length = argument.asWhole({ max: 10_000_000 });
      return length === null ? null : { kind: name, length };
    }
    case 'precision':
      return readPrecision(argument, type);
    case 'format': {
      if (type && type.name !== 'string') return mismatch(argument, name, type);
      const written = argument.asText({ max: 40 });
      const format = formats.find(each => each === written);
      if (format) return { kind: 'format', format };
      if (written !== null) argument.unknown('bad_rule_argument', 'format', '格式', written, formats);
      return null;
    }
    case 'expression': {
      const predicate = argument.asText();
      return predicate === null ? null : { kind: 'expression', predicate };
    }
    case 'references':
      return readReferences(argument);
    default:
      return name satisfies never;
  }
}

/** Reads the rule `references`. If it names a node by handle, `resolve-references` fills in the node's label once all nodes are read. */
function readReferences(argument: YamlReader): RuleDetails | null {
  if (argument.node.kind !== 'map') return argument.wrongType('map', 'references: {node: …, column: …}');
  const map = argument.asMap(Object.keys(referenceKeys));
  const written = map.required('node')?.asText(referenceKeys.node) ?? null;
  const column = map.required('column')?.asText(referenceKeys.column) ?? null;
  if (written === null || column === null) return null;
  const { node, label } = nodeNamed(written);
  return { kind: 'references', node, label: label ?? '', column };
}

/** Whether a type has days: a date, a datetime, or null, because the type is not known yet. */
function isDay(type: PropertyType | null): boolean {
  return type === null || type.name === 'date' || type.name === 'datetime';
}

function readPrecision(argument: YamlReader, type: PropertyType | null): RuleDetails | null {
  if (type && !isNumeric(type)) return mismatch(argument, 'precision', type);
  const items = argument.asList();
  if (argument.node.kind !== 'list') return null;
  const [precision, scale] = items.map(item => item.asWhole({ max: 1_000 }));
  if (items.length === 2 && precision === null) return null;
  if (items.length === 2 && precision != null && scale != null && precision >= 1 && scale <= precision) {
    return { kind: 'precision', precision, scale };
  }
  argument.problem(
    'bad_rule_argument',
    { zh: 'precision 须写作 [p, s]，p ≥ 1，s ≤ p', en: 'write precision as [p, s] with p ≥ 1 and s ≤ p' },
    'precision: [12, 2]',
  );
  return null;
}

function readOneOf(argument: YamlReader): RuleDetails | null {
  const values: string[] = [];
  const items = argument.asList();
  if (argument.node.kind !== 'list') return null;
  for (const item of items) {
    const value = item.asWritten();
    if (value !== null) values.push(value);
  }
  if (values.length > 0) return { kind: 'one_of', values };
  argument.problem('empty_list', { zh: 'one_of 至少要有一个值', en: 'one_of needs at least one value' });
  return null;
}

function readPattern(argument: YamlReader, type: PropertyType | null): RuleDetails | null {
  if (type && type.name !== 'string') return mismatch(argument, 'pattern', type);
  const written = argument.asText({ max: 4000 });
  if (written === null) return null;
  try {
    return { kind: 'pattern', written, regex: toPostgresRegex(written) };
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    const place = positionAt(written, error.offset);
    argument.problem('bad_regex', { zh: `正则第 ${place} 个字符：${error.text.zh}`, en: `pattern, character ${place}: ${error.text.en}` });
    return null;
  }
}

function readBound(name: 'min' | 'max', argument: YamlReader, type: PropertyType | null): RuleDetails | null {
  if (type && !isNumeric(type) && !isTemporal(type)) return mismatch(argument, name, type);
  const bound = argument.asText({ max: 100 });
  if (bound === null) return null;
  // The bound of an integer column may have a fraction. Bound and values are then compared as numeric.
  const comparable: PropertyType = type === null ? { name: 'string' } : isNumeric(type) ? { name: 'float' } : type;
  if (fitsType(bound, comparable)) return { kind: name, bound };
  argument.problem('bad_rule_argument', {
    zh: `${name} 的参数 '${bound}' 不能按 ${typeText(type!)} 解析`,
    en: `${name}: cannot read '${bound}' as ${typeText(type!)}`,
  });
  return null;
}

function mismatch(argument: YamlReader, name: string, type: PropertyType): null {
  argument.problem('rule_type_mismatch', {
    zh: `规则「${name}」不能用于 ${typeText(type)} 类型`,
    en: `rule '${name}' does not apply to type ${typeText(type)}`,
  });
  return null;
}

/**
 * Reports pairs of bounds that no value could satisfy, and kinds of rules that are written twice. `pattern` and `expression` may be
 * repeated.
 */
function checkTogether(list: YamlReader, rules: Rule[], type: PropertyType | null): void {
  const contradicts = (lower: string, upper: string, low: string | number, high: string | number): void =>
    list.problem('contradictory_rules', {
      zh: `${lower} ${low} 大于 ${upper} ${high}，没有值能通过`,
      en: `${lower} ${low} is above ${upper} ${high}; no value can pass`,
    });
  const min = rules.find(rule => rule.kind === 'min');
  const max = rules.find(rule => rule.kind === 'max');
  if (min?.kind === 'min' && max?.kind === 'max' && isAbove(min.bound, max.bound, type)) contradicts('min', 'max', min.bound, max.bound);
  const shortest = rules.find(rule => rule.kind === 'min_length');
  const longest = rules.find(rule => rule.kind === 'max_length');
  if (shortest?.kind === 'min_length' && longest?.kind === 'max_length' && shortest.length > longest.length) {
    contradicts('min_length', 'max_length', shortest.length, longest.length);
  }
  const seen = new Set<string>();
  for (const rule of rules) {
    if (rule.kind === 'expression') continue;
    if (rule.kind !== 'pattern' && seen.has(rule.kind)) {
      list.problem('contradictory_rules', { zh: `规则「${rule.kind}」写了两次`, en: `rule '${rule.kind}' is written twice` });
    }
    seen.add(rule.kind);
  }
}

/** Compares two bounds in the order of the declared type. ISO dates and times are compared as text. */
export function isAbove(left: string, right: string, type: PropertyType | null): boolean {
  const numeric = type === null ? !Number.isNaN(Number(left)) && !Number.isNaN(Number(right)) : isNumeric(type);
  return numeric ? Number(left) > Number(right) : left > right;
}
