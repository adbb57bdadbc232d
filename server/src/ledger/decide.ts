import type { ScripError } from '../base/errors.ts'
import { type Account, type AccountState, mayGoNegative, nameOf } from './account.ts'
import { ledgerError, LedgerRefusal } from './errors.ts'
import { digest, expiryScope, type HoldAct, type Journal, type Posted, type Posting } from './journal.ts'

export type AccountFacts = {
  readonly account: Account
  readonly mayGoNegative: boolean
  readonly state: AccountState
  balance: bigint
  held: bigint
}

export type HoldFacts = {
  readonly id: string
  readonly account: Account
  readonly expiresAt: Date
  readonly isNew: boolean
  remaining: bigint
}

export type JournalRecord = { journalId: string; fingerprint: string; alternative: number; postedAt: Date }

/** The locked rows. Deciding updates them, so that later journals of a batch see the effect of earlier ones. */
export type LedgerFacts = {
  readonly accounts: Map<string, AccountFacts>
  readonly holds: Map<string, HoldFacts>
  /** By digest of the key. */
  readonly records: Map<string, JournalRecord>
  /** The most that an exchange desk may owe, by book. Books without an entry have no limit. */
  readonly deskLimits: ReadonlyMap<number, bigint>
}

export type HoldMove = { holdId: string; act: HoldAct['act']; amount: bigint }

export type Entry = {
  readonly journal: Journal
  readonly alternative: number
  readonly posting: Posting
  readonly keyDigest: string
  readonly fingerprint: string
  readonly holdMoves: readonly HoldMove[]
}

export type Decision =
  | { is: 'posted'; posted: Posted }
  | { is: 'refused'; error: ScripError }
  /** It acts on a hold that the same batch creates, so it is posted with the next batch. */
  | { is: 'deferred' }

export type Decided = {
  readonly decisions: Decision[]
  readonly entries: Entry[]
  readonly newAccounts: Account[]
  readonly newHolds: HoldFacts[]
}

/** Decides a batch in order of arrival. Pure: the same facts and journals give the same decisions. */
export function decide(journals: readonly Journal[], facts: LedgerFacts, at: Date, newId: () => string): Decided {
  const decided: Decided = { decisions: [], entries: [], newAccounts: [], newHolds: [] }
  releaseDeadHolds(facts, at, newId, decided)
  for (const journal of journals) decided.decisions.push(decideOne(journal, facts, at, decided))
  return decided
}

function decideOne(journal: Journal, facts: LedgerFacts, at: Date, decided: Decided): Decision {
  const keyDigest = digest(journal.key)
  const fingerprint = digest(journal.requestFingerprint)

  // A replay returns the record before any rule is checked: the account may have been emptied since.
  const record = facts.records.get(keyDigest)
  if (record !== undefined) {
    if (record.fingerprint !== fingerprint) return { is: 'refused', error: ledgerError('LEDGER_KEY_CONFLICT') }
    const { journalId, alternative, postedAt } = record
    // The same id means that an earlier attempt of this call was committed, but its response was lost.
    return { is: 'posted', posted: { journalId, alternative, postedAt, replayed: journalId !== journal.id } }
  }

  let refusal: ScripError | undefined
  for (const [alternative, posting] of journal.alternatives.entries()) {
    const fit = tryPosting(posting, facts, at)
    if (fit === 'deferred') return { is: 'deferred' }
    if ('refusal' in fit) {
      refusal = fit.refusal
      continue
    }
    applyFit(fit, facts, decided)
    decided.entries.push({ journal, alternative, posting, keyDigest, fingerprint, holdMoves: fit.holdMoves })
    facts.records.set(keyDigest, { journalId: journal.id, fingerprint, alternative, postedAt: at })
    return { is: 'posted', posted: { journalId: journal.id, alternative, postedAt: at, replayed: false } }
  }
  return { is: 'refused', error: refusal ?? ledgerError('LEDGER_JOURNAL_INVALID') }
}

type Change = { facts: AccountFacts; balance: bigint; held: bigint }
type Fit = { changes: Map<string, Change>; holdMoves: HoldMove[]; newHolds: HoldFacts[] }

function tryPosting(posting: Posting, facts: LedgerFacts, at: Date): Fit | { refusal: LedgerRefusal } | 'deferred' {
  const fit: Fit = { changes: new Map(), holdMoves: [], newHolds: [] }
  for (const account of posting.open ?? []) {
    const name = nameOf(account)
    if (!facts.accounts.has(name)) fit.changes.set(name, noChange(emptyAccount(account)))
  }
  const changeOf = (account: Account): Change | undefined => {
    const name = nameOf(account)
    const known = fit.changes.get(name)
    if (known !== undefined) return known
    const found = facts.accounts.get(name)
    if (found === undefined) return undefined
    const change = noChange(found)
    fit.changes.set(name, change)
    return change
  }

  for (const transfer of posting.transfers) {
    const from = changeOf(transfer.from)
    const to = changeOf(transfer.to)
    if (from === undefined) return refuse('LEDGER_ACCOUNT_MISSING', transfer.from)
    if (to === undefined) return refuse('LEDGER_ACCOUNT_MISSING', transfer.to)
    if (from.facts.state !== 'open') return refuseState(from.facts)
    if (to.facts.state === 'closed') return refuseState(to.facts)
    from.balance -= transfer.amount
    to.balance += transfer.amount
  }
  for (const act of posting.holds ?? []) {
    const change = changeOf(act.account)
    if (change === undefined) return refuse('LEDGER_ACCOUNT_MISSING', act.account)
    const outcome = tryHoldAct(act, change, facts, fit, at)
    if (outcome !== undefined) return outcome
  }
  for (const { facts: account, balance, held } of fit.changes.values()) {
    const available = account.balance - account.held
    if (!account.mayGoNegative && available + balance - held < 0n)
      return refuse('LEDGER_INSUFFICIENT', account.account, { available, needed: held - balance })
    if (isDeskTooShort(account, balance, facts)) return refuse('LEDGER_DESK_LIMIT', account.account)
  }
  return fit
}

