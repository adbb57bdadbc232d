// Before all tests: one PostgreSQL (from npm, or at DATABASE_URL as an administrator) and one migrated template.
import type { TestProject } from 'vitest/node'
import { createTemplate, dropDatabase } from './database.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string
    template: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.DATABASE_URL
  // Nothing here outlives the run, so nothing waits for the disk. Drills and benchmarks keep fsync on.
  // A deadlock is found before our own limit on waiting for locks (250 ms) hides it.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    deadlock_timeout: '100ms',
  }
  const server = external === undefined ? await startPostgres({ settings }) : undefined
  const adminUrl = server?.adminUrl ?? external ?? ''
  const template = await createTemplate(adminUrl)
  project.provide('adminUrl', adminUrl)
  project.provide('template', template)
  return async () => {
    await dropDatabase(adminUrl, template)
    await server?.stop()
  }
}
