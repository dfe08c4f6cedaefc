/** The page of links, as HTML. */
export function startPage(basePath: string): string {
  const links: [path: string, zh: string, en: string][] = [
    ['/docs', '接口文档', 'Swagger UI'],
    ['/openapi.json', 'OpenAPI 文档', 'the OpenAPI document'],
    ['/docs/mapping', '映射语言', 'the mapping language'],
    ['/docs/formulas', '公式语言', 'the formula language'],
    ['/docs/cypher', 'openCypher：支持与不支持的部分', 'openCypher: what is supported'],
    ['/health/ready', '服务状态', 'whether the service is ready'],
  ];
  const items = links.map(([path, zh, en]) => `<li><a href="${basePath}${path}">${path}</a> ${zh} / ${en}</li>`);
  return `<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Graph service</title>
<h1>Graph service</h1>
<p>把仓库里的表变成图和指标 / A warehouse as a graph and as metrics</p>
<ul>
${items.join('\n')}
</ul>
</html>
`;
}
