import { Global, Module } from '@nestjs/common';
import { ServiceStop } from './service-stop.js';
import { Watchers } from './watchers.js';

/** Lets every feature know that the service is stopping, and wait for work no longer than that. */
@Global()
@Module({ providers: [ServiceStop, Watchers], exports: [ServiceStop, Watchers] })
export class StoppingModule {}
