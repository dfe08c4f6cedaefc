import { type RunWarning, type SourceReport, type TargetReport } from './run-report.js';
import { type StagedTarget } from './stage-target.js';

/** Warns that more rows of a target were rejected than are kept. */
export function cutWarning({ target, rejected }: TargetReport, kept: number): RunWarning[] {
  if (rejected <= kept) return [];
  const message = `共拒绝 ${rejected} 行，只保留前 ${kept} 行 / ${rejected} rows were rejected, of which the first ${kept} are kept`;
  return [{ code: 'rejected_rows_cut', target, count: rejected - kept, message }];
}

/** Warns that the tables of the source were read at different moments. */
export function snapshotWarning({ connection, guarantee, copied }: SourceReport): RunWarning[] {
  const count = copied?.tables ?? 0;
  if (guarantee === 'snapshot' || count < 2) return [];
  const message = `连接 '${connection}' 的 ${count} 张表各在不同时刻读取；期间有改动时，边的一端可能缺失 / the ${count} tables of the connection '${connection}' were read at different moments, so an edge may lack an end if they changed meanwhile`;
  return [{ code: 'source_not_one_snapshot', target: connection, count, message }];
}

/** Warns of problems that did not stop the run: broken rules of severity `warn`, and rows that repeat a key. */
export function runWarnings({ plan, target, report, warnings, repeated, duplicates }: StagedTarget): RunWarning[] {
  const found: RunWarning[] = [];
  const broken = [...plan.warnings.map(({ column, rule }, index) => ({ column, rule, count: warnings[index] ?? 0 })), ...repeated];
  for (const { column, rule, count } of broken) {
    if (count === 0) continue;
    const mapped = target.element.columns[column]!;
    const own = mapped.rules[rule]!;
    const what = own.kind === 'expression' ? `'${own.predicate}'` : own.kind;
    found.push({
      code: 'rule_broken',
      target: report.target,
      count,
      rule: own.kind,
      property: mapped.property,
      message: own.message ?? `${count} 行不符合规则 ${what}（仅警告） / ${count} rows break the rule ${what} (warning only)`,
    });
  }
  for (const { property, type } of plan.keptAsText) {
    const named = type === 'other' ? { zh: '图中没有的类型', en: 'a type that graphs do not have' } : { zh: ` ${type}`, en: type };
    found.push({
      code: 'kept_as_text',
      target: report.target,
      count: report.read,
      property,
      message: `属性“${property}”的来源是${named.zh}，保存为其文本；如需如此，请写 type: string / the source of the property '${property}' has ${named.en}, which is kept as its text; write type: string if that is meant`,
    });
  }
  if (duplicates > 0) {
    found.push({
      code: 'duplicate_key',
      target: report.target,
      count: duplicates,
      message: `${duplicates} 行与前面的行主键相同，已跳过 / ${duplicates} rows repeat the key of an earlier row and were skipped`,
    });
  }
  return found;
}
