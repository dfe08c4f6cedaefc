import { applyDecorators, HttpCode, HttpStatus, type Type } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { type Response } from 'express';

const text = { schema: { type: 'string' } } as const;
/** The headers of an answer that contains the record of work that was started. */
const startedHeaders = {
  Location: { ...text, description: '记录的地址 / the address of the record' },
  'Preference-Applied': { ...text, description: '等待的秒数 / the seconds that were granted', required: false },
};

/** A route that starts work. It answers 202, or 200 if the work has ended within the time for which `Prefer` waits. */
export function WaitsForEnd(type: Type): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.ACCEPTED),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '最多等待 N 秒（至多 60） / wait up to N seconds, 60 at most',
      example: 'wait=30',
    }),
    ApiAcceptedResponse({ type, headers: startedHeaders, description: '已排队 / queued or going on; see Location' }),
    ApiOkResponse({ type, headers: startedHeaders, description: '在等待时间内结束 / ended within the time waited' }),
  );
}

/** Sets the Location header and the status of an answer that contains the record of work that was started. */
export function answerWithStarted<T>(response: Response, record: T, { location, hasEnded }: { location: string; hasEnded: boolean }): T {
  response.location(location).status(hasEnded ? HttpStatus.OK : HttpStatus.ACCEPTED);
  return record;
}
