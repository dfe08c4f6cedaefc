import { applyDecorators } from '@nestjs/common';
import { type Response } from 'express';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { answerWithStarted, WaitsForEnd } from '../http/waits-for-end.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { RunResponse } from './ingestion.dto.js';
import { hasEnded } from './runs.service.js';

/** A route that needs the role `editor` and starts a run of the job `id`. */
export function StartsRun(): MethodDecorator {
  return applyDecorators(WaitsForEnd(RunResponse), GraphAccess('editor', { of: 'job', param: 'id' }), Idempotent({ listedAt: 'runs' }));
}

export function answerWithRun(response: Response, run: RunResponse): RunResponse {
  return answerWithStarted(response, run, { location: `/api/ingestion/runs/${run.id}`, hasEnded: hasEnded(run) });
}
