import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

@Entity('metrics')
export class Metric {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int', { name: 'graph_id' })
  graphId: number;

  @Column('text')
  name: string;

  @Column('text', { array: true, default: [] })
  aliases: string[];

  @Column('text')
  formula: string;

  @Column('text', { nullable: true })
  unit: string | null;

  @Column('text', { nullable: true })
  format: string | null;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('int', { name: 'created_by', nullable: true })
  createdBy: number | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
