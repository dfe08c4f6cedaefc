import { type Bilingual } from '../../text/bilingual.js';
import { ApiError } from './api-error.js';

/** The purpose for which an answer was read. Each purpose has its own advice for making the answer smaller. */
export type AnswerSource = 'query' | 'metric' | 'rows' | 'node';

const advice: Record<AnswerSource, Bilingual> = {
  query: {
    zh: '请返回更少的列，减小 limit，或用 substring、left 截短长文本',
    en: 'return fewer columns, give a smaller limit, or cut long texts with substring or left',
  },
  metric: {
    zh: '请减少维度，加上过滤条件，或减小 limit',
    en: 'give fewer dimensions, a filter, or a smaller limit',
  },
  rows: { zh: '请减小 limit，或读取列更少、文本更短的表', en: 'give a smaller limit, or read a table with fewer columns or shorter texts' },
  node: {
    zh: '请减小 limit，或用 cypher 只返回所需的属性',
    en: 'give a smaller limit, or return only the properties that are needed with cypher',
  },
};

/** 422: the answer would take more bytes than an answer may. Reading stopped after `receivedBytes`. */
export class AnswerTooLargeError extends ApiError {
  constructor(source: AnswerSource, receivedBytes: number, limitBytes: number) {
    const [size, limit] = [megabytes(receivedBytes), megabytes(limitBytes)];
    super(
      422,
      'answer_too_large',
      {
        zh: `结果至少有 ${size} MB，超过 ${limit} MB 的上限；${advice[source].zh}`,
        en: `The answer has at least ${size} MB, more than the ${limit} MB that one may have; ${advice[source].en}`,
      },
      { context: { at_least_bytes: receivedBytes, limit_bytes: limitBytes } },
    );
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(bytes < 1_048_576 ? 3 : 1);
}
