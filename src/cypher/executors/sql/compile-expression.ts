import { isAggregate, isUnbuiltAggregate } from '../../semantics/aggregates.js';
import { bounded, jsonBytes, MAX_VALUE_BYTES } from './bounded-value.js';
import { elementAt, findFunction, FUNCTION_NAMES } from './compile-functions.js';
import {
  compileArithmetic,
  compileEquality,
  compileIn,
  compileLogical,
  compileOrdering,
  compilePlus,
  compileStringTest,
} from './compile-operators.js';
import { type BinaryOperator, type Expression } from '../../syntax/cypher-ast.js';
import { comparesAsTime } from '../../semantics/time-text.js';
import { CypherNotSupportedError, CypherSyntaxError, type TextPlace } from '../../syntax/cypher.errors.js';
import { ValueTooLargeError } from '../../too-large.errors.js';
import { type PlanWarning } from '../../plan/logical-plan.js';
import { nearestName } from '../../../text/nearest-name.js';
import {
  type Constant,
  constant,
  sizeOfConstant,
  ExactNumber,
  familyOf,
  isNull,
  naming,
  type SqlForms,
  sqlValue,
  type SqlValue,
} from './sql-value.js';

/** Where an expression is compiled: what variables mean there, and what stands for whole sub-expressions (a group's columns). */
export interface ExpressionScope {
  forms: SqlForms;
  /** A value for the expression as a whole, or null to compile it from its parts. */
  resolve(expression: Expression): SqlValue | null;
  parameter(name: string, position: number): Constant;
  place(position: number): TextPlace | null;
  warn(warning: PlanWarning): void;
}

