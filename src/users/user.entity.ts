import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('users')
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  username: string;

  /** Unique. Usually `normalName(username)`; old users whose normal names clash carry a mark in it. */
  @Column('text', { name: 'normal_name', nullable: true })
  normalName: string | null;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('boolean', { name: 'is_admin' })
  isAdmin: boolean;

  @Column('boolean', { name: 'must_change_password' })
  mustChangePassword: boolean;

  /** Part of every token. Raising it invalidates all earlier tokens at once. */
  @Column('int', { name: 'token_version', default: 1 })
  tokenVersion: number;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
