import { ApiError } from '../common/errors/api-error.js';

export class ScheduleNotFoundError extends ApiError {
  constructor() {
    super(404, 'schedule_not_found', {
      zh: '尚未设置计划；请用 PUT 设置',
      en: 'There is no schedule here; set one with PUT',
    });
  }
}
