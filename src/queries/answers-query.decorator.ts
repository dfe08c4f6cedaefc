import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiOkResponse, ApiResponse } from '@nestjs/swagger';
import { QueryResponse } from './queries.dto.js';
import { QueryStateResponse } from './query-state.dto.js';

const text = { schema: { type: 'string' } } as const;
const location = { ...text, description: '答案所在 / where the answer is, or will be' };

/** Documents a route that answers a query: at once, or with its state when the caller prefers not to wait. */
export function AnswersQuery(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        'respond-async：不等待答案；加 wait=N 则最多等待 N 秒（至多 60） / respond-async: do not wait for the answer; with wait=N for N seconds at most, up to 60',
      schema: { type: 'string' },
    }),
    ApiOkResponse({ type: QueryResponse, description: '答案 / the answer' }),
    ApiAcceptedResponse({
      type: QueryStateResponse,
      headers: { Location: location },
      description: 'respond-async：进行中 / under way, with respond-async',
    }),
    ApiResponse({
      status: 502,
      headers: { Location: { ...location, required: false } },
      description: '检索未及时完成，工作继续进行，见 Location / Retrieval did not answer in time; the work goes on, see Location',
    }),
    ApiResponse({
      status: 503,
      description: '检索进程不可用，或进行中的查询过多 / The retrieval process is not available, or too many queries are under way',
    }),
  );
}
