import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { type BucketName, buckets, windowMs } from './buckets.js';

export const BUCKET = 'bucket';

/**
 * Puts a route into a bucket of its own; a route without one counts for its user. Not the throttler's `@Throttle`, whose
 * limits are counted per handler: routes of one bucket count together.
 */
export const Bucket = (name: BucketName): MethodDecorator => {
  const { limit, scope } = buckets[name];
  const documented = { bucket: name, requests: limit, seconds: windowMs / 1000, per: scope === 'ip' ? 'client IP' : 'user' };
  return applyDecorators(SetMetadata(BUCKET, name), ApiExtension('x-rate-limit', documented));
};

/** For what must always answer: health. */
export const SkipLimits = (): MethodDecorator & ClassDecorator => SkipThrottle();
