import { nearestName } from '../../../text/nearest-name.js';
import { type CypherFunction } from '../../functions/cypher-function.js';
import { aggregateFunctions } from '../../functions/aggregates.js';
import { scalarFunctions } from '../../functions/scalar-functions.js';
import { type Expression } from '../../syntax/cypher-ast.js';
import { instead } from '../../syntax/old-forms.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { temporalFunctions } from '../../values/temporal/temporal-functions.js';
import { compile, compileCondition, type ExpressionPlace } from './expression-place.js';
import { type Evaluate, type StaticType } from './scope.js';
import { isPlain, staticType } from './static-type.js';

/** By function: whether an argument of this type is known to be wrong before the query runs. */
const wrongArguments: Readonly<Record<string, (type: StaticType) => boolean>> = {
  labels: type => type === 'path' || type === 'edge' || type === 'edges' || isPlain(type),
  type: type => type === 'node' || type === 'path' || isPlain(type),
  properties: type => type === 'path' || (isPlain(type) && type !== 'map'),
  length: type => type === 'node' || type === 'edge',
  size: type => type === 'path' || type === 'node' || type === 'edge',
  keys: type => isPlain(type) && type !== 'map',
  nodes: type => type === 'node' || type === 'edge' || isPlain(type),
  relationships: type => type === 'node' || type === 'edge' || isPlain(type),
};

const { zh, en } = instead('size((a)-->())');
const patternAsArgument = { zh: `模式不能作为函数的参数${zh}`, en: `A pattern cannot be an argument${en}` };

export function compileCall(expression: Expression & { kind: 'call' | 'countAll' }, place: ExpressionPlace): Evaluate {
  const { query } = place;
  const { position } = expression;
  if (expression.kind === 'countAll' || Object.hasOwn(aggregateFunctions, expression.name.toLowerCase()))
    throw query.error('InvalidAggregation', { zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, position);
  const name = expression.name.toLowerCase();
  const { args: given } = expression;
  if (name === 'exists' && given[0]?.kind === 'pattern') return compileCondition(given[0], place);
  const found = findFunction(name);
  if (!found) throw unknownFunction(expression, place);
  if (given.length < found.least || given.length > found.most) throw wrongCount(expression, found, place);
  const [first] = given;
  if (first?.kind === 'pattern' && first.pattern.shortest === null)
    throw query.error('UnexpectedSyntax', patternAsArgument, first.position);
  if (first && wrongArguments[name]?.(staticType(first, place.scope)))
    throw query.error(
      'InvalidArgumentType',
      { zh: `${found.name}() 的参数类型有误`, en: `${found.name}() does not take an argument of this type` },
      position,
    );
  const args = given.map(arg => compile(arg, place));
  const call = found.call;
  const unitsOfArguments = args.length >> 1;
  return query.at(position, row => {
    query.work.spend(unitsOfArguments);
    return call(args.map(arg => arg(row)));
  });

  function findFunction(
    wanted: string,
  ): (Pick<CypherFunction, 'name' | 'least' | 'most'> & { call: (args: CypherValue[]) => CypherValue }) | null {
    if (Object.hasOwn(scalarFunctions, wanted)) {
      const scalar = scalarFunctions[wanted] as CypherFunction;
      return { ...scalar, call: values => scalar.call(values, query.graph) };
    }
    if (!Object.hasOwn(temporalFunctions, wanted)) return null;
    const temporal = temporalFunctions[wanted]!;
    return { ...temporal, call: values => temporal.call(values, query.now) };
  }
}

function unknownFunction({ name, position }: Expression & { kind: 'call' }, { query }: ExpressionPlace): Error {
  const tables: Readonly<Record<string, { name: string }>>[] = [scalarFunctions, temporalFunctions, aggregateFunctions];
  const known = tables.flatMap(table => Object.values(table).map(each => each.name));
  const now = instead(`${name}()`);
  const nearest = now.en === '' ? nearestName(name, known) : null;
  return query.error(
    'UnknownFunction',
    {
      zh: `没有函数 ${name}()${now.zh}${nearest === null ? '' : `，是否指 ${nearest}()？`}`,
      en: `There is no function ${name}()${now.en}${nearest === null ? '' : `; did you mean ${nearest}()?`}`,
    },
    position,
  );
}

function wrongCount(
  { name, args, position }: Expression & { kind: 'call' },
  { least, most }: { least: number; most: number },
  { query }: ExpressionPlace,
): Error {
  const wanted = least === most ? `${least}` : most === Infinity ? `${least}+` : `${least}–${most}`;
  return query.error(
    'InvalidNumberOfArguments',
    { zh: `${name}() 需要 ${wanted} 个参数，实际 ${args.length} 个`, en: `${name}() takes ${wanted} arguments, not ${args.length}` },
    position,
  );
}