/** Whether the change makes a desk owe more than its limit. Changes that reduce its debt are never refused. */
function isDeskTooShort({ account, balance }: AccountFacts, change: bigint, { deskLimits }: LedgerFacts): boolean {
  const limit = account.kind === 'exchange' ? deskLimits.get(account.bookId) : undefined
  return limit !== undefined && change < 0n && balance + change < -limit
}

function tryHoldAct(
  act: HoldAct,
  change: Change,
  facts: LedgerFacts,
  fit: Fit,
  at: Date,
): { refusal: LedgerRefusal } | 'deferred' | undefined {
  const hold = facts.holds.get(act.holdId)
  if (act.act === 'reserve') {
    if (hold !== undefined || fit.newHolds.some(({ id }) => id === act.holdId))
      return refuse('LEDGER_HOLD_EXISTS', act.account)
    if (change.facts.state !== 'open') return refuseState(change.facts)
    if (act.expiresAt <= at) return refuse('LEDGER_HOLD_DEAD', act.account)
    const { holdId: id, account, expiresAt, amount } = act
    fit.newHolds.push({ id, account, expiresAt, isNew: true, remaining: amount })
    fit.holdMoves.push({ holdId: id, act: 'reserve', amount })
    change.held += amount
    return undefined
  }
  if (hold === undefined || nameOf(hold.account) !== nameOf(act.account))
    return refuse('LEDGER_HOLD_MISSING', act.account)
  // A batch either creates or uses a hold: releases are written first, reservations last.
  if (hold.isNew) return 'deferred'
  const before = fit.holdMoves.reduce((sum, move) => (move.holdId === hold.id ? sum + move.amount : sum), 0n)
  const remaining = hold.remaining - before
  const amount = act.act === 'settle' ? act.amount : remaining
  // The journal settled the whole hold before releasing it, which is allowed: nothing is left to release.
  if (act.act === 'release' && remaining === 0n && before > 0n) return undefined
  // Expired holds also have nothing left: they were released before any journal of this batch was decided.
  if (remaining === 0n) return refuse('LEDGER_HOLD_DEAD', act.account)
  if (amount > remaining) return refuse('LEDGER_HOLD_TOO_SMALL', act.account, { remaining, needed: amount })
  fit.holdMoves.push({ holdId: hold.id, act: act.act, amount })
  change.held -= amount
  return undefined
}

function applyFit(fit: Fit, facts: LedgerFacts, decided: Decided): void {
  for (const [name, change] of fit.changes) {
    change.facts.balance += change.balance
    change.facts.held += change.held
    if (facts.accounts.has(name)) continue
    facts.accounts.set(name, change.facts)
    decided.newAccounts.push(change.facts.account)
  }
  for (const move of fit.holdMoves) {
    const hold = facts.holds.get(move.holdId)
    if (hold !== undefined) hold.remaining -= move.amount
  }
  for (const hold of fit.newHolds) {
    facts.holds.set(hold.id, hold)
    decided.newHolds.push(hold)
  }
}

/** The journal that releases an expired hold. The first journal or job that finds the hold posts it. */
export function expiryJournal(journalId: string, hold: { id: string; account: Account }): Journal {
  return {
    id: journalId,
    kind: 'hold.expire',
    key: `${expiryScope}${hold.id}`,
    requestFingerprint: '',
    alternatives: [{ transfers: [], holds: [{ act: 'release', holdId: hold.id, account: hold.account }] }],
  }
}

// Holds end at their expiry even if no job has run: this batch can use what they reserved.
function releaseDeadHolds(facts: LedgerFacts, at: Date, newId: () => string, decided: Decided): void {
  for (const hold of facts.holds.values()) {
    const account = facts.accounts.get(nameOf(hold.account))
    if (account === undefined || hold.remaining === 0n || hold.expiresAt > at) continue
    const journal = expiryJournal(newId(), hold)
    const [posting] = journal.alternatives
    const keyDigest = digest(journal.key)
    const fingerprint = digest(journal.requestFingerprint)
    const holdMoves: HoldMove[] = [{ holdId: hold.id, act: 'release', amount: hold.remaining }]
    decided.entries.push({ journal, alternative: 0, posting, keyDigest, fingerprint, holdMoves })
    facts.records.set(keyDigest, { journalId: journal.id, fingerprint, alternative: 0, postedAt: at })
    account.held -= hold.remaining
    hold.remaining = 0n
  }
}

function noChange(facts: AccountFacts): Change {
  return { facts, balance: 0n, held: 0n }
}

function emptyAccount(account: Account): AccountFacts {
  return { account, mayGoNegative: mayGoNegative(account.kind), state: 'open', balance: 0n, held: 0n }
}

function refuse(
  code: Parameters<typeof ledgerError>[0],
  account: Account,
  amounts: Omit<LedgerRefusal['facts'], 'account'> = {},
): { refusal: LedgerRefusal } {
  return { refusal: new LedgerRefusal(code, { account, ...amounts }) }
}

function refuseState({ account, state }: AccountFacts): { refusal: LedgerRefusal } {
  return refuse(state === 'closed' ? 'LEDGER_ACCOUNT_CLOSED' : 'LEDGER_ACCOUNT_NO_DEBIT', account)
}
