import { type NestExpressApplication } from '@nestjs/platform-express';
import passport, { type Strategy } from 'passport';
import { asSuperuser, type ClonedDatabase } from './database.js';
import { type ResponseCheck } from './response-check.js';

/** An application that runs, and what clients need of it. */
export interface BootedApp {
  app: NestExpressApplication;
  url: string;
  database: ClonedDatabase;
  check: ResponseCheck;
  close: () => Promise<void>;
}

/** Of a worker. `testPath` is the suite that uses it. */
interface SharedApp {
  booted: BootedApp;
  /** Passport has one register a process, and the application that started last has its strategies in it. */
  strategies: Record<string, Strategy>;
  testPath: string | undefined;
}

/** Modules of a test are new for each file, and a global is not. `stop-database.mjs` closes it where tests run in its process. */
const place = Symbol.for('graph-service shared application');
const worker = globalThis as { [place]?: SharedApp };

/**
 * The application of this worker, as if it had just started: with no data but that of the first start. Ids go on, so no cache of the
 * application knows them. A suite that asks for a second one gets one of its own.
 */
export async function takeSharedApp(boot: () => Promise<BootedApp>): Promise<BootedApp> {
  const { testPath } = expect.getState();
  const shared = worker[place];
  if (shared?.testPath === testPath && shared) return boot();
  // A suite that failed may not have given it back.
  if (shared?.testPath !== undefined) await giveBack(shared);
  const { booted, strategies } = (worker[place] ??= await share(await boot()));
  worker[place].testPath = testPath;
  for (const [name, strategy] of Object.entries(strategies)) passport.use(name, strategy);
  return { ...booted, close: () => giveBack(worker[place]!) };
}

async function share(booted: BootedApp): Promise<SharedApp> {
  await asSuperuser(booted.database.url, keep);
  // Jest tells a worker to end by a message, and then waits until nothing keeps its process alive. The server of the database ends too.
  if (process.send) process.on('message', ([kind]: [number]) => kind === endOfWorker && process.exit());
  return { booted, strategies: { ...(passport as unknown as { _strategies: SharedApp['strategies'] })._strategies }, testPath: undefined };
}

/** CHILD_MESSAGE_END of jest-worker. */
const endOfWorker = 2;

async function giveBack(shared: SharedApp): Promise<void> {
  shared.testPath = undefined;
  try {
    await asSuperuser(shared.booted.database.url, reset);
  } catch (error) {
    // What a suite has left holds a table. The next one gets another application.
    delete worker[place];
    await shared.booted.close();
    throw error;
  }
}

const keep = `
  CREATE SCHEMA kept;
  DO $$ DECLARE name text; is_empty boolean; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('SELECT NOT EXISTS (SELECT FROM public.%I)', name) INTO is_empty;
      IF NOT is_empty THEN EXECUTE format('CREATE TABLE kept.%1$I AS TABLE public.%1$I', name); END IF;
    END LOOP;
  END $$`;

/** Rows are deleted without triggers and checks of references: all of them go. */
const reset = `
  SET lock_timeout = '10s';
  SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT oid::regclass FROM pg_class WHERE relnamespace IN ('mirror'::regnamespace, 'graph_data'::regnamespace)
        AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relkind DESC LOOP
      EXECUTE format('DROP %s IF EXISTS %s CASCADE',
        (SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END
         FROM pg_class WHERE oid = name::regclass), name);
    END LOOP;
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('DELETE FROM public.%I', name);
    END LOOP;
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE kept.%1$I', name);
    END LOOP;
  END $$`;
