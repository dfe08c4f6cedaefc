import { ApiError } from '../../../common/errors/api-error.js';
import { type Behind, bytesOfBehind } from './behind.js';
import { type Meter } from '../../syntax/effort.js';
import { bytesOfList, sizeOf } from '../../values/value-size.js';
import { type CypherValue, isList, isMap } from '../../values/cypher-value.js';
import { type Bilingual } from '../../../text/bilingual.js';

/** Maximum work units of one expression, which is evaluated without a pause. So many take some 20 ms, or 50 ms with allocations. */
const mostUnitsOfExpression = 1_000_000;
/** Maximum work units of compiling, which does not pause. A query is compiled more than once before its first row. */
const mostUnitsOfCompiling = 500_000;
const unitsOfStep = 8;
/** Work units of a row that goes through the generators of its clause. */
const unitsOfRow = 20;
const stepsBetweenPauses = 2_000;
const unitsBetweenPauses = 50_000;
/** Minimum bytes of a large value. A large value counts once for a query, however many of its rows contain it. */
const leastShared = 1_024;
/** Maximum bytes of a query's arrays with an element for each node of the graph. Such arrays are outside of V8's heap. */
const mostArrayBytes = 134_217_728;
/** Bytes of a row's slot for its evidence. */
const bytesOfBehindSlot = 40;

export interface WorkLimits {
  /** Maximum steps: nodes and edges read, items iterated over, and rows made. */
  steps: number;
  /** Maximum bytes of the rows that the query holds: for sorting, grouping, DISTINCT and the answer, and those passed between clauses. */
  heldBytes: number;
}

/** 422: a query has done as much work as one query may. */
export class WorkExceededError extends ApiError {
  constructor(done: Bilingual, context: Record<string, number>) {
    super(
      422,
      'query_too_much_work',
      {
        zh: `查询的工作量过大：${done.zh}；请用标签、属性或 WHERE 缩小范围，或限制路径长度`,
        en: `The query takes too much work: ${done.en}; narrow it with labels, properties or WHERE, or bound the length of its paths`,
      },
      { context },
    );
  }
}

const tooMuchToCompile: Bilingual = {
  zh: '查询过长或嵌套过深，无法编译；请缩短模式与表达式，或拆为多个查询',
  en: 'it is too long or too deeply nested to be compiled; shorten its patterns and expressions, or send several queries',
};

/** Counts the work of one query and ends it at its limits. */
export class Work implements Meter {
  private done = 0;
  private rows = 0;
  private held = 0;
  private arrays = 0;
  /** Large values that the query holds, each with the number of `Holding`s that have it. */
  private readonly shared = new Map<object, { bytes: number; holdings: number }>();
  private pauseAt = stepsBetweenPauses;
  /** The work units since the last pause. */
  private spent = 0;
  /** True until the first `resume`: a query is compiled without a pause. */
  private isCompiling = true;

  constructor(private readonly limits: WorkLimits) {}

  /** Counts a node, an edge or an item. */
  step(): void {
    this.done += 1;
    this.spend(unitsOfStep);
  }

  /** Counts work besides steps, such as reading a long text. @throws WorkExceededError if too many units were spent without a pause */
  spend(units: number): void {
    this.spent += units;
    if (this.spent > (this.isCompiling ? mostUnitsOfCompiling : mostUnitsOfExpression)) this.exceededInOneGo();
  }

  /** Counts many steps that take less time than usual, such as steps over arrays. */
  steps(count: number): void {
    this.done += count;
    this.spend(count >> 1);
  }

  /** Counts a row; a wider row costs more. A generator of rows checks `isDue` afterwards. */
  row(width: number): void {
    this.rows += 1;
    this.done += 1 + (width >> 3);
    this.spend(unitsOfRow + 2 * width);
  }

  /** The work units since the last pause. */
  get unitsInOneGo(): number {
    return this.spent;
  }

  /** Whether the query should pause, so that other work can go on. */
  get isDue(): boolean {
    if (this.done < this.pauseAt && this.spent < unitsBetweenPauses) return false;
    this.pauseAt = this.done + stepsBetweenPauses;
    return true;
  }

  /**
   * Starts a new count of work units after a pause. The limit of steps is checked only here: work without a pause, such as one expression,
   * is bounded by its units.
   * @throws WorkExceededError
   */
  resume(): void {
    if (this.done > this.limits.steps) this.exceeded();
    this.spent = 0;
    this.isCompiling = false;
  }

  /** Makes a record of the rows that a clause will hold. The clause must `release` it at its end, even if it ends before its last row. */
  holding(): Holding {
    return new Holding(this);
  }

  /** Bytes that the query holds now. */
  get heldBytes(): number {
    return this.held;
  }

  /** Bytes of a large value that the query holds already; undefined for any other value. */
  sharedBytes(value: object): number | undefined {
    return this.shared.get(value)?.bytes;
  }

  /** Records that a clause holds a large value. A clause calls this once for each value. */
  share(value: object, bytes: number): void {
    const known = this.shared.get(value);
    if (known) known.holdings += 1;
    else {
      this.shared.set(value, { bytes, holdings: 1 });
      this.holdBytes(bytes);
    }
  }

  unshare(value: object): void {
    const known = this.shared.get(value);
    if (!known) return;
    known.holdings -= 1;
    if (known.holdings > 0) return;
    this.shared.delete(value);
    this.holdBytes(-known.bytes);
  }

