import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { cypherPage } from './reference/cypher-page.js';
import { formulasPage } from './reference/formulas-page.js';
import { mappingPage } from './reference/mapping-page.js';
import { renderReference } from './reference/render-reference.js';
import { startPage } from './start-page.js';

export const referencePages = [mappingPage, formulasPage, cypherPage];

/** Serves the page of links on `/`, the address that the start prints, and the pages of the languages under `/docs`. */
export function servePages(basePath: string, count: RequestHandler): RequestHandler {
  const pages = new Map(referencePages.map(page => [page.path, renderReference(page, basePath)]));
  pages.set('/', startPage(basePath));
  return (request: Request, response: Response, next: NextFunction) => {
    const page = request.method === 'GET' || request.method === 'HEAD' ? pages.get(request.path) : undefined;
    if (page === undefined) return next();
    void count(request, response, (error?: unknown) => (error === undefined ? response.type('html').send(page) : next(error)));
  };
}
