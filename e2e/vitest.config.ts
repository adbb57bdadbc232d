import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

// `npm run e2e`: a real browser, against the whole platform as processes of its own.
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '..'),
    include: ['e2e/web/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
