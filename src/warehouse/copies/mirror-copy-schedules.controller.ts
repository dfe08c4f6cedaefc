import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { SaveScheduleRequest, ScheduleResponse } from '../../schedules/schedule-body.js';
import { MirrorCopySchedulesService } from './mirror-copy-schedules.service.js';

@ApiTags('warehouse')
@Controller('warehouse/mirror-copies/:id/schedule')
export class MirrorCopySchedulesController {
  constructor(private readonly schedules: MirrorCopySchedulesService) {}

  @Put()
  @Authenticated()
  @ApiOperation({
    summary: '按计划运行复制 / Run a copy on a schedule',
    description:
      '每个复制至多一个计划，PUT 会替换它；规则与任务的计划相同。以保存者的名义启动，读取仍以保存该复制的用户的名义。 / A copy has one schedule, which PUT replaces; the rules are those of the schedules of jobs. It starts in the name of the user who saved the schedule, and reads in the name of the one who saved the copy.',
  })
  @ApiOkResponse({ type: ScheduleResponse })
  @ApiResponse({ status: 409, description: '已启用的计划过多 / too many schedules are enabled' })
  @ApiResponse({ status: 422, description: 'cron 或时区无效 / a wrong cron expression or time zone' })
  save(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: SaveScheduleRequest): Promise<ScheduleResponse> {
    return this.schedules.save(principal, id, body);
  }

  @Get()
  @Authenticated()
  @ApiOperation({
    summary: '复制的计划 / The schedule of a copy',
    description: '此后的五次，与最近 20 次的结果。 / The next five times, and what became of the last 20.',
  })
  @ApiOkResponse({ type: ScheduleResponse })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<ScheduleResponse> {
    return this.schedules.get(principal, id);
  }

  @Delete()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Authenticated()
  @ApiOperation({
    summary: '取消复制的计划 / Remove the schedule of a copy',
    description: '已启动的复制照常进行。 / A copy that has started goes on.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.schedules.delete(principal, id);
  }
}
