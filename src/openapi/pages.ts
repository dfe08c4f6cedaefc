import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { mappingSchema } from '../ingestion/mapping/mapping-schema.js';
import { cypherPage } from './reference/cypher-page.js';
import { formulasPage } from './reference/formulas-page.js';
import { mappingPage } from './reference/mapping-page.js';
import { renderReference } from './reference/render-reference.js';
import { startPage } from './start-page.js';

const schemaPath = '/docs/mapping.schema.json';

export const referencePages = [mappingPage, formulasPage, cypherPage];

/**
 * Serves the page of links on `/`, the address that the service prints when it starts. Under `/docs` it serves the pages that describe the
 * languages, and the JSON Schema of the mapping.
 */
export function servePages(basePath: string, count: RequestHandler): RequestHandler {
  const pages = new Map(referencePages.map(page => [page.path, renderReference(page, basePath)]));
  pages.set('/', startPage(basePath));
  pages.set(schemaPath, JSON.stringify(mappingSchema(`${basePath}${schemaPath}`)));
  return (request: Request, response: Response, next: NextFunction) => {
    const page = request.method === 'GET' || request.method === 'HEAD' ? pages.get(request.path) : undefined;
    if (page === undefined) return next();
    const type = request.path === schemaPath ? 'json' : 'html';
    void count(request, response, (error?: unknown) => (error === undefined ? response.type(type).send(page) : next(error)));
  };
}
