import { type Bilingual } from '../text/bilingual.js';
import { ApiError, BusyError } from '../common/errors/api-error.js';
import { type ColumnChange } from './binding/column-changes.js';

export class MetricNameTakenError extends ApiError {
  constructor(name: string) {
    super(400, 'metric_name_taken', { zh: `本图已有名为“${name}”的指标`, en: `The graph has a metric named '${name}' already` });
  }
}

export interface MissingBinding {
  metric_id: number;
  name: string;
  /** The path from the requested metric: `客单价 → 销售额`. */
  path: string;
}

/** 400: the formula reaches an aggregate whose metric is bound to no table. */
export class MissingBindingError extends ApiError {
  constructor(metricId: number, missing: MissingBinding[]) {
    const paths = missing.map(each => each.path).join('; ');
    super(
      400,
      'missing_binding',
      {
        zh: `MissingBindingError: 指标没有绑定数据表，无法执行：${paths}；请用 PUT /api/metrics/{id}/binding 绑定`,
        en: `The metric has no physical binding, so it cannot run: ${paths}; bind it with PUT /api/metrics/{id}/binding`,
      },
      { context: { metric_id: metricId, missing } },
    );
  }
}

/** 400: a table was dropped after the metric was bound to it. */
export class MetricTableMissingError extends ApiError {
  /** @param isUploaded whether the missing tables are tables of the mirror, which uploads fill */
  constructor(tables: string[], isUploaded: boolean) {
    const list = tables.join(', ');
    const restore = isUploaded
      ? {
          zh: '请用 PUT /api/warehouse/connections/1/tables/{table} 重新上传',
          en: 'upload it again with PUT /api/warehouse/connections/1/tables/{table}',
        }
      : { zh: '请在其数据库中恢复，或恢复读取它的权限', en: 'restore it in its database, or the right to read it' };
    super(
      400,
      'metric_table_missing',
      {
        zh: `指标绑定的表已不存在：${list}；${restore.zh}，或用 PUT /api/metrics/{id}/binding 重新绑定`,
        en: `The metric is bound to a table that is gone: ${list}; ${restore.en}, or bind the metric anew with PUT /api/metrics/{id}/binding`,
      },
      { context: { tables } },
    );
  }
}

/**
 * 422: the key of a joined table is not unique, so that the join repeats rows of the fact table and every aggregate would count them
 * several times.
 */
export class FanOutJoinError extends ApiError {
  constructor(alias: string, reason: Bilingual) {
    super(
      422,
      'fan_out_join',
      { zh: `FanOutJoin: 连接 ${alias} 会重复事实行：${reason.zh}`, en: `The join ${alias} would repeat fact rows: ${reason.en}` },
      { context: { join: alias } },
    );
  }
}

/**
 * 422: all values of an aggregate come from joined tables, of which one row belongs to several rows of the fact table. The aggregate would
 * count that row once for each of them.
 */
export class FanOutMeasureError extends ApiError {
  /**
   * @param columns the logical columns in the argument. The joined tables are not named: viewers see the error, and not the binding
   * @param mayDeclare whether a join to the columns could be declared one to one
   */
  constructor(metric: string, fn: string, columns: readonly string[], mayDeclare: boolean) {
    const list = columns.join(', ');
    const declaring = mayDeclare
      ? {
          zh: '若二者一一对应，请声明 relationship: one_to_one；',
          en: 'if each of its rows has one fact row at most, declare relationship: one_to_one; ',
        }
      : { zh: '', en: '' };
    super(
      422,
      'fan_out_measure',
      {
        zh:
          `FanOutMeasure: 指标“${metric}”的 ${fn} 只取连接表的列 ${list} 的值，连接表的每一行会按引用它的事实行重复计入；` +
          `请把指标绑定到该表，或改用 MIN、MAX、COUNT(DISTINCT …)；要数事实行，请用 COUNT(* WHERE …)；${declaring.zh}若本就要逐行计入，请在绑定中声明 additivity: additive`,
        en:
          `The ${fn} of metric '${metric}' takes only values of a joined table (${list}), and would count each row of that table once for every ` +
          `fact row that refers to it: bind the metric to that table, or use MIN, MAX or COUNT(DISTINCT …); count fact rows with COUNT(* WHERE …); ` +
          `${declaring.en}if each fact row is meant to count the value, declare additivity: additive`,
      },
      { context: { metric, columns } },
    );
  }
}

