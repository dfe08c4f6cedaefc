import { type DynamicModule, Module } from '@nestjs/common';
import { RemoteRetrieval } from './remote-retrieval.js';
import { RetrievalPeer } from './retrieval-peer.js';
import { RetrievalPeers } from './retrieval-peers.js';
import { RetrievalClient } from './retrieval.client.js';
import { RetrievalPulse } from './retrieval.pulse.js';
import { type OwnRetrieval, RetrievalOptions, RetrievalSupervisor } from './retrieval.supervisor.js';
import { type TlsMaterial } from './tls-material.js';

/** How to reach the retrieval processes: the URLs of processes deployed apart, or the settings to start one of our own. */
export type RetrievalPlace = { urls: readonly string[]; key?: string | undefined; tls?: TlsMaterial } | OwnRetrieval;

/** The API's side of the retrieval processes. */
@Module({})
export class RetrievalModule {
  static with(place: RetrievalPlace): DynamicModule {
    const own = {
      providers: [
        { provide: RetrievalOptions, useFactory: () => new RetrievalOptions(place as OwnRetrieval) },
        RetrievalSupervisor,
        {
          provide: RetrievalPeers,
          useFactory: (supervisor: RetrievalSupervisor) => new RetrievalPeers([new RetrievalPeer(supervisor)]),
          inject: [RetrievalSupervisor],
        },
      ],
      exports: [RetrievalSupervisor],
    };
    const { providers, exports } =
      'urls' in place ? { providers: [{ provide: RetrievalPeers, useFactory: () => peersOf(place) }], exports: [] } : own;
    return {
      module: RetrievalModule,
      global: true,
      providers: [...providers, RetrievalClient, RetrievalPulse],
      exports: [...exports, RetrievalClient],
    };
  }
}

export function peersOf({ urls, key, tls }: Extract<RetrievalPlace, { urls: readonly string[] }>): RetrievalPeers {
  return new RetrievalPeers(urls.map(url => new RetrievalPeer(new RemoteRetrieval(url, tls), url.startsWith('https:'), key)));
}
