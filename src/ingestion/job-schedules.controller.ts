import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { SaveScheduleRequest, ScheduleResponse } from '../schedules/schedule-body.js';
import { JobSchedulesService } from './job-schedules.service.js';

const job = { of: 'job', param: 'id' } as const;

@ApiTags('ingestion')
@Controller('ingestion/jobs/:id/schedule')
export class JobSchedulesController {
  constructor(private readonly schedules: JobSchedulesService) {}

  @Put()
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '按计划运行任务 / Run a job on a schedule',
    description:
      '每个任务至多一个计划，PUT 会替换它。以保存者的名义启动；上一次仍在进行则跳过；夏令时跳过的时间在其后立即启动，重复的时间只启动一次；服务停机后至多补一次，且不晚于 6 小时。 / A job has one schedule, which PUT replaces. Runs start in the name of the user who saved it. A time is skipped while the last run goes on. A time that the clock skips starts right after, and one that it shows twice starts once. After an outage one start makes up for all, if it is at most 6 hours late.',
  })
  @ApiOkResponse({ type: ScheduleResponse })
  @ApiResponse({ status: 409, description: '任务已停用，或已启用的计划过多 / the job is retired, or too many schedules are enabled' })
  @ApiResponse({ status: 422, description: 'cron 或时区无效 / a wrong cron expression or time zone' })
  save(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: SaveScheduleRequest): Promise<ScheduleResponse> {
    return this.schedules.save(principal, id, body);
  }

  @Get()
  @GraphAccess('viewer', job)
  @ApiOperation({
    summary: '任务的计划 / The schedule of a job',
    description: '此后的五次，与最近 20 次的结果及其运行。 / The next five times, and what became of the last 20, with their runs.',
  })
  @ApiOkResponse({ type: ScheduleResponse })
  get(@IdParam() id: number): Promise<ScheduleResponse> {
    return this.schedules.get(id);
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '取消计划 / Remove the schedule of a job',
    description: '已启动的运行照常进行。 / Runs that have started go on.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.schedules.delete(principal, id);
  }
}
