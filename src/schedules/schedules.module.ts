import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';
import { SchedulesWorker } from './schedules.worker.js';

@Module({
  imports: [UsersModule],
  providers: [SchedulesRepository, SchedulesService, SchedulesWorker],
  exports: [SchedulesService, SchedulesWorker],
})
export class SchedulesModule {}
