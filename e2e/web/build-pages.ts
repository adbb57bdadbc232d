import { buildWeb } from '../../server/local/demo/web.ts'

/** Once, before the files run side by side. */
export default async function buildPages(): Promise<void> {
  await buildWeb()
}