/** 409: columns changed after the metric was bound to them, so that the metric's values could mean something else. */
export class BindingOutdatedError extends ApiError {
  constructor(changes: ColumnChange[]) {
    const list = (gone: string) => changes.map(({ table, column, was, is }) => `${table}.${column}: ${was} → ${is ?? gone}`).join('; ');
    super(
      409,
      'binding_outdated',
      {
        zh: `指标绑定之后，数据列的类型有变：${list('已不存在')}；请核对后用 PUT /api/metrics/{id}/binding 重新保存绑定`,
        en: `Columns changed after the metric was bound to them: ${list('gone')}; check the binding and save it again with PUT /api/metrics/{id}/binding`,
      },
      { context: { changes } },
    );
  }
}

/** A fault of a binding for callers who may not see the binding: the kind of fault, without the names of tables and columns. */
export class HiddenBindingFaultError extends ApiError {
  constructor(fault: ApiError) {
    super(
      fault.status,
      fault.code,
      {
        zh: '指标的绑定与其数据不再相符，无法执行；请图的编辑者执行它，即可看到原因',
        en: 'The binding of the metric does not fit its data any more, so it cannot run; an editor of the graph who runs it sees why',
      },
      { cause: fault },
    );
  }
}

export class MixedConnectionsError extends ApiError {
  constructor() {
    super(422, 'mixed_connections', {
      zh: '公式用到的指标位于不同的数仓连接，无法在一条语句中计算',
      en: 'The metrics of this formula live on different warehouse connections and cannot be computed in one statement',
    });
  }
}

/**
 * 408: the client of an export takes hardly any data, or the whole export takes too long. It is ended because other exports wait for its
 * place.
 */
export class ExportStalledError extends ApiError {
  constructor() {
    super(408, 'export_stalled', {
      zh: '导出太慢：读取方几乎不接收数据，或总时间超过上限；导出已中止，收到的内容不完整',
      en: 'The export is too slow: its reader takes hardly anything, or it takes too long altogether; it was ended, and what was received is not all',
    });
  }
}

/** 422: a result cannot be drawn as the requested chart. */
export class NotChartableError extends ApiError {
  /** @param reason in snake_case */
  constructor(reason: string, text: Bilingual) {
    super(
      422,
      'not_chartable',
      { zh: `结果无法画成图：${text.zh}`, en: `The result cannot be drawn as a chart: ${text.en}` },
      { context: { reason } },
    );
  }
}

/** 422: the metrics and dimensions of a graph have more names than can be sent along with a question. */
export class TooManyMetricNamesError extends ApiError {
  constructor() {
    super(422, 'too_many_metric_names', {
      zh: '该图的指标与维度的名称和别名过多，无法提问；请删除不用的指标或别名，或改用 search 与 cypher',
      en: 'The metrics and dimensions of this graph have too many names and aliases to be asked about; delete those that are not used, or use search and cypher',
    });
  }
}

/** 422: a scan in another database has too many groups to read them. */
export class TooManyGroupsError extends ApiError {
  constructor(most: number, characters: number) {
    super(422, 'too_many_groups', {
      zh: `一次扫描的结果超过 ${most} 组，或请求的全部扫描超过 ${characters} 个字符，无法从外部数据库取回；请减少维度、缩短时间范围或用筛选缩小`,
      en: `A scan has more than ${most} groups, or all scans of the request more than ${characters} characters, which are too many to be handed over by the other database: ask for fewer dimensions, a shorter range or narrower filters`,
    });
  }
}

/** 422: a list that a scan in another database needs is too long to send. */
export class TooLongListError extends ApiError {
  constructor(items: number, bytes: number) {
    super(422, 'too_long_list', {
      zh: `按指标筛选后保留的值或时段窗口超过 ${items} 个（或 ${bytes} 字节），无法交给外部数据库；请收紧该筛选，或缩短时间范围、采用更粗的粒度`,
      en: `A filter by a metric keeps, or a range of time has, more than ${items} values or windows (or ${bytes} bytes), which are too many to hand over to the other database: narrow the filter, or ask for a shorter range or a coarser grain`,
    });
  }
}

/** 503: too many requests of the caller wait until their metrics are compiled or drawn. */
export class MetricsBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'metrics_busy',
      { zh: '您同时请求的指标过多，请稍后重试', en: 'You ask for too many metrics at the same time; try again shortly' },
      retryAfterS,
    );
  }
}
