import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { type Response } from 'express';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { RunResponse } from './ingestion.dto.js';
import { hasEnded } from './runs.service.js';

const text = { schema: { type: 'string' } } as const;
/** The headers of an answer that contains a run that was started. */
const runHeaders = {
  Location: { ...text, description: '运行的地址 / the address of the run' },
  'Preference-Applied': { ...text, description: '等待的秒数 / the seconds that were granted', required: false },
};

/**
 * A route that needs the role `editor` and starts a run of the job `id`. It answers 202, or 200 if the run has ended within the time for
 * which `Prefer` waits.
 */
export function StartsRun(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.ACCEPTED),
    GraphAccess('editor', { of: 'job', param: 'id' }),
    Idempotent({ listedAt: 'runs' }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '最多等待 N 秒（至多 60） / wait up to N seconds, 60 at most',
      example: 'wait=30',
    }),
    ApiAcceptedResponse({ type: RunResponse, headers: runHeaders, description: '已排队 / queued or going on; see Location' }),
    ApiOkResponse({ type: RunResponse, headers: runHeaders, description: '在等待时间内结束 / ended within the time waited' }),
  );
}

/** Sets the Location header and the status of an answer that contains a run. */
export function answerWithRun(response: Response, run: RunResponse): RunResponse {
  response.location(`/api/ingestion/runs/${run.id}`).status(hasEnded(run) ? HttpStatus.OK : HttpStatus.ACCEPTED);
  return run;
}
