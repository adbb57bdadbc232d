import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type UserConfig } from 'vite'
import { fonts } from './build/fonts.ts'

/** A file of this folder, wherever the build is started from. */
export const here = (path: string): string => resolve(import.meta.dirname, path)

/** What all pages share. */
export const shared = {
  root: here('.'),
  plugins: [react(), fonts()],
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    // Browsers with light-dark(), since May 2024. A copy for older ones would be resolved at the root, and a part of a page
    // could not have a theme of its own.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy takes nothing inline: fonts stay files, and no script is written into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
} satisfies UserConfig

export default defineConfig({
  ...shared,
  build: {
    ...shared.build,
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        home: here('home/index.html'),
        docs: here('docs/index.html'),
        link: here('link/index.html'),
        invoice: here('invoice/index.html'),
        wallet: here('wallet/index.html'),
        dashboard: here('dashboard/index.html'),
        components: here('components/index.html'),
        'wallet-worker': here('wallet/worker.ts'),
      },
      output: {
        // A worker is known by its name, and may serve what is beside it and below.
        entryFileNames: ({ name }) => (name === 'wallet-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
})
