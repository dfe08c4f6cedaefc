import { type Accumulator } from '../../functions/accumulator.js';
import { aggregateFunctions } from '../../functions/aggregates.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { keyOf, keyOfRow } from '../../values/equality.js';
import { type AggregateCall } from './aggregate-calls.js';
import { BehindBuilder, bytesOfBehind } from './behind.js';
import { compile, type ExpressionPlace, type Rows } from './expression-place.js';
import { type Evaluate, type Row } from './scope.js';
import { countedNode, countedWalk } from './slots-read.js';

/** To open a group, besides its width. */
const unitsOfGroup = 60;

/** An aggregate of a projection, and the slot for its result. */
export interface GroupedAggregate {
  slot: number;
  /** Whether a row may stand for many equal ones. */
  takesTimes: boolean;
  start(): { add(row: Row): void; readonly bytes: number; prepare(isDue: () => boolean): Generator<null, void>; result(): CypherValue };
}

export function compileAggregate(call: AggregateCall, place: ExpressionPlace): GroupedAggregate {
  const { query } = place;
  const slot = query.frame.take();
  const definition = aggregateFunctions[call.kind === 'countAll' ? 'count' : call.name.toLowerCase()]!;
  const given = call.kind === 'countAll' ? [] : call.args;
  if (call.kind === 'call' && (given.length < definition.least || given.length > definition.most))
    throw query.error(
      'InvalidNumberOfArguments',
      {
        zh: `${definition.name}() 需要 ${definition.least} 个参数，实际 ${given.length} 个`,
        en: `${definition.name}() takes ${definition.least} arguments, not ${given.length}`,
      },
      call.position,
    );
  const walk = countedWalk(call, place.scope);
  const args: Evaluate[] = walk === null ? given.map(arg => compile(arg, place)) : [row => row[walk] ?? null];
  const distinct = call.kind === 'call' && call.distinct;
  const countsNodes = distinct && countedNode(call, place.scope) !== null;
  return { slot, takesTimes: distinct || definition.start().addTimes !== undefined, start: () => started(definition.start()) };

  function started(accumulator: Accumulator): ReturnType<GroupedAggregate['start']> {
    const seen = distinct ? new Set<string>() : null;
    let bytes = 0;
    return {
      add: row => {
        try {
          const values = args.map(arg => arg(row));
          if (countsNodes && row.nodes !== undefined) return accumulator.addTimes!(values, row.nodes);
          if (seen) {
            const key = keyOf(values[0] ?? null);
            if (seen.has(key)) return;
            seen.add(key);
            bytes += 2 * key.length + 32;
          }
          if (row.times === undefined || seen) accumulator.add(values);
          else accumulator.addTimes!(values, row.times);
        } catch (fault) {
          throw query.placed(fault, call.position);
        }
      },
      get bytes() {
        return bytes + (accumulator.bytes ?? 0);
      },
      *prepare(isDue) {
        yield* accumulator.prepare?.(isDue) ?? [];
      },
      result: () => {
        try {
          return accumulator.result();
        } catch (fault) {
          throw query.placed(fault, call.position);
        }
      },
    };
  }
}

/**
 * One row for each group of rows with equal keys: the first row of the group, with the results of the aggregates in their slots.
 * Without keys there is always one group.
 */
export function* groupRows(rows: Rows, keys: Evaluate[], aggregates: GroupedAggregate[], place: ExpressionPlace): Rows {
  const { work, frame } = place.query;
  interface Group {
    first: Row;
    running: ReturnType<GroupedAggregate['start']>[];
    bytes: number;
    behind: BehindBuilder;
  }
  const groups = new Map<string, Group>();
  const open = (first: Row): Group => ({ first, running: aggregates.map(each => each.start()), bytes: 0, behind: new BehindBuilder() });
  if (keys.length === 0) groups.set('', open(frame.emptyRow()));
  const holding = work.holding();
  try {
    for (const row of rows) {
      if (row === null) {
        yield null;
        continue;
      }
      const key = keyOfRow(keys.map(each => each(row)));
      let group = groups.get(key);
      if (!group) {
        work.spend(unitsOfGroup);
        group = open([...row]);
        groups.set(key, group);
        holding.values(row);
        holding.add(2 * key.length);
      }
      for (const each of group.running) each.add(row);
      if (group.behind.isFull) group.behind.isCut = true;
      else group.behind.addRow(row);
      const bytes = group.running.reduce((sum, each) => sum + each.bytes, bytesOfBehind(group.behind));
      if (bytes > group.bytes) holding.add(bytes - group.bytes);
      group.bytes = Math.max(bytes, group.bytes);
      work.row(row.length);
      if (work.isDue) yield null;
    }
    for (const { first, running, behind } of groups.values()) {
      for (const [i, { slot }] of aggregates.entries()) {
        yield* running[i]!.prepare(() => work.isDue);
        first[slot] = running[i]!.result();
      }
      first.behind = behind;
      work.row(first.length);
      if (work.isDue) yield null;
      yield first;
    }
  } finally {
    holding.release();
  }
}
