// Databases for tests, benchmarks and drills, cloned from a template that is created once.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { connect } from '../../src/base/db.ts'
import { migrate } from '../../src/base/migrate.ts'

export type LocalDatabase = {
  /** As scrip_server, the role that owns nothing. */
  url: string
  /** As scrip_operator, the role that funds live books. */
  operatorUrl: string
  /** As scrip_owner, who owns the tables and is no superuser. */
  ownerUrl: string
  drop: () => Promise<void>
}

/** Has migrations/ and sql/. */
export const schemaFolder = join(import.meta.dirname, '../..')

export function atDatabase(adminUrl: string, name: string, user?: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  if (user !== undefined) {
    url.username = user
    url.password = user
  }
  return url.href
}

/** Creates a migrated database to clone from. `clock` tells when its tables were divided. */
export async function createTemplate(adminUrl: string, clock: Clock = systemClock): Promise<string> {
  const name = `scrip_template_${randomBytes(6).toString('hex')}`
  await ensureDatabase(adminUrl, name)
  await migrate(atDatabase(adminUrl, name, 'scrip_owner'), schemaFolder, clock)
  return name
}

/** The same database as another role. Locally, each role's password is its name. */
export function asRole(url: string, role: 'scrip_operator' | 'scrip_chain' | 'scrip_server'): string {
  const other = new URL(url)
  other.username = role
  other.password = role
  return other.href
}

/** Creates a database and its roles unless they exist. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const roles = ['scrip_owner', 'scrip_server', 'scrip_operator', 'scrip_chain'].map(
    (role) => `do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login password '${role}'; end if;
    end $$`,
  )
  const admin = await connect(adminUrl)
  try {
    for (const role of roles) await admin.query(role)
    await admin.query('grant scrip_server to scrip_operator, scrip_chain')
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await admin.query(`create database ${name} owner scrip_owner`)
  } finally {
    await admin.end()
  }
}

export async function cloneTemplate(adminUrl: string, template: string): Promise<LocalDatabase> {
  const name = `scrip_${randomBytes(6).toString('hex')}`
  await runAsAdmin(adminUrl, [`create database ${name} template ${template} owner scrip_owner`])
  return {
    url: atDatabase(adminUrl, name, 'scrip_server'),
    operatorUrl: atDatabase(adminUrl, name, 'scrip_operator'),
    ownerUrl: atDatabase(adminUrl, name, 'scrip_owner'),
    drop: () => dropDatabase(adminUrl, name),
  }
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await runAsAdmin(adminUrl, [`drop database if exists ${name} with (force)`])
}

async function runAsAdmin(adminUrl: string, statements: string[]): Promise<void> {
  const admin = await connect(adminUrl)
  try {
    for (const statement of statements) await admin.query(statement)
  } finally {
    await admin.end()
  }
}
