import { type Accumulator } from '../../functions/accumulator.js';
import { aggregateFunctions } from '../../functions/aggregates.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { keyOf, keyOfRow } from '../../values/equality.js';
import { type AggregateCall } from './aggregate-calls.js';
import { bytesOfSet, growthOfTable, sizeOf } from '../../values/value-size.js';
import { BehindBuilder, bytesOfBehind } from './behind.js';
import { compile, type ExpressionPlace, type Rows } from './expression-place.js';
import { forgotten } from './forgotten-rows.js';
import { type Evaluate, type Row, valuesIn, valuesOf } from './scope.js';
import { countedNode, countedWalk } from './slots-read.js';
import { type Holding, type Work } from './work.js';

/** Work units to open a group, without the units for the width of its row. */
const unitsOfGroup = 60;
/** Bytes of one aggregate of one group, without the bytes that grow with the number of rows. */
const bytesOfAggregate = 150;
/** Bytes of a group, without the bytes of its row, its evidence and its aggregates. */
const bytesOfGroup = 120;

/** An aggregate of a projection, and the slot for its result. */
export interface GroupedAggregate {
  slot: number;
  /** Whether one input row may stand for many equal rows. The number of these rows is `times` of the row. */
  takesTimes: boolean;
  start(): RunningAggregate;
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
  const part: Part = { args, distinct, countsNodes, placed: fault => query.placed(fault, call.position) };
  return {
    slot,
    takesTimes: distinct || definition.start().addTimes !== undefined,
    start: () => new RunningAggregate(part, definition.start()),
  };
}

/** State shared by all groups of one aggregate. */
interface Part {
  args: readonly Evaluate[];
  distinct: boolean;
  countsNodes: boolean;
  placed: (fault: unknown) => unknown;
}

/** The state of one aggregate in one group. */
class RunningAggregate {
  private readonly seen: Set<string> | null;
  private keyBytes = 0;

  constructor(
    private readonly part: Part,
    private readonly accumulator: Accumulator,
  ) {
    this.seen = part.distinct ? new Set<string>() : null;
  }

  add(row: Row): void {
    const { args, countsNodes, placed } = this.part;
    try {
      const values = args.map(arg => arg(row));
      if (countsNodes && row.nodes !== undefined) return this.accumulator.addTimes!(values, row.nodes);
      if (this.seen && this.isSeen(this.seen, keyOf(values[0] ?? null))) return;
      if (row.times === undefined || this.seen) this.accumulator.add(values);
      else this.accumulator.addTimes!(values, row.times);
    } catch (fault) {
      throw placed(fault);
    }
  }

  get bytes(): number {
    const keys = this.seen ? this.keyBytes + bytesOfSet(this.seen.size) : 0;
    return bytesOfAggregate + keys + (this.accumulator.bytes ?? 0);
  }

  *prepare(isDue: () => boolean): Generator<null, void> {
    yield* this.accumulator.prepare?.(isDue) ?? [];
  }

  result(): CypherValue {
    try {
      return this.accumulator.result();
    } catch (fault) {
      throw this.part.placed(fault);
    }
  }

  private isSeen(seen: Set<string>, key: string): boolean {
    if (seen.has(key)) return true;
    seen.add(key);
    this.keyBytes += sizeOf(key);
    return false;
  }
}

interface Group {
  first: Row;
  running: RunningAggregate[];
  bytes: number;
  behind: BehindBuilder;
}

/**
 * Yields one row for each group of rows with equal keys: the first row of the group, with the results of the aggregates in their slots.
 * Without keys there is always one group, and its row has only the results.
 */
export function* groupRows(rows: Rows, keys: Evaluate[], aggregates: GroupedAggregate[], place: ExpressionPlace): Rows {
  const groups = new Groups(aggregates, place);
  try {
    if (keys.length === 0) groups.open('', place.query.frame.emptyRow());
    yield* forgotten(groups.gather(rows, keys));
    yield* groups.results();
  } finally {
    groups.end();
  }
}

class Groups {
  private readonly groups = new Map<string, Group>();
  private readonly work: Work;
  private readonly holding: Holding;

  constructor(
    private readonly aggregates: readonly GroupedAggregate[],
    { query }: ExpressionPlace,
  ) {
    this.work = query.work;
    this.holding = query.work.holding();
  }

  open(key: string, first: Row): Group {
    const { groups, holding } = this;
    const group = { first, running: this.aggregates.map(each => each.start()), bytes: 0, behind: new BehindBuilder() };
    this.work.spend(unitsOfGroup);
    groups.set(key, group);
    holding.add(growthOfTable(groups.size) + sizeOf(key) + bytesOfGroup);
    holding.row(first);
    return group;
  }

  *gather(rows: Rows, keys: readonly Evaluate[]): Rows {
    const { groups, holding, work } = this;
    for (const row of rows) {
      if (row === null) {
        yield null;
        continue;
      }
      const key = keyOfRow(valuesOf(keys, row));
      const group = groups.get(key) ?? this.open(key, [...row]);
      for (const each of group.running) each.add(row);
      if (group.behind.isFull) group.behind.isCut = true;
      else group.behind.addRow(row);
      const bytes = group.running.reduce((sum, each) => sum + each.bytes, bytesOfBehind(group.behind));
      holding.add(bytes - group.bytes);
      group.bytes = bytes;
      work.row(row.length);
      if (work.isDue) yield null;
    }
  }

  *results(): Rows {
    const { holding, work, aggregates } = this;
    for (const group of this.groups.values()) {
      const { first, running, behind } = group;
      for (const [i, { slot }] of aggregates.entries()) {
        yield* running[i]!.prepare(() => work.isDue);
        first[slot] = running[i]!.result();
      }
      // Free the state of the aggregates, whose results are now in the row.
      group.running = [];
      holding.add(bytesOfBehind(behind) - group.bytes);
      holding.values(valuesIn(first, aggregates));
      first.behind = behind;
      work.row(first.length);
      if (work.isDue) yield null;
      yield first;
    }
  }

  end(): void {
    this.holding.release();
    this.groups.clear();
  }
}
