import { ApiError } from '../../common/errors/api-error.js';

/** 403: the user may not write the mirror, whose tables a copy loads. */
export class MirrorForbiddenError extends ApiError {
  constructor() {
    super(403, 'mirror_forbidden', {
      zh: '复制到镜像需要对镜像（pg_mirror 连接）的 write 权限，请管理员用 POST /api/permissions/connections/{id}/users 授权',
      en: 'A copy into the mirror needs the right write on it, which is the connection pg_mirror; ask an admin for POST /api/permissions/connections/{id}/users',
    });
  }
}

export class MirrorIntoItselfError extends ApiError {
  constructor() {
    super(422, 'mirror_into_itself', {
      zh: '该连接就是镜像，其中的表不能再复制到镜像；请用另一个连接',
      en: 'The connection is the mirror itself, and its tables cannot be copied into it; name another connection',
    });
  }
}

export class MirrorCopyNotFoundError extends ApiError {
  constructor() {
    super(404, 'mirror_copy_not_found', { zh: '复制记录不存在', en: 'The copy does not exist' });
  }
}

/** 403: the copy was saved by another user. Only the user who saved a copy and admins may use it. */
export class MirrorCopyForbiddenError extends ApiError {
  constructor() {
    super(403, 'mirror_copy_forbidden', {
      zh: '只有保存该复制的用户和管理员可以查看和使用它',
      en: 'Only the user who saved this copy, and admins, may see and use it',
    });
  }
}

/** 409: the copy is queued or running, so it cannot be started or deleted. */
export class MirrorCopyActiveError extends ApiError {
  constructor() {
    super(409, 'mirror_copy_active', {
      zh: '该复制正在排队或进行；请等它结束，或用 POST …/cancel 取消',
      en: 'The copy is waiting or going on; let it end, or cancel it with POST …/cancel',
    });
  }
}

export class MirrorCopyEndedError extends ApiError {
  constructor() {
    super(409, 'mirror_copy_ended', { zh: '该复制已经结束', en: 'The copy has ended already' });
  }
}

/** 409: another copy already fills this table of the mirror. */
export class MirrorTableCopiedError extends ApiError {
  constructor(table: string, copyId: number) {
    super(
      409,
      'mirror_table_copied',
      {
        zh: `镜像中的表“${table}”由复制 ${copyId} 填充；请再次运行它（POST /api/warehouse/mirror-copies/${copyId}/run），或先删除它（DELETE，表会保留）`,
        en: `The table '${table}' of the mirror is filled by copy ${copyId}; run that again (POST /api/warehouse/mirror-copies/${copyId}/run), or DELETE it first, which leaves the table`,
      },
      { context: { table, mirror_copy: copyId } },
    );
  }
}

/** 409: the copy would replace a table of the mirror that no copy created. */
export class MirrorTableExistsError extends ApiError {
  constructor(table: string) {
    super(
      409,
      'mirror_table_exists',
      {
        zh: `镜像中已有表“${table}”，且不由复制而来；请写 "replace": true 来替换它，或用 as 换一个名称`,
        en: `The mirror has a table '${table}' already, and no copy made it; write "replace": true to replace it, or give another name with \`as\``,
      },
      { context: { table } },
    );
  }
}

/** 409: the user has saved as many copies as one user may keep. */
export class TooManyMirrorCopiesError extends ApiError {
  constructor(most: number) {
    super(
      409,
      'too_many_mirror_copies',
      { zh: `您已保存 ${most} 个复制；请先删除不再使用的复制`, en: `You keep ${most} copies; delete one that is no longer used` },
      { context: { most } },
    );
  }
}

/** 409: as many copies of the user are queued as one user may have in the queue. */
export class TooManyCopiesWaitingError extends ApiError {
  constructor(waiting: number) {
    super(
      409,
      'too_many_copies_waiting',
      {
        zh: `您已有 ${waiting} 个复制在排队；请待其中一些开始，或取消一些`,
        en: `${waiting} copies of yours are waiting already; let some of them begin, or cancel some`,
      },
      { context: { waiting } },
    );
  }
}
