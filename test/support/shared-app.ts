import { setTimeout as sleep } from 'node:timers/promises';
import { type NestExpressApplication } from '@nestjs/platform-express';
import passport, { type Strategy } from 'passport';
import { asSuperuser, type ClonedDatabase } from './database.js';
import { type ResponseCheck } from './response-check.js';

/** A running application, and the parts of it that clients need. */
export interface BootedApp {
  app: NestExpressApplication;
  url: string;
  database: ClonedDatabase;
  check: ResponseCheck;
  close: () => Promise<void>;
}

interface SharedApp extends BootedApp {
  /** The strategies of this application. Passport has one registry for a process, in which each application that starts replaces them. */
  strategies: Record<string, Strategy>;
}

/** State that a Jest worker keeps between suites. It is in a global, because each suite loads the modules of the tests anew. */
interface Shelf {
  shared?: SharedApp | undefined;
  /** The path of the suite that is using the application. */
  takenBy?: string | undefined;
}

/** `stop-database.mjs` closes the application on this shelf if the tests run in its process. */
const shelf = ((globalThis as { [key: symbol]: Shelf })[Symbol.for('graph-service shared application')] ??= {});

/**
 * Takes the application of this worker, with only the rows and tables of its first start. Ids continue from suite to suite, so no cache has
 * an entry for a new id. Other state of the process remains: a suite that counts, stops or starves something asks for its own application.
 */
export async function takeSharedApp(boot: () => Promise<BootedApp>): Promise<BootedApp> {
  const { testPath } = expect.getState();
  if (shelf.takenBy === testPath) throw new Error('The suite has the shared application already: ask for one of its own');
  // The former suite failed before it gave the application back. If giving it back fails too, this suite gets a new application.
  if (shelf.takenBy !== undefined) await giveBack().catch(() => undefined);
  shelf.takenBy = testPath;
  shelf.shared ??= await remember(await boot());
  for (const [name, strategy] of Object.entries(shelf.shared.strategies)) passport.use(name, strategy);
  return { ...shelf.shared, close: giveBack };
}

async function remember(booted: BootedApp): Promise<SharedApp> {
  await asSuperuser(booted.database.url, keepFirstRows);
  // Jest sends a worker a message to end, and then waits until nothing keeps the process alive. This application would, so the process
  // exits; its embedded database ends with it.
  if (process.send) process.on('message', ([kind]: [number]) => kind === endOfWorker && process.exit());
  return { ...booted, strategies: { ...(passport as unknown as { _strategies: SharedApp['strategies'] })._strategies } };
}

/** CHILD_MESSAGE_END of jest-worker. */
const endOfWorker = 2;

/** Resets the application for the next suite. @throws Error, after closing the application, if the suite left running work or settings */
async function giveBack(): Promise<void> {
  const { shared } = shelf;
  shelf.takenBy = undefined;
  if (!shared) return;
  try {
    await untilIdle(shared.database.url);
    await asSuperuser(shared.database.url, deleteAllElse);
  } catch (error) {
    shelf.shared = undefined;
    await shared.close();
    throw error;
  }
}

/** Waits until no other session works. Statements take only moments, except those that a suite left running. */
async function untilIdle(url: string, patienceMs = 10_000): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(20)) {
    const { rows } = await asSuperuser(url, busySessions);
    if (rows.length === 0) return;
    if (Date.now() > deadline) throw new Error(`The suite has left work under way: ${JSON.stringify(rows)}`);
  }
}

const busySessions = `
  SELECT application_name, state, left(query, 200) AS query FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'
  UNION ALL SELECT 'run', status, id::text FROM ingestion_runs WHERE status = 'running'
  UNION ALL SELECT 'copy', status, id::text FROM mirror_copies WHERE status = 'running'`;

const keepFirstRows = `
  CREATE SCHEMA kept;
  DO $$ DECLARE name text; is_empty boolean; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('SELECT NOT EXISTS (SELECT FROM public.%I)', name) INTO is_empty;
      IF NOT is_empty THEN EXECUTE format('CREATE TABLE kept.%1$I AS TABLE public.%1$I', name); END IF;
    END LOOP;
  END $$`;

/**
 * Drops all relations of the mirror and of graphs, and restores the first rows of the service's tables. Triggers and foreign keys are off,
 * so the order does not matter.
 */
const deleteAllElse = `
  SET lock_timeout = '10s';
  SET session_replication_role = replica;
  DO $$ DECLARE name text; kind text; BEGIN
    IF EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE d.datname = current_database()) THEN
      RAISE EXCEPTION 'The suite has left settings of a role in the database: ask for an application of its own';
    END IF;
    FOR name, kind IN
      SELECT format('%I.%I', relnamespace::regnamespace, relname),
        CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END
      FROM pg_class WHERE relnamespace IN ('mirror'::regnamespace, 'graph_data'::regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'f')
    LOOP
      -- A relation that another has taken with it is gone.
      IF to_regclass(name) IS NOT NULL THEN EXECUTE format('DROP %s %s CASCADE', kind, name); END IF;
    END LOOP;
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('DELETE FROM public.%I', name);
    END LOOP;
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE kept.%1$I', name);
    END LOOP;
  END $$`;
