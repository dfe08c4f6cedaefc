import { type PoolClient } from 'pg';
import { type TargetReport } from './run-report.js';
import { RunFailure } from '../../common/errors/run-failure.js';

export interface Exceeded {
  target: string;
  had: number;
  removed: number;
  read: number;
}

const shownTargets = 10;

/**
 * The elements of a target that a run removes from the graph. `unseen`: elements whose rows were not read. `marked`: elements whose rows
 * are marked as deleted in the source. `none`: no elements.
 */
export interface Removal {
  of: 'unseen' | 'marked' | 'none';
  guard: DeleteGuard;
}

type Leaving = 'leaving_nodes' | 'leaving_edges';

/** The number of elements in `leaving` that no other job yields, and that are therefore deleted. */
export async function countGoing(client: PoolClient, leaving: Leaving): Promise<number> {
  return count(client, leaving, 'NOT stays');
}

/** The number of elements in `leaving` that other jobs still yield, and that lose properties. */
export async function countLosing(client: PoolClient, leaving: Leaving): Promise<number> {
  return count(client, leaving, 'stays AND loses');
}

async function count(client: PoolClient, leaving: Leaving, condition: string): Promise<number> {
  const { rows } = await client.query<{ found: number }>(`SELECT count(*)::int AS found FROM pg_temp.${leaving} WHERE ${condition}`);
  return rows[0]!.found;
}

/**
 * Stops a run that would remove more than half of the elements that its job keeps in a label or edge type, unless the run allows it.
 * Elements that another job still yields do not count as removed.
 */
export class DeleteGuard {
  /** The targets that would lose more than half of their elements, or that have lost them if the run allows it. */
  readonly exceeded: Exceeded[] = [];

  constructor(private readonly allowsAll: boolean) {}

  /**
   * Whether the elements of a target may be removed. If not, the caller must keep them, and `throwIfExceeded` later reports all targets
   * with too many removals.
   * @param had how many elements the job had before the run
   */
  permits({ target, read }: TargetReport, had: number, removed: number): boolean {
    if (removed * 2 <= had) return true;
    this.exceeded.push({ target, had, removed, read });
    return this.allowsAll;
  }

  /** @throws RunFailure when a target would lose too many elements and the run does not allow it */
  throwIfExceeded(): void {
    if (this.allowsAll || this.exceeded.length === 0) return;
    const shown = this.exceeded.slice(0, shownTargets);
    const zh = shown
      .map(({ target, had, removed, read }) => `「${target}」${removed}/${had}${read === 0 ? '（来源为空）' : ''}`)
      .join('、');
    const en = shown
      .map(({ target, had, removed, read }) => `${removed} of ${had} of '${target}'${read === 0 ? ' (the source is empty)' : ''}`)
      .join(', ');
    throw new RunFailure(
      'too_many_deletes',
      {
        zh: `来源中已没有超过一半的元素：${zh}，因此什么都没有写入；若确应删除，请以 ?allow_deletes=true 再次运行；若应保留，请在映射中写 deletes: {mode: none}`,
        en: `more than half would be removed, because the source has it no longer: ${en}; nothing was written. If that is right, run again with ?allow_deletes=true; to keep what leaves the source, write deletes: {mode: none} in the mapping`,
      },
      { targets: shown },
    );
  }
}
