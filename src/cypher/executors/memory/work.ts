import { ApiError } from '../../../common/errors/api-error.js';
import { type Behind, bytesOfBehind } from './behind.js';
import { heldBytesOf } from '../../values/value-size.js';
import { type CypherValue, isList, isMap } from '../../values/cypher-value.js';

/** An expression is evaluated in one go, so this bounds how long it holds the process. */
const mostStepsOfExpression = 500_000;
/** For steps that take long: a process that does not answer for some seconds is killed with everybody's queries. */
const mostMsOfExpression = 2_000;
const stepsBetweenPauses = 2_000;
const msBetweenPauses = 5;
/** Reading the clock takes about as long as a step, so it is read only so often. A power of two. */
const stepsBetweenLooks = 16;
/** What an operation goes through in about the time of a step. */
const charactersOfStep = 1_024;
const itemsOfStep = 64;

export interface WorkLimits {
  /** Nodes and edges looked at, items gone through and rows made. */
  steps: number;
  /** Bytes of the rows that sorting, grouping and DISTINCT hold. */
  heldBytes: number;
}

/** 422: a query has done as much work as one query may. */
export class WorkExceededError extends ApiError {
  constructor(done: { zh: string; en: string }, context: Record<string, number>) {
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

/** Counts the work of one query and ends it at its limits. */
export class Work {
  private done = 0;
  private rows = 0;
  private held = 0;
  private pauseAt = stepsBetweenPauses;
  private endOfExpression = mostStepsOfExpression;
  private lookAt = stepsBetweenLooks;
  private asked = 0;
  private resumedMs: number;

  /** @param now a clock in milliseconds */
  constructor(
    private readonly limits: WorkLimits,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.resumedMs = now();
  }

  /** Counts a node, an edge or an item. */
  step(): void {
    this.done += 1;
    if (this.done >= this.lookAt) this.look();
  }

  /** Counts what it takes to go through a value once, as most operations do. Returns the value. */
  through<T extends CypherValue>(value: T): T {
    if (typeof value === 'string') {
      if (value.length >= charactersOfStep) this.weigh(value.length / charactersOfStep);
    } else if (typeof value === 'object' && value !== null) {
      const items = isList(value) ? value.length : isMap(value) ? value.size : 0;
      if (items >= itemsOfStep) this.weigh(items / itemsOfStep);
    }
    return value;
  }

  /** Counts many at once, outside of expressions. */
  steps(count: number): void {
    this.done += count;
  }

  /** Counts a row, which costs the more the wider it is. Whoever gives rows asks `isDue` afterwards. */
  row(width: number): void {
    this.rows += 1;
    this.done += 1 + (width >> 3);
    if (this.done >= this.lookAt) this.look();
  }

  /** Whether it is time to let other work go on: after many rows, or few that took long. */
  get isDue(): boolean {
    const isLook = (++this.asked & (stepsBetweenLooks - 1)) === 0;
    if (this.done < this.pauseAt && !(isLook && this.now() - this.resumedMs >= msBetweenPauses)) return false;
    this.pauseAt = this.done + stepsBetweenPauses;
    return true;
  }

  /** The query goes on after a pause. Without one, as inside of an expression, it comes to its end soon. */
  resume(): void {
    if (this.done > this.limits.steps) this.exceeded();
    this.endOfExpression = this.done + mostStepsOfExpression;
    this.resumedMs = this.now();
  }

  /** Counts values that are held until the end of a clause. Returns their bytes. */
  hold(values: readonly CypherValue[]): number {
    const bytes = heldBytesOf(values);
    this.holdBytes(bytes);
    return bytes;
  }

  /** Counts what a held row rests on. */
  holdBehind({ behind }: { behind?: Behind }): number {
    const bytes = behind ? bytesOfBehind(behind) : 0;
    this.holdBytes(bytes);
    return bytes;
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

  private weigh(steps: number): void {
    this.done += Math.ceil(steps);
    this.look();
  }

  private look(): void {
    this.lookAt = this.done + stepsBetweenLooks;
    if (this.done > this.endOfExpression) this.exceeded();
    if (this.now() - this.resumedMs > mostMsOfExpression) this.tookTooLong();
  }

  private tookTooLong(): never {
    const { done: steps, rows } = this;
    throw new WorkExceededError(
      {
        zh: `一个表达式计算了 ${mostMsOfExpression} 毫秒仍未完成`,
        en: `one expression has taken ${mostMsOfExpression} ms and has not come to its end`,
      },
      { steps, rows, limit_ms: mostMsOfExpression },
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
