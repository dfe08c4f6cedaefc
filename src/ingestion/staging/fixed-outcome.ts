import { selectNodes } from '../../sql-guard/node-rules.js';
import { type SqlTree } from '../../sql-guard/sql-parser.js';
import { nameParts, type NodeFields, walkTree } from '../../sql-guard/walk-tree.js';
import { type Steps } from '../../text/steps.js';
import { guardOverSource } from './guard-target.js';
import { guardedQuery } from './guarded-query.js';
import { type Target, writtenSql } from './target.js';

/** Texts that PostgreSQL reads as a moment relative to now, and times without a day, whose offset may depend on the current day. */
const clockText = /(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])|^\s*\d{1,2}:\d/i;
const momentTypes = new Set(['date', 'timestamp', 'timestamptz']);
const timeTypes = new Set(['time', 'timetz']);
/**
 * The values of `on_missing` with which a run is repeatable: a second run, over the same rows and the graph that the first run left, gives
 * the same result.
 */
const settledEnds = new Set<string>(['quarantine', 'skip', 'fail']);

/**
 * The names of the functions that the SQL of a mapping calls. If all of them are immutable, a run has the same outcome for the same rows
 * and graph. Null if the outcome may differ anyway, because something reads the clock or makes stubs.
 */
export function* functionsOfOutcome(targets: Target[], schema: string): Steps<string[] | null> {
  const functions = new Set<string>();
  let isFixed = true;
  const look = (tree: SqlTree): void =>
    walkTree(tree, selectNodes, (type, node) => {
      if (type === 'FuncCall') functions.add(nameParts(node.funcname).at(-1) ?? '');
      if (
        type === 'SQLValueFunction' ||
        (type === 'A_Const' && clockText.test(textOf(node))) ||
        (type === 'TypeCast' && mayReadClock(node))
      )
        isFixed = false;
    });
  for (const target of targets) {
    const { source } = target.element;
    yield;
    if (source.kind === 'query') look(guardedQuery(source, schema).tree);
    const guard = guardOverSource(target, 'any');
    for (const { text } of writtenSql(target)) {
      yield;
      look(guard(text).tree);
    }
    if (writtenValues(target).some(value => clockText.test(value))) isFixed = false;
    if (target.element.columns.some(({ rules }) => rules.some(({ kind }) => kind === 'not_in_future'))) isFixed = false;
    if (target.kind === 'edge' && [target.element.from, target.element.to].some(({ onMissing }) => !settledEnds.has(onMissing)))
      isFixed = false;
  }
  return isFixed ? [...functions] : null;
}

function textOf(constant: NodeFields): string {
  return (constant.sval as { sval?: string } | undefined)?.sval ?? '';
}

/**
 * Whether a cast may read the clock, because the text to cast may be `now`. A constant that is cast to a date or timestamp does not count
 * here: `clockText` checks its text. A cast to a time always counts, since its offset may depend on the current day.
 */
function mayReadClock(cast: NodeFields): boolean {
  const type = nameParts((cast.typeName as NodeFields).names).at(-1) ?? '';
  return timeTypes.has(type) || (momentTypes.has(type) && !(cast.arg as { A_Const?: unknown }).A_Const);
}

/** The values written in a mapping that are later cast to a type. */
function writtenValues({ element: { columns, incremental } }: Target): string[] {
  const ofColumns = columns.flatMap(({ source, default: fallback, rules }) => [
    source.kind === 'constant' ? source.value : null,
    fallback,
    ...rules.map(rule => (rule.kind === 'min' || rule.kind === 'max' ? rule.bound : null)),
  ]);
  return [...ofColumns, incremental?.initial ?? null].filter(value => value !== null);
}
