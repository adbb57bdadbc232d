import { type ApiProcess, startApi } from '../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { drillSettings } from '../server/local/drill/shop.ts'
import { createPool, type Pool } from '../server/src/base/db.ts'
import { systemRandom } from '../server/src/base/random.ts'

type TwoApis = {
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly pool: Pool
  readonly pepper: Buffer
  readonly publicUrl: string
  /** For starting another process. */
  readonly settings: Record<string, string>
  /** The first runs a worker too. They share their secrets, so a session of one is valid at the other. */
  readonly apis: [ApiProcess, ApiProcess]
}

/** Starts two API processes with a PostgreSQL of their own. */
export async function startTwoApis(
  stops: (() => Promise<unknown>)[],
  more: Record<string, string> = {},
): Promise<TwoApis> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl)
  stops.push(() => pool.end())
  const pepper = systemRandom(32)
  const settings = { ...drillSettings(url, pepper), ...more }
  const start = async (command: 'api' | 'all'): Promise<ApiProcess> => {
    const api = await startApi(settings, command)
    stops.push(api.stop)
    return api
  }
  return { pool, pepper, publicUrl: settings.PUBLIC_URL, settings, apis: [await start('all'), await start('api')] }
}
