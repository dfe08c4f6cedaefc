import { ApiError } from '../errors/api-error.js';

/**
 * The most elements and fields that one value may have. `JSON.parse` takes about 30 ms for this many, and half a second for the 16 MB that
 * an answer may have.
 */
export const mostParts = 200_000;
const [quote, backslash] = [34, 92];

/** 422: one value of the answer is a list or map with so many parts that parsing it would hold up everybody else. */
export class ValueTooDetailedError extends ApiError {
  constructor() {
    super(
      422,
      'answer_too_large',
      {
        zh: `结果中有一个列表或映射超过 ${mostParts} 个元素；请用 UNWIND 或 limit 分行返回，或只返回其中一部分`,
        en: `A list or map of the answer has more than ${mostParts} parts; return it as rows, or only a part of it`,
      },
      { context: { most_parts: mostParts } },
    );
  }
}

/**
 * Refuses a JSON text that would take long to parse, without parsing it.
 * @throws ValueTooDetailedError
 */
export function checkDetail(text: string): void {
  if (text.length <= mostParts) return;
  let parts = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) isInText = !isInText;
    else if (isInText && code === backslash) i++;
    if (isInText) continue;
    if ((code === 44 || code === 91 || code === 123) && ++parts > mostParts) throw new ValueTooDetailedError();
  }
}
