import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server', 'cli', 'contracts', 'tools', 'docs'].map((folder) => `${folder}/**/*.test.ts`),
    globalSetup: ['server/local/test-postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
})
