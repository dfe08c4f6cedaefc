import { DriverNotInstalledError } from '../warehouse.errors.js';

/**
 * Loads the driver of a connection type when the first connection of that type is opened, because drivers are optional packages.
 * @throws DriverNotInstalledError
 */
export async function loadDriver<T>(type: string, driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    // A CommonJS loader reports a missing package with MODULE_NOT_FOUND, an ES module loader with ERR_MODULE_NOT_FOUND.
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new DriverNotInstalledError(type, driver, cause);
  }
}
