import { ApiError } from '../../../common/errors/api-error.js';
import { type Behind, bytesOfBehind } from './behind.js';
import { type Meter } from '../../syntax/effort.js';
import { heldBytesOf } from '../../values/value-size.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { type Bilingual } from '../../../text/bilingual.js';

/** An expression is evaluated in one go, so this bounds how long it holds the process: some 50 ms, in units of `spend`. */
const mostUnitsOfExpression = 2_000_000;
/** A query is compiled without a pause, more than once before its first row. */
const mostUnitsOfCompiling = 500_000;
const unitsOfStep = 5;
const stepsBetweenPauses = 2_000;
const unitsBetweenPauses = 50_000;

export interface WorkLimits {
  /** Nodes and edges looked at, items gone through and rows made. */
  steps: number;
  /** Bytes of the rows that sorting, grouping and DISTINCT hold. */
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
  private pauseAt = stepsBetweenPauses;
  /** The units since the last pause. */
  private spent = 0;
  /** A query is compiled in one go too, before its first row. */
  private isCompiling = true;

  constructor(private readonly limits: WorkLimits) {}

  /** Counts a node, an edge or an item. */
  step(): void {
    this.done += 1;
    this.spend(unitsOfStep);
  }

  /** Counts what takes time but is no step, such as reading a long text. */
  spend(units: number): void {
    this.spent += units;
    if (this.spent > (this.isCompiling ? mostUnitsOfCompiling : mostUnitsOfExpression)) this.exceededInOneGo();
  }

  /** Counts many at once, which take less time each, as those in arrays. */
  steps(count: number): void {
    this.done += count;
    this.spend(count >> 2);
  }

  /** Counts a row, which costs the more the wider it is. Whoever gives rows asks `isDue` afterwards. */
  row(width: number): void {
    this.rows += 1;
    this.done += 1 + (width >> 3);
    this.spend(unitsOfStep + width);
  }

  /** The units since the last pause. */
  get unitsInOneGo(): number {
    return this.spent;
  }

  /** Whether it is time to let other work go on. */
  get isDue(): boolean {
    if (this.done < this.pauseAt && this.spent < unitsBetweenPauses) return false;
    this.pauseAt = this.done + stepsBetweenPauses;
    return true;
  }

  /** The query goes on after a pause. Without one, as inside of an expression, it comes to its end soon. */
  resume(): void {
    if (this.done > this.limits.steps) this.exceeded();
    this.spent = 0;
    this.isCompiling = false;
  }

  /** What a clause is about to hold. It has to `release` it when it ends, also before its last row. */
  holding(): Holding {
    return new Holding(this);
  }

  /** @param bytes below zero for values that are let go */
  holdBytes(bytes: number): void {
    this.held += bytes;
    const { heldBytes } = this.limits;
    if (this.held <= heldBytes) return;
    throw new WorkExceededError(
      {
        zh: `排序、分组或去重所需的行超过 ${heldBytes} 字节`,
        en: `sorting, grouping or DISTINCT holds more than ${heldBytes} bytes of rows`,
      },
      { held_bytes: this.held, limit_bytes: heldBytes, rows: this.rows },
    );
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

/** The rows that one clause holds at a time. */
export class Holding {
  private bytes = 0;

  constructor(private readonly work: Work) {}

  /** Returns their bytes. */
  values(values: readonly CypherValue[]): number {
    const bytes = heldBytesOf(values);
    this.add(bytes);
    return bytes;
  }

  /** What a held row rests on. */
  behind({ behind }: { behind?: Behind }): number {
    const bytes = behind ? bytesOfBehind(behind) : 0;
    this.add(bytes);
    return bytes;
  }

  /** @param bytes below zero for values that are let go */
  add(bytes: number): void {
    this.bytes += bytes;
    this.work.holdBytes(bytes);
  }

  release(): void {
    this.add(-this.bytes);
  }
}
