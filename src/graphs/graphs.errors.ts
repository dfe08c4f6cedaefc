import { ApiError } from '../common/errors/api-error.js';
import { type GraphRole } from '../access/access.decorator.js';

export class GraphNotFoundError extends ApiError {
  constructor() {
    super(404, 'graph_not_found', { zh: '图不存在', en: 'There is no such graph' });
  }
}

export class NodeNotFoundError extends ApiError {
  constructor() {
    super(404, 'node_not_found', { zh: '该图中没有这个节点', en: 'There is no such node in this graph' });
  }
}

/** 404: the job, run or metric in the path does not exist. */
export class RecordNotFoundError extends ApiError {
  constructor(kind: 'job' | 'run' | 'metric') {
    const names = { job: '任务', run: '运行', metric: '指标' };
    super(404, `${kind}_not_found`, { zh: `${names[kind]}不存在`, en: `There is no such ${kind}` });
  }
}

export class GraphAccessError extends ApiError {
  constructor(required: GraphRole | 'owner') {
    super(
      403,
      'graph_forbidden',
      {
        zh: `您没有该图的权限（需要 ${required}），请联系图的所有者`,
        en: `You lack access to this graph (${required} needed); ask its owner`,
      },
      { context: { required_role: required } },
    );
  }
}

export class GraphNotInKeyError extends ApiError {
  constructor() {
    super(403, 'graph_not_in_key', {
      zh: '该 API 密钥不可用于此图，请使用 graph_ids 含有它的密钥',
      en: 'This API key is not for this graph; use one whose graph_ids name it',
    });
  }
}

export class GraphBusyError extends ApiError {
  constructor() {
    super(409, 'graph_busy', { zh: '该图正在被使用，请稍后重试', en: 'The graph is in use; try again shortly' });
  }
}
