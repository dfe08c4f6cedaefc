import { mostInSchema, type SchemaSize } from './schema-size.js';
import { ApiError, BusyError } from '../common/errors/api-error.js';
import { type LeftOut } from '../warehouse/references/source-table.js';

export class JobNotFoundError extends ApiError {
  constructor() {
    super(404, 'job_not_found', { zh: '导入任务不存在', en: 'The ingestion job does not exist' });
  }
}

/** 409: the job has ended for good. */
export class JobRetiredError extends ApiError {
  constructor() {
    super(409, 'job_retired', {
      zh: '该任务已停用，不能再运行或修改；请用同一映射另建任务',
      en: 'The job is retired and can neither run nor change any more; create another job with its mapping',
    });
  }
}

export class RevisionNotFoundError extends ApiError {
  constructor() {
    super(404, 'revision_not_found', { zh: '该任务没有这个映射版本', en: 'The job has no such revision of its mapping' });
  }
}

/** 409: the job has as many revisions as allowed. */
export class TooManyRevisionsError extends ApiError {
  constructor(most: number) {
    super(
      409,
      'too_many_revisions',
      {
        zh: `该任务的映射已有 ${most} 个版本；请另建任务，并停用此任务`,
        en: `The job has ${most} revisions; create another job and retire this one`,
      },
      { context: { most } },
    );
  }
}

/** 422: the graph would have too many labels, edge types, aliases or properties, counted over all its jobs. */
export class GraphSchemaTooLargeError extends ApiError {
  constructor({ names, aliases, properties }: SchemaSize) {
    super(
      422,
      'graph_schema_too_large',
      {
        zh: `图谱的标签与关系类型合计最多 ${mostInSchema.names} 个，其别名合计最多 ${mostInSchema.aliases} 个，属性合计最多 ${mostInSchema.properties} 个（各任务分别计入），而加上此映射共有 ${names}、${aliases} 与 ${properties} 个；请减少映射的标签、别名或列、停用不再需要的任务，或使用新的图谱`,
        en: `The graph has at most ${mostInSchema.names} labels and edge types, ${mostInSchema.aliases} aliases of them and ${mostInSchema.properties} properties, counted for each job; with this mapping it would have ${names}, ${aliases} and ${properties}. Map fewer labels, aliases or columns, retire jobs that are no longer needed, or use a new graph`,
      },
      {
        context: {
          ...{ names, aliases, properties },
          ...{ most_names: mostInSchema.names, most_aliases: mostInSchema.aliases, most_properties: mostInSchema.properties },
        },
      },
    );
  }
}

export class RunNotFoundError extends ApiError {
  constructor() {
    super(404, 'run_not_found', { zh: '运行记录不存在', en: 'The run does not exist' });
  }
}

export class RunActiveError extends ApiError {
  constructor() {
    super(409, 'run_active', {
      zh: '该任务已有一次运行在排队或进行中',
      en: 'A run of this job is waiting or going on already',
    });
  }
}

/** 409: the user has as many queued runs as allowed. */
export class TooManyRunsWaitingError extends ApiError {
  constructor(maxWaiting: number) {
    super(
      409,
      'too_many_runs_waiting',
      {
        zh: `您已有 ${maxWaiting} 次运行在排队；请待其中一些开始，或取消一些`,
        en: `${maxWaiting} runs of yours are waiting already; let some of them begin, or cancel some`,
      },
      { context: { waiting: maxWaiting } },
    );
  }
}

/** 503: as many dry runs are under way as allowed. */
export class TooManyTrialsError extends ApiError {
  constructor(retryAfterS: number) {
    super(
      503,
      'too_many_trials',
      { zh: '正在进行的试运行已满；请稍后再试', en: 'There is no place for another dry run; try again shortly' },
      { headers: { 'Retry-After': String(retryAfterS) } },
    );
  }
}

/** 503: the same user has another draft of a mapping under way, or all places for drafts are taken. */
export class TooManySuggestionsError extends ApiError {
  constructor(retryAfterS: number) {
    super(
      503,
      'too_many_suggestions',
      { zh: '正在起草的映射已满，每人一次一份；请稍后再试', en: 'There is no place for another draft, and one a user; try again shortly' },
      { headers: { 'Retry-After': String(retryAfterS) } },
    );
  }
}

/** 422: no table of the connection can become a node. */
export class NothingToMapError extends ApiError {
  constructor(leftOut: LeftOut[]) {
    super(
      422,
      'nothing_to_map',
      {
        zh: '没有可以映射的表；left_out 说明各表的原因',
        en: 'There is no table that can be mapped; left_out tells the reason of each',
      },
      { context: { left_out: leftOut.slice(0, 100) } },
    );
  }
}

export class RunEndedError extends ApiError {
  constructor() {
    super(409, 'run_ended', { zh: '这次运行已经结束', en: 'This run has ended already' });
  }
}

export class JobChangeNotImplementedError extends ApiError {
  constructor() {
    super(501, 'not_implemented', {
      zh: '尚不支持以 PUT 或 DELETE 修改或删除导入任务；请用 POST …/revisions 更换映射，用 POST …/retire 停用任务',
      en: 'Changing or deleting an ingestion job is not implemented; give it a new mapping with POST …/revisions, or end it with POST …/retire',
    });
  }
}

/** 503: too many mappings of one user wait to be read or to have their queries judged. */
export class MappingsBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'mappings_busy',
      {
        zh: '您同时校验或运行的映射过多，请稍后重试',
        en: 'You check or run too many mappings at the same time; try again shortly',
      },
      retryAfterS,
    );
  }
}
