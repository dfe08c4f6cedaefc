import { ApiError } from '../common/errors/api-error.js';

export class MemberNotFoundError extends ApiError {
  constructor() {
    super(404, 'member_not_found', { zh: '该用户不是这个图的成员', en: 'That user is not a member of this graph' });
  }
}

export class OwnerIsNoMemberError extends ApiError {
  constructor() {
    super(400, 'owner_is_no_member', { zh: '图的所有者已拥有全部权限', en: 'The owner of a graph has every right already' });
  }
}

/** 403: only admins may name a user by id. Ids are consecutive, so trying them one by one would reveal the name of every user. */
export class UserIdForAdminsError extends ApiError {
  constructor() {
    super(403, 'user_id_for_admins', {
      zh: '只有管理员可以用 user_id 授权，请改用 username',
      en: 'Only admins grant by user_id; give the username',
    });
  }
}
