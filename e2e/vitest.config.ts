import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

// `npm run e2e`: a real browser against the whole platform, each part in a process of its own.
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['e2e/web/**/*.test.ts'],
    globalSetup: ['e2e/web/build-pages.ts'],
    setupFiles: ['e2e/web/describe-failure.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // Tests wait for pages more than they compute, so that two files fit on two cores.
    maxWorkers: 2,
  },
})
