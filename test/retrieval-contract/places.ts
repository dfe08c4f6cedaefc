import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Settings } from '../../src/config/settings.js';
import { type Telemetry } from '../../src/telemetry/telemetry.service.js';
import { RetrievalClient } from '../../src/retrieval/retrieval.client.js';
import { peersOf } from '../../src/retrieval/retrieval.module.js';
import { RetrievalPeer } from '../../src/retrieval/retrieval-peer.js';
import { RetrievalPeers } from '../../src/retrieval/retrieval-peers.js';
import { RetrievalPulse } from '../../src/retrieval/retrieval.pulse.js';
import { RetrievalOptions, RetrievalSupervisor } from '../../src/retrieval/retrieval.supervisor.js';
import { DeployedRetrieval, retrievalKey, tlsFiles, tlsOf } from '../support/retrieval-process.js';

const answerMaxBytes = 16_777_216;

/** One retrieval process, and the clients through which the API calls it. */
export interface Place {
  client: RetrievalClient;
  /** Returns another client of the same process, whose answers may have at most `answerMaxBytes`. */
  clientOf(answerMaxBytes: number): RetrievalClient;
  peer: RetrievalPeer;
  key: string | undefined;
  pid(): number;
  /** Makes the process usable again after a test killed or stopped it. A supervisor does that by itself. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** The three ways to reach a retrieval process. */
export const places: Record<string, (databaseUrl: string) => Promise<Place>> = {
  'a child': async databaseUrl => {
    const socketDirectory = await mkdtemp(path.join(os.tmpdir(), 'retrieval-'));
    const entry = path.resolve(__dirname, '..', '..', 'dist', 'src', 'retrieval.main.js');
    const supervisor = new RetrievalSupervisor(
      new RetrievalOptions({
        entry,
        socketDirectory,
        databaseUrl,
        memoryMb: 128,
        answerMaxBytes,
        snapshotDirectory: null,
        logLevel: 'error',
      }),
    );
    supervisor.onApplicationBootstrap();
    return placeOf(new RetrievalPeers([new RetrievalPeer(supervisor)]), undefined, {
      pid: () => supervisor.pid!,
      recover: () => Promise.resolve(),
      close: async () => {
        await supervisor.onApplicationShutdown();
        await rm(socketDirectory, { recursive: true, force: true });
      },
    });
  },
  'a process deployed apart, with a key': async databaseUrl => {
    const process = await DeployedRetrieval.start({ DATABASE_RETRIEVAL_URL: databaseUrl, RETRIEVAL_KEY: retrievalKey });
    return placeOf(peersOf({ urls: [process.url], key: retrievalKey }), retrievalKey, deployed(process));
  },
  'a process deployed apart, with mutual TLS': async databaseUrl => {
    const { cert, key, ca } = tlsFiles.process;
    const process = await DeployedRetrieval.start({
      DATABASE_RETRIEVAL_URL: databaseUrl,
      RETRIEVAL_TLS_CERT: cert,
      RETRIEVAL_TLS_KEY: key,
      RETRIEVAL_TLS_CA: ca,
    });
    return placeOf(peersOf({ urls: [process.url], tls: tlsOf('api') }), undefined, deployed(process));
  },
};

function deployed(process: DeployedRetrieval): Pick<Place, 'pid' | 'recover' | 'close'> {
  return {
    pid: () => process.pid,
    recover: async () => {
      await process.kill();
      await process.startAgain();
    },
    close: () => process.kill(),
  };
}

function placeOf(peers: RetrievalPeers, key: string | undefined, process: Pick<Place, 'pid' | 'recover' | 'close'>): Place {
  const clientOf = (mostBytes: number) => new RetrievalClient(peers, { answerMaxBytes: mostBytes } as Settings);
  const client = clientOf(answerMaxBytes);
  const pulse = new RetrievalPulse(peers, { watchEach: () => undefined } as unknown as Telemetry);
  pulse.onApplicationBootstrap();
  return {
    ...process,
    client,
    clientOf,
    peer: peers.all[0]!,
    key,
    close: async () => {
      pulse.onApplicationShutdown();
      client.onApplicationShutdown();
      await process.close();
    },
  };
}
