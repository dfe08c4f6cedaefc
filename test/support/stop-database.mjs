import { rm } from 'node:fs/promises';

export default async function stopDatabase() {
  const { server, dataDirectory } = globalThis.testDatabase;
  try {
    const shelf = globalThis[Symbol.for('graph-service shared application')];
    await shelf?.shared?.close();
    if (shelf) shelf.shared = undefined;
  } finally {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
