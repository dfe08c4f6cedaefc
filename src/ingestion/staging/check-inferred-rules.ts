import { type ColumnMapping, type PropertyType, type Rule } from '../mapping/mapping.js';
import { fitsType, isNumeric, isTemporal, typeText } from '../mapping/property-type.js';
import { inferredType, resolvedType, type SourceFamily } from './source-type.js';
import { type SourceProblem, type SourceShape, type Target } from './target.js';

const hint = { zh: '在映射中写明 type', en: 'state the `type` of the column in the mapping' };

/**
 * Checks rules and defaults of columns without a stated type against the type that the source has. Columns with a stated type were checked
 * when the mapping was read (read-rules.ts).
 */
export function checkInferredRules({ element }: Target, shape: SourceShape): SourceProblem[] {
  return element.columns.flatMap(column => [
    ...checkDateFormat(column, familyOf(column, shape)),
    ...(column.type === null ? checkColumn(column, typeOf(column, shape)) : []),
  ]);
}

/** Refuses `date_format` for a source column that is not text, such as a date. */
function checkDateFormat({ transform, path }: ColumnMapping, family: SourceFamily): SourceProblem[] {
  if (family === 'text' || transform.at(-1)?.kind !== 'date_format') return [];
  return [
    {
      type: 'rule_type_mismatch',
      path: [...path, 'transform', transform.length - 1, 'date_format'],
      text: {
        zh: `转换「date_format」只用于文本，而来源的列是 ${inferredType(family).name}`,
        en: `transform 'date_format' reads texts, and the source column is ${inferredType(family).name}`,
      },
      hint: { zh: '去掉这个转换', en: 'leave this transform out' },
    },
  ];
}

function familyOf({ source }: ColumnMapping, { columns, expressions }: SourceShape): SourceFamily {
  if (source.kind === 'constant') return 'text';
  return (source.kind === 'column' ? columns.get(source.column) : expressions.get(source.expression)) ?? 'text';
}

function typeOf(column: ColumnMapping, shape: SourceShape): PropertyType {
  const type = resolvedType(column, familyOf(column, shape));
  // A float reads the same texts as a numeric without bounds, so the check can treat the column as float.
  if (type.name === 'numeric[]') return { name: 'float[]' };
  return type.name === 'numeric' ? { name: 'float' } : type;
}

function appliesTo({ kind }: Rule, type: PropertyType): boolean {
  switch (kind) {
    case 'pattern':
    case 'min_length':
    case 'max_length':
    case 'format':
      return type.name === 'string';
    case 'min':
    case 'max':
      return isNumeric(type) || isTemporal(type);
    case 'precision':
      return isNumeric(type);
    case 'not_in_future':
      return type.name === 'date' || type.name === 'datetime';
    case 'required':
    case 'unique':
    case 'one_of':
    case 'expression':
    case 'references':
      return true;
    default:
      return kind satisfies never;
  }
}

function checkColumn(column: ColumnMapping, type: PropertyType): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const name = typeText(type);
  for (const rule of column.rules) {
    const path = [...rule.path, rule.kind];
    const isBound = rule.kind === 'min' || rule.kind === 'max';
    if (!appliesTo(rule, type)) {
      problems.push({
        type: 'rule_type_mismatch',
        path,
        text: {
          zh: `规则「${rule.kind}」不能用于 ${name} 类型（由来源推断）`,
          en: `rule '${rule.kind}' does not apply to type ${name}, which the source column has`,
        },
        hint,
      });
    } else if (isBound && !fitsType(rule.bound, isNumeric(type) ? { name: 'float' } : type)) {
      problems.push({
        type: 'bad_rule_argument',
        path,
        text: {
          zh: `${rule.kind} 的参数 '${rule.bound}' 不能按 ${name} 解析（类型由来源推断）`,
          en: `${rule.kind}: cannot read '${rule.bound}' as ${name}, the type of the source column`,
        },
        hint,
      });
    }
  }
  if (column.default !== null && !fitsType(column.default, type)) {
    problems.push({
      type: 'default_breaks_rule',
      path: [...column.path, 'default'],
      text: {
        zh: `默认值 '${column.default}' 不符合 ${name}（类型由来源推断）`,
        en: `the default '${column.default}' breaks ${name}, the type of the source column`,
      },
      hint,
    });
  }
  return problems;
}
