import { type Request } from 'express';
import { mayRest } from './limits.guard.js';

const rests = (method: string, path: string, route: string): boolean => mayRest({ method, path, route: { path: route } } as Request);

describe('mayRest', () => {
  it.each([
    ['POST', '/api/runs/1/cancel', '/api/runs/:id/cancel'],
    ['POST', '/api/jobs/1/retire', '/api/jobs/:id/retire'],
    ['PUT', '/api/auth/password', '/api/auth/password'],
    ['DELETE', '/api/graphs/1', '/api/graphs/:id'],
  ])('is false for %s %s', (method, path, route) => {
    expect(rests(method, path, route)).toBe(false);
  });

  it.each(['cancel', 'retire', 'reset-password'])('is true for the load of a table that is called %s', table => {
    expect(rests('PUT', `/api/warehouse/connections/1/tables/${table}`, '/api/warehouse/connections/:id/tables/:table')).toBe(true);
  });
});