  /** @param bytes negative for released values */
  holdBytes(bytes: number): void {
    this.held += bytes;
    const { heldBytes } = this.limits;
    if (bytes <= 0 || this.held <= heldBytes) return;
    throw new WorkExceededError(
      {
        zh: `它为排序、分组、去重、结果与后续子句同时持有的行超过 ${heldBytes} 字节`,
        en: `the rows that it holds at a time, for sorting, grouping, DISTINCT, its answer and the clauses under way, take more than ${heldBytes} bytes`,
      },
      { held_bytes: this.held, limit_bytes: heldBytes, rows: this.rows },
    );
  }

  /** Makes a record of the arrays that a clause will hold. The clause releases them when it ends. */
  holdingArrays(): ArrayHolding {
    return new ArrayHolding(this);
  }

  /** @param bytes negative for released arrays. @returns false if the query may not hold so many; it then works without the arrays */
  holdArrays(bytes: number): boolean {
    if (bytes > 0 && this.arrays + bytes > mostArrayBytes) return false;
    this.arrays += bytes;
    return true;
  }

  private exceededInOneGo(): never {
    const { done: steps, rows } = this;
    if (this.isCompiling) throw new WorkExceededError(tooMuchToCompile, { steps, rows });
    throw new WorkExceededError(
      {
        zh: '一个表达式须一次算完，而它处理的列表项、节点过多，或文本、列表过长；UNWIND 逐行处理列表，不受此限',
        en: 'one expression, which is evaluated in one go, goes through too many items or nodes, or too long texts and lists; UNWIND goes through a list in rows, without this bound',
      },
      { steps, rows },
    );
  }

  private exceeded(): never {
    const { done: steps, rows } = this;
    throw new WorkExceededError(
      {
        zh: `已查看 ${steps} 个节点、关系与列表项，得到 ${rows} 行中间结果`,
        en: `it has looked at ${steps} nodes, relationships and items, and made ${rows} rows on the way`,
      },
      { steps, rows },
    );
  }
}

/** Rows that one clause holds at a time. */
export class Holding {
  private bytes = 0;
  /** Large values in these rows, each with the number of its occurrences. */
  private shared: Map<object, number> | null = null;

  constructor(private readonly work: Work) {}

  /** Holds a row and its values. Returns its bytes without those of large values. */
  row(row: readonly CypherValue[] & { behind?: Behind }): number {
    const bytes = bytesOfList(row.length) + bytesOfBehindSlot + (row.behind ? bytesOfBehind(row.behind) : 0);
    this.add(bytes);
    return bytes + this.values(row);
  }

  /** Releases a row. `bytes` is the number that `row` returned for it. */
  dropRow(row: readonly CypherValue[], bytes: number): void {
    this.add(-bytes);
    this.drop(row);
  }

  /** Holds values. Returns their bytes without those of large values. */
  values(values: Iterable<CypherValue>): number {
    let bytes = 0;
    for (const value of values) bytes += this.value(value);
    this.add(bytes);
    return bytes;
  }

  /** Holds the large values of the current row, and releases those of the row before. Small values of a single row are not counted. */
  passing(values: Iterable<CypherValue>): void {
    this.release();
    for (const value of values) if (isPerhapsLarge(value)) this.add(this.value(value));
  }

  /** @param bytes negative for released values */
  add(bytes: number): void {
    this.bytes += bytes;
    this.work.holdBytes(bytes);
  }

  release(): void {
    if (this.bytes !== 0) this.add(-this.bytes);
    if (this.shared === null) return;
    for (const value of this.shared.keys()) this.work.unshare(value);
    this.shared = null;
  }

  /** Releases those of the values that are large. */
  drop(values: Iterable<CypherValue>): void {
    if (this.shared === null) return;
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue;
      const times = this.shared.get(value);
      if (times === undefined) continue;
      if (times > 1) this.shared.set(value, times - 1);
      else {
        this.shared.delete(value);
        this.work.unshare(value);
      }
    }
  }

  /** Holds a large value and returns 0; returns the bytes of any other value. */
  private value(value: CypherValue): number {
    if (typeof value !== 'object' || value === null) return sizeOf(value);
    const times = this.shared?.get(value);
    if (times === undefined) {
      const bytes = this.work.sharedBytes(value) ?? sizeOf(value);
      if (bytes < leastShared) return bytes;
      (this.shared ??= new Map<object, number>()).set(value, 0);
      this.work.share(value, bytes);
    }
    this.shared!.set(value, (times ?? 0) + 1);
    return 0;
  }
}

/** Arrays that one clause holds at a time. */
export class ArrayHolding {
  private bytes = 0;

  constructor(private readonly work: Work) {}

  /** @returns false if the clause has to work without the arrays */
  add(bytes: number): boolean {
    const isHeld = this.work.holdArrays(bytes);
    if (isHeld) this.bytes += bytes;
    return isHeld;
  }

  release(): void {
    this.work.holdArrays(-this.bytes);
    this.bytes = 0;
  }
}

function isPerhapsLarge(value: CypherValue): boolean {
  if (typeof value === 'string') return value.length > leastShared;
  if (typeof value !== 'object' || value === null) return false;
  return isList(value) || isMap(value) || ('kind' in value && value.kind === 'path');
}
