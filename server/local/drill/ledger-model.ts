// The ledger as sums in memory: what it must do, as simply as possible. It shares no code with decide().
import { type Account, nameOf } from '../../src/ledger/account.ts'
import type { HoldAct, Posting } from '../../src/ledger/journal.ts'

type ModelHold = { remaining: bigint; expiresAt: Date }

// The default limit of an exchange desk in dollars and in euros.
const deskLimit = 100_000_00n

export type LedgerModel = {
  readonly balances: Map<string, bigint>
  /** By account, then by ID. */
  readonly holds: Map<string, Map<string, ModelHold>>
  readonly holdIds: Set<string>
}

export function createModel(accounts: readonly Account[]): LedgerModel {
  return { balances: new Map(accounts.map((account) => [nameOf(account), 0n])), holds: new Map(), holdIds: new Set() }
}

/** What is held on an account at a time. An expired hold reserves nothing. */
export function heldAt({ holds }: LedgerModel, account: string, at: Date): bigint {
  let held = 0n
  for (const hold of holds.get(account)?.values() ?? []) if (hold.expiresAt > at) held += hold.remaining
  return held
}

/** Posts if allowed, and returns whether it did. */
export function modelPost(model: LedgerModel, posting: Posting, at: Date): boolean {
  const opened = new Set(posting.open?.map(nameOf))
  const change = new Map<string, bigint>()
  const reserve = new Map<string, bigint>()
  const add = (sums: Map<string, bigint>, name: string, amount: bigint) =>
    sums.set(name, (sums.get(name) ?? 0n) + amount)

  for (const { from, to, amount } of posting.transfers) {
    add(change, nameOf(from), -amount)
    add(change, nameOf(to), amount)
  }
  for (const act of posting.holds ?? []) {
    const amount = amountOf(model, act, at)
    if (amount === undefined) return false
    add(reserve, nameOf(act.account), amount)
  }
  for (const name of new Set([...change.keys(), ...reserve.keys()])) {
    if (!model.balances.has(name) && !opened.has(name)) return false
    if (name.endsWith('/treasury')) continue
    const balance = (model.balances.get(name) ?? 0n) + (change.get(name) ?? 0n)
    if (name.endsWith('/exchange')) {
      if (balance < -deskLimit && (change.get(name) ?? 0n) < 0n) return false
      continue
    }
    if (balance < heldAt(model, name, at) + (reserve.get(name) ?? 0n)) return false
  }

  for (const [name, amount] of change) add(model.balances, name, amount)
  for (const act of posting.holds ?? []) applyHold(model, act, amountOf(model, act, at) ?? 0n)
  return true
}

/** By how much an act changes the held amount, or undefined if it is not allowed. */
function amountOf(model: LedgerModel, act: HoldAct, at: Date): bigint | undefined {
  if (act.act === 'reserve') return model.holdIds.has(act.holdId) || act.expiresAt <= at ? undefined : act.amount
  const hold = model.holds.get(nameOf(act.account))?.get(act.holdId)
  if (hold === undefined || hold.expiresAt <= at || hold.remaining === 0n) return undefined
  const amount = act.act === 'settle' ? act.amount : hold.remaining
  return amount > hold.remaining ? undefined : -amount
}

function applyHold({ holds, holdIds }: LedgerModel, act: HoldAct, change: bigint): void {
  const name = nameOf(act.account)
  const ofAccount = holds.get(name) ?? new Map<string, ModelHold>()
  holds.set(name, ofAccount)
  holdIds.add(act.holdId)
  if (act.act === 'reserve') ofAccount.set(act.holdId, { remaining: change, expiresAt: act.expiresAt })
  const hold = ofAccount.get(act.holdId)
  if (hold === undefined || act.act === 'reserve') return
  hold.remaining += change
  if (hold.remaining === 0n) ofAccount.delete(act.holdId)
}

/** Removes expired holds, so that a long run does not slow down. */
export function forgetDeadHolds({ holds }: LedgerModel, at: Date): void {
  for (const ofAccount of holds.values())
    for (const [id, hold] of ofAccount) if (hold.expiresAt <= at) ofAccount.delete(id)
}
