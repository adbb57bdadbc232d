// The page of a voucher is opened once, on a phone, often on a slow network. It is built with Preact, which is 11 kB where React is
// 64 kB, and on its own, because pages of one build share their files.
import { defineConfig } from 'vite'
import { here, shared } from './vite.config.ts'

export default defineConfig({
  ...shared,
  resolve: {
    alias: {
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      react: 'preact/compat',
    },
  },
  build: {
    ...shared.build,
    // The other pages are in the folder already.
    emptyOutDir: false,
    copyPublicDir: false,
    rolldownOptions: {
      input: { holder: here('holder/index.html') },
      output: { entryFileNames: 'assets/[name]-[hash].js', chunkFileNames: 'assets/holder-[name]-[hash].js' },
    },
  },
})
