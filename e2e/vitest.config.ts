import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

// `npm run e2e`: a real browser against the whole platform, each part in a process of its own.
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['e2e/web/**/*.test.ts'],
    setupFiles: ['e2e/web/describe-failure.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
