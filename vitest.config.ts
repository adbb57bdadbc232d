import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server', 'web', 'cli', 'contracts', 'tools', 'docs'].map((folder) => `${folder}/**/*.test.ts`),
    globalSetup: ['server/local/test/test-postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // A third of the time went into loading the same modules for each file. Nothing in them may remember anything from a test.
    isolate: false,
    // One file at a time would leave a core of a small machine idle: tests wait for PostgreSQL and chains.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
