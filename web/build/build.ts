// Builds every page into dist/.
import { resolve } from 'node:path'
import { build } from 'vite'

const folder = resolve(import.meta.dirname, '..')
// In this order: the first one empties the folder.
for (const config of ['vite.config.ts', 'vite.holder.config.ts'])
  await build({ configFile: resolve(folder, config), root: folder })
