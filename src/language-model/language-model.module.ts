import { Module } from '@nestjs/common';
import { LanguageModel } from './language-model.service.js';

@Module({ providers: [LanguageModel], exports: [LanguageModel] })
export class LanguageModelModule {}
