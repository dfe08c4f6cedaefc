import { type DynamicModule, Module } from '@nestjs/common';
import { RetrievalClient } from './retrieval.client.js';
import { RetrievalPulse } from './retrieval.pulse.js';
import { RetrievalOptions, type RetrievalPlace, RetrievalSupervisor } from './retrieval.supervisor.js';

/** The API's side of the retrieval process. */
@Module({})
export class RetrievalModule {
  static with(place: RetrievalPlace): DynamicModule {
    return {
      module: RetrievalModule,
      global: true,
      providers: [
        { provide: RetrievalOptions, useValue: new RetrievalOptions(place) },
        RetrievalSupervisor,
        RetrievalClient,
        RetrievalPulse,
      ],
      exports: [RetrievalClient, RetrievalSupervisor],
    };
  }
}
