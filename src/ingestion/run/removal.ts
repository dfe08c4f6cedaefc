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

/** Which rows of a target leave the graph: those that were not read, those whose source row asks for it, or none. */
export interface Removal {
  of: 'unseen' | 'marked' | 'none';
  guard: DeleteGuard;
}

type Leaving = 'leaving_nodes' | 'leaving_edges';

/** The elements that no job yields any more. */
export async function countGoing(client: PoolClient, leaving: Leaving): Promise<number> {
  return count(client, leaving, 'NOT stays');
}

/** The elements that other jobs yield still, and which lose properties. */
export async function countLosing(client: PoolClient, leaving: Leaving): Promise<number> {
  return count(client, leaving, 'stays AND loses');
}

async function count(client: PoolClient, leaving: Leaving, condition: string): Promise<number> {
  const { rows } = await client.query<{ found: number }>(`SELECT count(*)::int AS found FROM pg_temp.${leaving} WHERE ${condition}`);
  return rows[0]!.found;
}

/**
 * Stops a run that would remove more than half of what its job keeps in a label or edge type, unless the run allows it. Elements that
 * another job yields still are not removed.
 */
export class DeleteGuard {
  /** The targets of which more than half would be removed, or was, if that is allowed. */
  readonly exceeded: Exceeded[] = [];

  constructor(private readonly allowsAll: boolean) {}

  /** Tells whether the elements may be removed. Otherwise they are left, and `throwIfExceeded` reports all such targets at the end. */
  permits({ target, read }: TargetReport, had: number, removed: number): boolean {
    if (removed * 2 <= had) return true;
    this.exceeded.push({ target, had, removed, read });
    return this.allowsAll;
  }

  /** @throws RunFailure */
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
