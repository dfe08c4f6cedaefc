/** The owner lacks the right to create missing roles or grants. The message holds the statements for an administrator. */
export class RolesMissingError extends Error {
  constructor(
    readonly owner: string,
    readonly statements: readonly string[],
    cause: unknown,
  ) {
    super(
      `数据库用户 ${owner} 无权创建本服务的数据库角色。请由管理员在该数据库中执行以下 SQL（其中是口令的 SCRAM 校验值，不是口令），然后重新启动：\n` +
        `The database user ${owner} may not create the roles that this service works with. Have an administrator run this SQL in that database ` +
        `(it holds SCRAM verifiers, not passwords), then start again:\n\n${statements.map(each => `  ${each};`).join('\n')}\n`,
      { cause },
    );
  }
}

/** A role of the service has powers that its work does not need. */
export class RoleTooPowerfulError extends Error {
  constructor(name: string, powers: readonly string[]) {
    super(
      `数据库角色 ${name} 的权限过大（${powers.join('、')}），拒绝启动；请另建一个普通角色 / ` +
        `The database role ${name} is too powerful (${powers.join(', ')}); the service does not start with it: give it an ordinary role`,
    );
  }
}