/** An expression to SQL. Throws CypherSyntaxError where types can never fit, CypherNotSupportedError for functions that are not built. */
export function compileExpression(expression: Expression, scope: ExpressionScope): SqlValue {
  const compile = (inner: Expression) => compileExpression(inner, scope);
  const { forms } = scope;
  const resolved = scope.resolve(expression);
  if (resolved !== null) return resolved;
  switch (expression.kind) {
    case 'literal':
      return constant(expression.value);
    case 'number':
      return constant(new ExactNumber(expression.text, expression.integer));
    case 'parameter':
      return constant(scope.parameter(expression.name, expression.position));
    case 'property':
      return (
        compileProperty(forms, compile(expression.object), expression.name) ?? mismatch(expression, scope, '属性访问', 'property access')
      );
    case 'index':
      return compileIndex(compile(expression.object), compile(expression.index), expression, scope);
    case 'slice':
      return compileSlice(compile(expression.object), expression, scope);
    case 'list':
      return compileList(expression.items.map(compile), expression.position, scope);
    case 'map':
      return compileMap(
        expression.entries.map(({ name, value }) => ({ name, value: compile(value) })),
        expression.position,
        scope,
      );
    case 'logical':
      return compileLogical(
        forms,
        expression.operator,
        expression.operands.map(operand => compileCondition(operand, scope)),
      );
    case 'unary':
      return compileUnary(expression, scope);
    case 'binary':
      return compileBinary(expression.operator, expression, scope);
    case 'isNull':
      return sqlValue('boolean', 'boolean', `(${forms.any(compile(expression.operand))} IS ${expression.negated ? 'NOT ' : ''}NULL)`);
    case 'hasLabels':
      return compileHasLabels(compile(expression.object), expression, scope);
    case 'case':
      return compileCase(expression, scope);
    case 'call':
      return compileCall(expression, scope);
    case 'variable':
    case 'countAll':
      // Variables are checked by the planner and resolved above; what is left is an aggregate where none can stand.
      throw new CypherSyntaxError({ zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, scope.place(expression.position));
    default:
      return expression satisfies never;
  }
}

/** An expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
export function compileCondition(expression: Expression, scope: ExpressionScope): SqlValue {
  const value = compileExpression(expression, scope);
  return value.type === 'boolean' || value.type === 'any' ? value : mismatch(expression, scope, '布尔条件', 'a condition');
}

function mismatch(expression: Expression, scope: ExpressionScope, zh: string, en: string): never {
  throw new CypherSyntaxError(
    { zh: `类型不符：无法用于${zh}`, en: `Type mismatch: cannot be used for ${en}` },
    scope.place(expression.position),
  );
}

function compileProperty(forms: SqlForms, object: SqlValue, name: string): SqlValue | null {
  if (object.kind === 'entity') {
    const property = object.entity.property(name);
    return sqlValue(property.type, 'jsonb', `(${object.entity.properties} -> ${forms.parameters.bind(property.name, 'text')})`);
  }
  if (isNull(object)) return object;
  if (object.type === 'date' || object.type === 'datetime') return datePart(forms, object, name);
  if (object.type !== 'map' && object.type !== 'any') return null;
  // `->` with a text key is null on anything but an object.
  return sqlValue('any', 'jsonb', `nullif(${forms.json(object)} -> ${forms.parameters.bind(name, 'text')}, 'null'::jsonb)`);
}

/** Parts of an ISO 8601 date by their fixed places. */
function datePart(forms: SqlForms, date: SqlValue, name: string): SqlValue | null {
  const part = { year: [1, 4], month: [6, 2], day: [9, 2] }[name.toLowerCase()];
  if (part === undefined && name.toLowerCase() !== 'quarter') return null;
  const [from, length] = part ?? [6, 2];
  const digits = (x: string) => `substr(${x}, ${from}, ${length})::numeric`;
  const value = (x: string) => (part ? digits(x) : `div(${digits(x)} + 2, 3)`);
  return sqlValue(
    'integer',
    'numeric',
    naming([forms.text(date)], x => `CASE WHEN ${x} ~ '^\\d{4}-\\d{2}-\\d{2}' THEN ${value(x)} END`),
  );
}

function compileIndex(object: SqlValue, index: SqlValue, expression: Expression & { kind: 'index' }, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  if (isNull(object) || isNull(index)) return constant(null);
  if (index.kind === 'constant' && typeof index.value === 'string')
    return compileProperty(forms, object, index.value) ?? mismatch(expression, scope, '按名称取值', 'access by name');
  const [of, by] = [familyOf(object.type), familyOf(index.type)];
  if (object.kind === 'entity' && (by === 'string' || by === 'any'))
    return sqlValue('any', 'jsonb', `(${object.entity.properties} -> ${forms.text(index)})`);
  if ((of === 'list' || of === 'any') && by === 'number') return elementAt(forms, object, subscript(forms, index));
  if ((of === 'map' || of === 'any') && by === 'string')
    return sqlValue('any', 'jsonb', `nullif(${forms.json(object)} -> ${forms.text(index)}, 'null'::jsonb)`);
  if (of === 'list' && by === 'any') return elementAt(forms, object, subscript(forms, index));
  if (of === 'map' && by === 'any') return sqlValue('any', 'jsonb', `nullif(${forms.json(object)} -> ${forms.text(index)}, 'null'::jsonb)`);
  return mismatch(expression, scope, '下标', 'an index');
}

function subscript(forms: SqlForms, index: SqlValue): string {
  return `least(greatest(trunc(${forms.numeric(index)}), -2000000000), 2000000000)::int`;
}

function compileSlice(list: SqlValue, expression: Expression & { kind: 'slice' }, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  if (familyOf(list.type) !== 'list' && list.type !== 'any') return mismatch(expression, scope, '切片', 'a slice');
  const bound = (end: Expression | null, otherwise: string) => {
    if (end === null) return otherwise;
    const value = compileExpression(end, scope);
    return familyOf(value.type) === 'number' || value.type === 'any' ? subscript(forms, value) : mismatch(end, scope, '切片', 'a slice');
  };
  const sql = naming([forms.json(list), bound(expression.from, '0'), bound(expression.to, '2000000000')], (x, from, to) => {
    const counted = (end: string) => `(CASE WHEN ${end} < 0 THEN jsonb_array_length(${x}) + ${end} ELSE ${end} END)`;
    const elements = `SELECT coalesce(jsonb_agg(i.value ORDER BY i.at), '[]') FROM jsonb_array_elements(${x}) WITH ORDINALITY AS i (value, at)`;
    return `CASE WHEN jsonb_typeof(${x}) = 'array' AND ${from} IS NOT NULL AND ${to} IS NOT NULL THEN (${elements} WHERE i.at > ${counted(from ?? '')} AND i.at <= ${counted(to ?? '')}) END`;
  });
  return sqlValue('list', 'jsonb', sql);
}

function compileList(items: SqlValue[], position: number, scope: ExpressionScope): SqlValue {
  const constants = items.map(item => (item.kind === 'constant' ? item.value : undefined));
  if (constants.every(value => value !== undefined)) return boundedConstant(constants, position, scope);
  const sql = boundedParts(items, position, scope.forms, parts => `jsonb_build_array(${parts.join(', ')})`);
  return sqlValue('list', 'jsonb', sql);
}

function compileMap(entries: { name: string; value: SqlValue }[], position: number, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  const constants: Record<string, Constant> = Object.create(null) as Record<string, Constant>;
  for (const { name, value } of entries) if (value.kind === 'constant') constants[name] = value.value;
  if (entries.every(({ value }) => value.kind === 'constant')) return boundedConstant(constants, position, scope);
  const names = entries.map(({ name }) => forms.parameters.bind(name, 'text'));
  const values = entries.map(({ value }) => value);
  const pairs = (parts: string[]) => parts.map((part, i) => `${names[i]}, ${part}`).join(', ');
  const sql = boundedParts(values, position, forms, parts => `jsonb_build_object(${pairs(parts)})`);
  return sqlValue('map', 'jsonb', sql);
}

/** A list or map of values: numbers and booleans among them need no look at their size. */
function boundedParts(values: SqlValue[], position: number, forms: SqlForms, build: (parts: string[]) => string): string {
  const isSmall = (value: SqlValue) => value.kind === 'sql' && (value.form === 'numeric' || value.form === 'boolean');
  const large = values.filter(value => !isSmall(value));
  const assembled = (names: string[]) => build(values.map(value => (isSmall(value) ? forms.json(value) : names[large.indexOf(value)]!)));
  if (large.length === 0) return assembled([]);
  const operands = large.map(value => forms.json(value));
  return bounded({ form: 'jsonb', position, operands, bytes: jsonBytes, body: (...names) => assembled(names) });
}

/** A list or map of constants never reaches PostgreSQL in parts: `[$p, $p, …]` would multiply a parameter here. */
function boundedConstant(value: Constant, position: number, scope: ExpressionScope): SqlValue {
  const size = sizeOfConstant(value);
  if (size > MAX_VALUE_BYTES) throw new ValueTooLargeError(size, MAX_VALUE_BYTES, scope.place(position));
  return constant(value);
}

function compileUnary(expression: Expression & { kind: 'unary' }, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  if (expression.operator === 'NOT')
    return sqlValue('boolean', 'boolean', `(NOT ${forms.boolean(compileCondition(expression.operand, scope))})`);
  const value = compileExpression(expression.operand, scope);
  if (value.type !== 'any' && familyOf(value.type) !== 'number') return mismatch(expression.operand, scope, '算术', 'arithmetic');
  const type = value.type === 'any' ? 'number' : value.type;
  return sqlValue(type, 'numeric', expression.operator === '-' ? `(- ${forms.numeric(value)})` : forms.numeric(value));
}

function compileBinary(operator: BinaryOperator, expression: Expression & { kind: 'binary' }, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  if (operator === 'XOR') {
    const [left, right] = [compileCondition(expression.left, scope), compileCondition(expression.right, scope)];
    return sqlValue('boolean', 'boolean', `(${forms.boolean(left)} <> ${forms.boolean(right)})`);
  }
  const left = compileExpression(expression.left, scope);
  const right = compileExpression(expression.right, scope);
  warnOfMismatch(operator, left, right, expression.position, scope);
  if (![expression.left, expression.right].some(isOurs)) refuseOtherTimes(operator, left, right, expression.position, scope);
  switch (operator) {
    case '=':
    case '<>':
      return compileEquality(forms, operator, left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (left.type === 'list' || right.type === 'list')
        throw new CypherNotSupportedError({ zh: '列表的大小比较', en: 'ordering of lists' }, scope.place(expression.position));
      return compileOrdering(forms, operator, left, right);
    case 'STARTS WITH':
    case 'ENDS WITH':
    case 'CONTAINS':
      return compileStringTest(forms, operator, left, right);
    case 'IN':
      if (right.type !== 'list' && right.type !== 'any') return mismatch(expression.right, scope, ' IN 右侧的列表', 'the list of IN');
      return compileIn(forms, left, right);
    case '+':
      if (
        [left, right].some(side => side.type === 'boolean' || side.type === 'map' || side.kind === 'entity') &&
        left.type !== 'list' &&
        right.type !== 'list'
      )
        return mismatch(expression, scope, '加法', 'addition');
      return compilePlus(forms, left, right, expression.position);
    case '-':
    case '*':
    case '/':
    case '%':
    case '^':
      for (const side of [left, right])
        if (side.type !== 'any' && familyOf(side.type) !== 'number') return mismatch(expression, scope, '算术', 'arithmetic');
      return compileArithmetic(forms, operator, left, right);
    default:
      return operator satisfies never;
  }
}

/** A comparison whose sides have different types can never be true (`<>`: never false): almost always a quoted number or date. */
function warnOfMismatch(operator: BinaryOperator, left: SqlValue, right: SqlValue, position: number, scope: ExpressionScope): void {
  if (!['=', '<>', '<', '<=', '>', '>='].includes(operator)) return;
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (a === b || a === 'any' || b === 'any') return;
  scope.warn({
    code: 'type_mismatch',
    text: { zh: `${left.type} 与 ${right.type} 不可比较，结果不会为真`, en: `${left.type} and ${right.type} are never equal or ordered` },
    context: { operator, left: left.type, right: right.type, ...scope.place(position) },
  });
}

/** A parameter that stands for a value of the graph itself: no name in a text begins with a space. */
function isOurs(expression: Expression): boolean {
  return expression.kind === 'parameter' && expression.name.startsWith(' ');
}

/** A time that is written otherwise than graphs hold times would be compared with a confident, wrong result. */
function refuseOtherTimes(operator: BinaryOperator, left: SqlValue, right: SqlValue, position: number, scope: ExpressionScope): void {
  if (!['=', '<>', '<', '<=', '>', '>=', 'IN'].includes(operator)) return;
  const isEquality = ['=', '<>', 'IN'].includes(operator);
  for (const [{ type }, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if ((type !== 'date' && type !== 'datetime') || other.kind !== 'constant') continue;
    const texts = Array.isArray(other.value) ? other.value : [other.value];
    const wrong = texts.find(text => typeof text === 'string' && !comparesAsTime(type, isEquality, text));
    if (typeof wrong !== 'string') continue;
    const example = type === 'date' ? '2024-05-01' : `2024-05-01T12:30:00${isEquality ? '+08:00' : ''}`;
    const [shown, zh] = [wrong.slice(0, 40), type === 'date' ? '日期' : '日期时间'];
    throw new CypherSyntaxError(
      {
        zh: `“${shown}”不是此处${zh}的写法，请写作 ${example}`,
        en: `'${shown}' is not how a ${type} is written here; write it as ${example}`,
      },
      scope.place(position),
    );
  }
}

function compileHasLabels(value: SqlValue, expression: Expression & { kind: 'hasLabels' }, scope: ExpressionScope): SqlValue {
  if (isNull(value)) return value;
  if (value.kind !== 'entity') return mismatch(expression, scope, '标签判断', 'a label test');
  const { parameters } = scope.forms;
  const groups = expression.labels.map(
    group =>
      `${value.entity.label} = ANY(${parameters.bind(
        group.map(label => label.name),
        'text[]',
      )})`,
  );
  return sqlValue('boolean', 'boolean', `(${groups.join(' AND ')})`);
}

function compileCase(expression: Expression & { kind: 'case' }, scope: ExpressionScope): SqlValue {
  const subject = expression.subject === null ? null : compileExpression(expression.subject, scope);
  if (subject?.kind !== 'sql') return compileBranches(expression, subject, scope);
  // Every branch compares with the subject: a long one is named once.
  let type: SqlValue = constant(null);
  const sql = naming([subject.sql], named => {
    type = compileBranches(expression, sqlValue(subject.type, subject.form, named), scope);
    return scope.forms.any(type);
  });
  return type.kind === 'sql' ? { ...type, sql } : type;
}

function compileBranches(expression: Expression & { kind: 'case' }, subject: SqlValue | null, scope: ExpressionScope): SqlValue {
  const { forms } = scope;
  const branches = expression.branches.map(branch => ({
    when:
      subject === null ? compileCondition(branch.when, scope) : compileEquality(forms, '=', subject, compileExpression(branch.when, scope)),
    then: compileExpression(branch.then, scope),
  }));
  const otherwise = expression.otherwise === null ? constant(null) : compileExpression(expression.otherwise, scope);
  const results = [...branches.map(branch => branch.then), otherwise].filter(value => !isNull(value));
  const families = new Set(results.map(value => familyOf(value.type)));
  const [family] = families;
  const whens = (form: (value: SqlValue) => string) =>
    `CASE ${branches.map(({ when, then }) => `WHEN ${forms.boolean(when)} THEN ${form(then)}`).join(' ')} ELSE ${form(otherwise)} END`;
  if (families.size === 1 && family === 'number') {
    const type = results.every(value => value.type === 'integer')
      ? 'integer'
      : results.every(value => value.type === 'float')
        ? 'float'
        : 'number';
    return sqlValue(
      type,
      'numeric',
      whens(value => forms.numeric(value)),
    );
  }
  if (families.size === 1 && family === 'string')
    return sqlValue(
      'string',
      'text',
      whens(value => forms.text(value)),
    );
  if (families.size === 1 && family === 'boolean')
    return sqlValue(
      'boolean',
      'boolean',
      whens(value => forms.boolean(value)),
    );
  return sqlValue(
    'any',
    'jsonb',
    whens(value => forms.json(value)),
  );
}

function compileCall(expression: Expression & { kind: 'call' }, scope: ExpressionScope): SqlValue {
  const { name, args } = expression;
  const place = scope.place(expression.position);
  if (isAggregate(expression)) throw new CypherSyntaxError({ zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, place);
  const ofEnds = name.toLowerCase() === 'startnode' ? 'source' : name.toLowerCase() === 'endnode' ? 'target' : null;
  if (ofEnds !== null && args.length === 1 && args[0]) return compileEnd(ofEnds, args[0], expression, scope);
  const definition = findFunction(name);
  if (!definition) {
    const nearest = isUnbuiltAggregate(name) ? null : nearestName(name, FUNCTION_NAMES);
    throw new CypherNotSupportedError(
      `${name}()`,
      place,
      nearest === null ? undefined : { zh: `，是否指 ${nearest}()？`, en: `; did you mean ${nearest}()?` },
    );
  }
  if (args.length < definition.least || args.length > definition.most) {
    const count = definition.least === definition.most ? `${definition.least}` : `${definition.least}–${definition.most}`;
    throw new CypherSyntaxError(
      { zh: `${name}() 需要 ${count} 个参数，实际 ${args.length} 个`, en: `${name}() takes ${count} arguments, not ${args.length}` },
      place,
    );
  }
  const values = args.map(arg => compileExpression(arg, scope));
  // null in, null out, for every function with one argument.
  if (values.length === 1 && values[0] && isNull(values[0]) && name.toLowerCase() !== 'exists') return constant(null);
  if (name.toLowerCase() === 'date' && values[0]?.type === 'map')
    throw new CypherNotSupportedError({ zh: '以映射为参数的 date()', en: 'date() of a map' }, place);
  return (
    definition.compile(scope.forms, values, expression.position) ??
    mismatch(expression, scope, ` ${name}() 的参数`, `an argument of ${name}()`)
  );
}

/** startNode(r) is the very node the pattern binds, where the pattern gives the relationship a direction. */
function compileEnd(end: 'source' | 'target', argument: Expression, expression: Expression, scope: ExpressionScope): SqlValue {
  const edge = compileExpression(argument, scope);
  if (edge.kind !== 'entity' || edge.type !== 'edge')
    return mismatch(expression, scope, ' startNode()/endNode() 的参数', 'an argument of startNode() or endNode()');
  if (edge.entity.ends === null)
    throw new CypherNotSupportedError(
      { zh: '无方向关系的 startNode() 与 endNode()', en: 'startNode() and endNode() of a relationship without direction' },
      scope.place(expression.position),
    );
  const node = scope.resolve({ kind: 'variable', name: edge.entity.ends[end], position: expression.position });
  return node ?? mismatch(expression, scope, ' startNode()/endNode()', 'startNode() or endNode()');
}
