import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { type BucketName, buckets, type Route, windowMs } from './charge.js';

const bucketKey = 'bucket';

/** Puts a route into a bucket of requests that share a rate limit. `none` is for the health routes, which must always answer. */
export function Bucket(name: BucketName | 'none'): MethodDecorator & ClassDecorator {
  if (name === 'none') return SetMetadata(bucketKey, name);
  const documented = { bucket: name, seconds: windowMs / 1000, per: buckets[name] === 'address' ? 'client IP' : 'user' };
  return applyDecorators(SetMetadata(bucketKey, name), ApiExtension('x-rate-limit', documented));
}

/** The bucket that a route names, otherwise the bucket of its controller; undefined for none. */
export function bucketOf(context: ExecutionContext): Route['bucket'] {
  return find(context.getHandler()) ?? find(context.getClass());
}

const find = (target: object) => Reflect.getMetadata(bucketKey, target) as Route['bucket'];
