import { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

/** A page of links on `/`, the address that the start prints. */
export function startPage(basePath: string, count: RequestHandler): RequestHandler {
  const links: [path: string, zh: string, en: string][] = [
    ['/docs', '接口文档', 'Swagger UI'],
    ['/openapi.json', 'OpenAPI 文档', 'the OpenAPI document'],
    ['/health/ready', '服务状态', 'whether the service is ready'],
  ];
  const items = links.map(([path, zh, en]) => `<li><a href="${basePath}${path}">${path}</a> ${zh} / ${en}</li>`);
  const page = `<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Graph service</title>
<h1>Graph service</h1>
<p>把仓库里的表变成图和指标 / A warehouse as a graph and as metrics</p>
<ul>
${items.join('\n')}
</ul>
</html>
`;
  return (request: Request, response: Response, next: NextFunction) => {
    if (request.path !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
    void count(request, response, (error?: unknown) => (error === undefined ? response.type('html').send(page) : next(error)));
  };
}
