import { ApiError, BusyError } from '../common/errors/api-error.js';
import { type Bilingual } from '../text/bilingual.js';

/** Reasons why a call to the language model gave no usable answer, in both languages. */
export const modelFaults = {
  timeout: { zh: '未及时应答', en: 'it did not answer in time' },
  unreachable: { zh: '无法连接', en: 'it cannot be reached' },
  status: { zh: '以错误应答', en: 'it answered with an error' },
  nonsense: { zh: '应答无法使用', en: 'its answer cannot be used' },
  query: { zh: '它所需的查询未能执行', en: 'a query that it needs could not be run' },
  paused: { zh: '连续失败后暂停调用', en: 'it is not asked for a moment, as it failed again and again' },
} satisfies Record<string, Bilingual>;

export type ModelFault = keyof typeof modelFaults;

/** 500: the language model failed. Only a caller who asks for an answer of the model (`"answer": "llm"`) gets this error. */
export class LanguageModelError extends ApiError {
  /** @param isOfCaller whether the request or the short deadline of one caller is the cause, so that calls of other callers may succeed */
  constructor(
    readonly fault: ModelFault,
    cause?: unknown,
    readonly isOfCaller = false,
  ) {
    const { zh, en } = modelFaults[fault];
    super(
      500,
      'language_model_failed',
      {
        zh: `语言模型失败：${zh}；去掉 "answer": "llm" 即得到不经模型的答案`,
        en: `The language model failed: ${en}; without "answer": "llm" the answer comes without it`,
      },
      { context: { fault }, cause },
    );
  }
}

/** 503: the maximum number of calls to the language model is under way, either for this caller or for all callers together. */
export class LanguageModelBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super('language_model_busy', { zh: '语言模型正忙，请稍后重试', en: 'The language model is busy; try again shortly' }, retryAfterS);
  }
}
