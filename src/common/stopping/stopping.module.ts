import { Global, Module } from '@nestjs/common';
import { ServiceStop } from './service-stop.js';
import { Watchers } from './watchers.js';

/** Global module: every feature can check whether the service is stopping, and can stop waiting for work then. */
@Global()
@Module({ providers: [ServiceStop, Watchers], exports: [ServiceStop, Watchers] })
export class StoppingModule {}
