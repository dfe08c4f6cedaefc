import http from 'node:http';
import { type Client, type TestApp } from './app.js';
import { tablesPath } from './ingestion.js';

/** An upload whose body the test writes piece by piece. */
export function rawUpload(test: Pick<TestApp, 'url'>, as: Client, table: string, headers: Record<string, string> = {}) {
  const request = http.request(`${test.url}${tablesPath}/${table}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${as.token}`, 'Content-Type': 'text/csv', ...headers },
  });
  const answer = new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: any }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', response => {
      let text = '';
      response.on('data', chunk => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }));
    });
  });
  answer.catch(() => undefined);
  return { request, answer };
}
