import Type, { type Static } from 'typebox'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { writeInZone } from '../base/zone.ts'
import { callerOf, type MerchantCaller } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { continueAt, cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { findShop } from '../identity/merchant/store.ts'
import { kindOfAct } from './act-kinds.ts'
import { type AuditRow, findActs, nameObjects } from './audit-store.ts'
import { type WireAuditEntry, wireActKind, wireAuditLog } from './audit-wire.ts'
import { sendCsv, toLine } from './csv.ts'
import { readRange } from './days.ts'

const day = Type.String({ format: 'date', pattern: '^[12]' })
const filters = {
  who: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Literal('keys'), Type.Literal('operator')])),
  kind: Type.Optional(wireActKind),
  from: Type.Optional(day),
  until: Type.Optional(day),
}
const filterQuery = Type.Object(filters)
type Filters = Static<typeof filterQuery>

const exportPage = 1_000
const head = ['at', 'who', 'by', 'email', 'mode', 'kind', 'operation', 'object', 'about', 'address', 'outcome']

/** The audit log of a shop, in both modes. Only the owner reads it. */
export function registerAuditRoutes(server: Server, { pool }: { readonly pool: Pool }): void {
  const api = endpoints(server)

  async function findPage(caller: MerchantCaller, query: Filters, cursor: string | undefined, limit: number) {
    const { environmentId, merchantId } = caller
    const { who, kind, ...days } = query
    const range = await readRange(pool, merchantId, days)
    const below = [range.below, readCursor(cursor)].toSorted()[0] ?? ''
    return withEnvironment(pool, environmentId, async (tx) => {
      const found = await findActs(tx, merchantId, { ...range, below }, { who: who?.toLowerCase(), kind }, limit)
      const names = await nameObjects(tx, environmentId, found.acts.flatMap(idsOf))
      return { entries: found.acts.map((act) => toWire(act, names)), next: found.next }
    })
  }

  api.get('/merchant/acts', staff(), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    response: { 200: enveloped(wireAuditLog) },
    handler: async (request) => {
      const { cursor, limit, ...query } = request.query
      const { entries, next } = await findPage(callerOf(request), query, cursor, limit)
      return answer('The audit log, newest first.', { acts: entries, ...continueAt(next) })
    },
  })

  api.get('/merchant/acts.csv', staff(), {
    route: { exposeHeadRoute: false },
    querystring: filterQuery,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      const { timeZone } = await findShop(pool, caller.environmentId)
      return sendCsv(reply, 'audit-log.csv', head, async (cursor) => {
        const { entries, next } = await findPage(caller, request.query, cursor, exportPage)
        return { lines: entries.map((entry) => toCsvLine(entry, timeZone)), next }
      })
    },
  })
}

const idForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

function idsOf({ object }: Pick<AuditRow, 'object'>): string[] {
  return object
    .toLowerCase()
    .split(' ')
    .filter((word) => idForm.test(word))
}

function toWire(act: AuditRow, names: ReadonlyMap<string, string>): WireAuditEntry {
  const { id, at, mode, operation, object, address, status, email, member, keyName, ranBy } = act
  const by = ranBy !== '' ? 'operator' : act.keyId === null ? 'member' : 'key'
  return {
    ...{ id, by, email, mode, operation, object, address },
    at: at.toISOString(),
    who: { member, key: keyName, operator: ranBy }[by],
    kind: kindOfAct(operation),
    about: idsOf(act).flatMap((each) => names.get(each) ?? [])[0] ?? '',
    outcome: status === null ? 'unknown' : status < 400 ? 'done' : 'refused',
  }
}

function toCsvLine(entry: WireAuditEntry, timeZone: string): string {
  const { at, who, by, email, mode, kind, operation, object, about, address, outcome } = entry
  const time = writeInZone(new Date(at), timeZone)
  return toLine([time, who, by, email, mode ?? '', kind, operation, object, about, address, outcome])
}
