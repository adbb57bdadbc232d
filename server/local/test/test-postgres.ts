// Runs before all tests: starts one PostgreSQL (from npm, or uses DATABASE_URL as an administrator) and migrates a template.
import type { TestProject } from 'vitest/node'
import { createTemplate, dropDatabase } from '../parts/database.ts'
import { startPostgres } from '../parts/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string
    template: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.DATABASE_URL
  // Nothing outlives the run, so nothing has to be safe on disk. Drills and benchmarks keep fsync on. Deadlocks are detected
  // before our own lock timeout (250 ms) hides them.
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
