import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** A page's HTML, wherever the build is started from. */
const page = (path: string): string => decodeURIComponent(new URL(path, import.meta.url).pathname)

export default defineConfig({
  root: page('.'),
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    // The content security policy takes nothing inline: fonts stay files, and no script is written into the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        home: page('home/index.html'),
        docs: page('docs/index.html'),
        holder: page('holder/index.html'),
        link: page('link/index.html'),
        invoice: page('invoice/index.html'),
        wallet: page('wallet/index.html'),
        dashboard: page('dashboard/index.html'),
        'wallet-worker': page('wallet/worker.ts'),
      },
      output: {
        // A worker is known by its name, and may serve what is beside it and below.
        entryFileNames: ({ name }) => (name === 'wallet-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
})
