import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { ServiceSettingsController } from './service-settings.controller.js';

@Module({ controllers: [HealthController, ServiceSettingsController], providers: [HealthService] })
export class HealthModule {}
