import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { type Request, type Response } from 'express';
import { BUCKET } from './bucket.decorator.js';
import { type BucketName, type Policy } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { VisitsService } from './visits.service.js';

/** A request as the limits see it. */
export interface Arrival {
  request: Request;
  response: Response;
  bucket: BucketName | undefined;
  context: ExecutionContext;
}

/**
 * The throttler's guard with the steps that differ here: whom a route is counted for, the headers, and the error. Its own
 * counts one key per handler, and its headers and `ThrottlerException` are not the contract's.
 */
@Injectable()
export abstract class LimitsGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    protected readonly limiter: LimiterService,
    protected readonly visits: VisitsService,
    protected readonly callers: KnownCallersService,
  ) {
    super(options, storage, reflector);
  }

  /** Null where this guard leaves the request to the other one. */
  protected abstract findCharge(arrival: Arrival): { policy: Policy; subject: string } | null;

  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const bucket = this.reflector.get<BucketName | undefined>(BUCKET, context.getHandler());
    const arrival: Arrival = { request: http.getRequest(), response: http.getResponse(), bucket, context };
    const charge = this.findCharge(arrival);
    if (charge) {
      this.visits.of(arrival.request).counted = true;
      await this.limiter.admit(charge.policy, charge.subject, arrival.response);
    }
    return true;
  }
}
