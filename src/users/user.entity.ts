import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('users')
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  username: string;

  /** The unique form of the name, usually `normalName(username)`. Old users whose normal names would be equal have a mark in it. */
  @Column('text', { name: 'normal_name', nullable: true })
  normalName: string | null;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('boolean', { name: 'is_admin' })
  isAdmin: boolean;

  @Column('boolean', { name: 'must_change_password' })
  mustChangePassword: boolean;

  /** Part of every token of the user. Raising it invalidates all earlier tokens at once. */
  @Column('int', { name: 'token_version', default: 1 })
  tokenVersion: number;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
