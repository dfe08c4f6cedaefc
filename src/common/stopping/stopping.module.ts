import { Global, Module } from '@nestjs/common';
import { ServiceStop } from './service-stop.js';

/** Lets every feature know that the service is stopping. */
@Global()
@Module({ providers: [ServiceStop], exports: [ServiceStop] })
export class StoppingModule {}
