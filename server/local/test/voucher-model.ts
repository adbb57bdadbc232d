// The voucher lifecycle as sums in memory: what must happen to every unit, as simply as possible. It shares no code with the
// server except the arithmetic of a fee, which has tests of its own.
import { type ChargeTerms, chargeOn, largestWithin } from '../../src/catalogue/charge/price.ts'

export type Party = 'ours' | 'theirs'
export type Coin = 'USD' | 'EUR'
/** `done`, or the code of the error that refuses the act. */
type Outcome = string
export const done = 'done'

export type ModelVoucher = {
  readonly issuer: Party
  readonly coin: Coin
  readonly amount: bigint
  readonly isPaid: boolean
  readonly expiredTo: 'payer' | 'unclaimed'
  /** In milliseconds, as all times here. */
  expiresAt: number | undefined
  /** Its expiry has been settled. */
  isSettled: boolean
  /** What left it by expiry and did not come back, or undefined if it never lost anything by expiry. */
  setAside: bigint | undefined
  state: 'open' | 'blocked' | 'cancelled' | 'replaced'
  replacedBy: number | undefined
  pin: string | undefined
  wrongInRow: number
  wrongInAll: number
  lockedUntil: number
}

type ModelTransaction = {
  readonly of: Party
  readonly reference: string
  readonly type: 'VOUCHER_PURCHASE' | 'VOUCHER_REDEMPTION' | 'REFUND' | 'ADJUSTMENT'
  readonly amount: bigint
  /** Includes the fee if the voucher paid it. */
  readonly charged: bigint
  refunded: bigint
}

type ModelRedemption = ModelTransaction & {
  readonly voucher: number
  readonly coin: Coin
  /** What the merchant got, if the currency changed. */
  readonly converted: { readonly coin: Coin; readonly amount: bigint; readonly rate: string } | undefined
}

type ModelHold = { readonly voucher: number; readonly amount: bigint; until: number }
type Account = string

type Issue = Pick<ModelVoucher, 'issuer' | 'coin' | 'amount' | 'isPaid' | 'pin' | 'expiresAt'>
type Redeem = { voucher: number; at: Party; amount: bigint | 'max'; to: Coin; pin: string | undefined }
type Refund = { redemption: ModelRedemption; by: Party; amount: bigint | 'rest' }
type Consent = { hasCode: boolean; pin: string | undefined }

type State = {
  readonly vouchers: ModelVoucher[]
  readonly transactions: ModelTransaction[]
  readonly redemptions: ModelRedemption[]
  readonly holds: ModelHold[]
  readonly balances: Map<Account, bigint>
  readonly settings: {
    charge: { fixed: bigint; sharePpm: bigint }
    /** Euros for a dollar. */
    rate: string
    takesFromBalance: Record<Party, boolean>
    expiredTo: Record<Party, ModelVoucher['expiredTo']>
  }
  readonly now: () => number
}

export type VoucherModel = Omit<State, 'now'> & {
  readonly left: (n: number) => bigint
  /** What open holds reserve of that. */
  readonly held: (n: number) => bigint
  /** The state that the issuer sees. */
  readonly stateOf: (n: number) => string
  readonly fund: (by: Party, coin: Coin, kind: 'merchant' | 'merchant_admin', amount: bigint) => void
  readonly issue: (terms: Issue, reference: string) => Outcome
  /** Why nobody can redeem a voucher, or undefined. */
  readonly whyUnusable: (n: number) => Outcome | undefined
  readonly redeem: (input: Redeem, reference: string) => Outcome
  readonly refund: (input: Refund, reference: string) => Outcome
  readonly cancel: (n: number, by: Party, consent: Consent) => Outcome
  readonly setBlocked: (n: number, by: Party, isBlocked: boolean) => Outcome
  readonly replace: (n: number, by: Party, pin: string | undefined) => Outcome
  readonly resetPin: (n: number, by: Party, pin: string | undefined) => Outcome
  readonly reopen: (n: number, by: Party) => Outcome
  readonly hold: (n: number, amount: bigint, until: number) => Outcome
  readonly release: (index: number) => Outcome
  /** Settles expired vouchers, as a worker does. */
  readonly work: () => void
}

const minuteMs = 60_000
const thirtyDaysMs = 30 * 24 * 60 * minuteMs

export function accountOf(coin: Coin, owner: string, kind: string): Account {
  return `${coin} ${owner} ${kind}`
}

/** Starts with the given balances. Settings are the defaults of a new merchant. */
export function createVoucherModel(balances: Map<Account, bigint>, clock: () => Date): VoucherModel {
  const state: State = {
    vouchers: [],
    transactions: [],
    redemptions: [],
    holds: [],
    balances,
    settings: {
      charge: { fixed: 0n, sharePpm: 0n },
      rate: '1',
      takesFromBalance: { ours: false, theirs: false },
      expiredTo: { ours: 'unclaimed', theirs: 'unclaimed' },
    },
    now: () => clock().getTime(),
  }
  return {
    ...state,
    left: (n) => balanceOf(state, voucherAccount(state, n)),
    held: (n) => heldOn(state, n),
    stateOf: (n) => stateOf(state, n),
    fund: (by, coin, kind, amount) => move(state, accountOf(coin, by, 'treasury'), accountOf(coin, by, kind), amount),
    issue: (terms, reference) => issue(state, terms, reference),
    whyUnusable: (n) => whyUnusable(state, n),
    redeem: (input, reference) => redeem(state, input, reference),
    refund: (input, reference) => refund(state, input, reference),
    cancel: (n, by, consent) => cancel(state, n, by, consent),
    setBlocked: (n, by, isBlocked) => setBlocked(state, n, by, isBlocked),
    replace: (n, by, pin) => replace(state, n, by, pin),
    resetPin: (n, by, pin) => resetPin(state, n, by, pin),
    reopen: (n, by) => reopenExpired(state, n, by),
    hold: (n, amount, until) => hold(state, n, amount, until),
    release: (index) => release(state, index),
    work: () => settleExpired(state),
  }
}

function balanceOf({ balances }: State, account: Account): bigint {
  return balances.get(account) ?? 0n
}

function covers(state: State, account: Account, amount: bigint): boolean {
  const mayGoNegative = /(treasury|exchange)$/.test(account)
  return mayGoNegative || balanceOf(state, account) >= amount
}

function move(state: State, from: Account, to: Account, amount: bigint): void {
  state.balances.set(from, balanceOf(state, from) - amount)
  state.balances.set(to, balanceOf(state, to) + amount)
}

type TransactionType = ModelTransaction['type']

function record({ transactions }: State, of: Party, reference: string, type: TransactionType, amount: bigint): void {
  transactions.push({ of, reference, type, amount, charged: amount, refunded: 0n })
}

function voucherAt({ vouchers }: State, n: number): ModelVoucher {
  const voucher = vouchers[n]
  if (voucher === undefined) throw new Error(`The model has no voucher ${n}.`)
  return voucher
}

function voucherAccount(state: State, n: number): Account {
  return accountOf(voucherAt(state, n).coin, `voucher ${n}`, 'voucher')
}

function payerOf({ coin, issuer, isPaid }: ModelVoucher): Account {
  return accountOf(coin, issuer, isPaid ? 'merchant' : 'treasury')
}

/** The account that gets what is left on a voucher when it expires. */
function expiryAccountOf(voucher: ModelVoucher): Account {
  return voucher.expiredTo === 'payer' ? payerOf(voucher) : accountOf(voucher.coin, voucher.issuer, 'unclaimed')
}

function heldOn({ holds, now }: State, n: number): bigint {
  return holds.reduce((sum, { voucher, amount, until }) => (voucher === n && until > now() ? sum + amount : sum), 0n)
}

function isExpired({ now }: State, { expiresAt }: ModelVoucher): boolean {
  return expiresAt !== undefined && expiresAt <= now()
}

function reopen({ now }: State, voucher: ModelVoucher): void {
  voucher.expiresAt = now() + thirtyDaysMs
  voucher.isSettled = false
}

/** Moves money without a payment. A merchant sees it as an adjustment if it changes the merchant's balance. */
function adjust(state: State, from: Account, to: Account, amount: bigint, of: Party): void {
  move(state, from, to, amount)
  const isVisible = amount > 0n && (from.endsWith(' merchant') || to.endsWith(' merchant'))
  if (isVisible) record(state, of, '', 'ADJUSTMENT', amount)
}

function create({ vouchers }: State, terms: Issue & Pick<ModelVoucher, 'expiredTo'>): void {
  const fresh = { isSettled: false, setAside: undefined, state: 'open', replacedBy: undefined } as const
  vouchers.push({ ...terms, ...fresh, wrongInRow: 0, wrongInAll: 0, lockedUntil: 0 })
}

function issue(state: State, terms: Issue, reference: string): Outcome {
  const { issuer, amount, isPaid } = terms
  const from = accountOf(terms.coin, issuer, isPaid ? 'merchant' : 'treasury')
  if (!covers(state, from, amount)) return 'ISSUER_BALANCE_TOO_LOW'
  create(state, { ...terms, expiredTo: state.settings.expiredTo[issuer] })
  move(state, from, voucherAccount(state, state.vouchers.length - 1), amount)
  if (isPaid) record(state, issuer, reference, 'VOUCHER_PURCHASE', amount)
  return done
}

function whyUnusable(state: State, n: number): Outcome | undefined {
  const voucher = voucherAt(state, n)
  if (voucher.state === 'cancelled' || voucher.state === 'replaced') return 'VOUCHER_CANCELLED'
  if (voucher.state === 'blocked') return 'VOUCHER_BLOCKED'
  if (voucher.wrongInAll >= 10) return 'VOUCHER_FROZEN'
  return isExpired(state, voucher) ? 'VOUCHER_EXPIRED' : undefined
}

/** Counts wrong PINs: five in a row lock the voucher for 15 minutes, ten in total freeze it. */
function whyLocked({ now }: State, voucher: ModelVoucher, pin: string | undefined): Outcome | undefined {
  if (voucher.pin === undefined) return undefined
  if (pin === undefined) return 'VOUCHER_PIN_MISSING'
  if (voucher.wrongInAll >= 10) return 'VOUCHER_FROZEN'
  if (voucher.lockedUntil > now()) return 'VOUCHER_PIN_LOCKED'
  if (pin === voucher.pin) {
    voucher.wrongInRow = 0
    return undefined
  }
  voucher.wrongInAll += 1
  voucher.wrongInRow = (voucher.wrongInRow + 1) % 5
  if (voucher.wrongInRow === 0) voucher.lockedUntil = now() + 15 * minuteMs
  return 'VOUCHER_PIN_WRONG'
}

function convert({ settings }: State, amount: bigint, from: Coin, to: Coin): bigint {
  if (from === to) return amount
  const scale = 10n ** BigInt(settings.rate.split('.')[1]?.length ?? 0)
  const scaled = BigInt(settings.rate.replace('.', ''))
  return from === 'USD' ? (amount * scaled) / scale : (amount * scale) / scaled
}

function redeem(
  state: State,
  { voucher: n, at: party, amount: requested, to, pin }: Redeem,
  reference: string,
): Outcome {
  const voucher = voucherAt(state, n)
  const { coin } = voucher
  const fault = whyUnusable(state, n) ?? whyLocked(state, voucher, pin)
  if (fault !== undefined) return fault
  const from = voucherAccount(state, n)
  const available = balanceOf(state, from) - heldOn(state, n)
  if (requested === 'max' && available === 0n) return 'VOUCHER_EMPTY'

  const { amount, charge, payer: chargePayer } = priceRedemption(state, { n, party, requested, available })
  const toAmount = convert(state, amount, coin, to)
  if (toAmount === 0n) return 'AMOUNT_TOO_SMALL_TO_CONVERT'
  const taken = chargePayer === from ? amount + charge : amount
  if (taken > available) return available === 0n ? 'VOUCHER_EMPTY' : 'VOUCHER_BALANCE_TOO_LOW'

  const payee = accountOf(to, party, 'merchant')
  if (to === coin) move(state, from, payee, amount)
  else {
    move(state, from, accountOf(coin, party, 'exchange'), amount)
    move(state, accountOf(to, party, 'exchange'), payee, toAmount)
  }
  move(state, chargePayer, accountOf(coin, party, 'fee'), charge)
  const got = to === coin ? undefined : { coin: to, amount: toAmount, rate: state.settings.rate }
  const redemption: ModelRedemption = {
    of: party,
    reference,
    type: 'VOUCHER_REDEMPTION',
    amount,
    charged: taken,
    refunded: 0n,
    voucher: n,
    coin,
    converted: got,
  }
  state.transactions.push(redemption)
  state.redemptions.push(redemption)
  return done
}

type Requested = {
  readonly n: number
  readonly party: Party
  readonly requested: bigint | 'max'
  readonly available: bigint
}

/** The amount and the fee of a redemption. The merchant's admin account pays the fee if it is set to and can, else the voucher. */
function priceRedemption(
  state: State,
  { n, party, requested, available }: Requested,
): { amount: bigint; charge: bigint; payer: Account } {
  const { coin } = voucherAt(state, n)
  const rule = coin === 'USD' ? state.settings.charge : { fixed: 0n, sharePpm: 0n }
  const whole = requested === 'max' ? available : requested
  const full = chargeOn(whole, { rule, discountPpm: 0n })
  const admin = accountOf(coin, party, 'merchant_admin')
  const adminPays = state.settings.takesFromBalance[party] && full > 0n && full <= whole && covers(state, admin, full)
  if (adminPays && whole <= available) return { amount: whole, charge: full, payer: admin }
  const [amount, charge] = chargeVoucher(requested, available, { rule, discountPpm: 0n })
  return { amount, charge, payer: voucherAccount(state, n) }
}

/** The smaller of an amount and its value after the market has moved, seen from the payer's currency. */
function reprice({ settings }: State, amount: bigint, coin: Coin, rateThen: string): bigint {
  const scale = 10n ** 12n
  const unit = (rate: string): bigint => {
    const [whole = '', fraction = ''] = rate.split('.')
    return BigInt(whole + fraction.padEnd(12, '0'))
  }
  const then = unit(rateThen)
  const current = unit(settings.rate)
  const [before, after] = coin === 'USD' ? [then, current] : [scale * current, scale * then]
  return after <= before ? amount : (amount * before) / after
}

function refund(state: State, { redemption, by, amount: requested }: Refund, reference: string): Outcome {
  if (by !== redemption.of) return 'TRANSACTION_NOT_FOUND'
  const { amount: whole, refunded: before, coin, converted: got } = redemption
  const amount = requested === 'rest' ? whole - before : requested
  if (amount === 0n || before + amount > whole) return 'REFUND_TOO_LARGE'
  let n = redemption.voucher
  for (let next: number | undefined = n; next !== undefined; next = voucherAt(state, n).replacedBy) n = next
  const voucher = voucherAt(state, n)
  const to = voucher.state === 'cancelled' ? payerOf(voucher) : voucherAccount(state, n)

  const merchant = accountOf(got?.coin ?? coin, by, 'merchant')
  if (merchant === to) return 'REFUND_TO_SELF'
  const back = got === undefined ? amount : reprice(state, amount, coin, got.rate)
  if (back === 0n) return 'REFUND_CONVERTS_TO_NOTHING'
  // The merchant returns its share of what it got, rounded up. All parts together are exactly what it got.
  const shareOf = (part: bigint): bigint => (got === undefined ? part : (part * got.amount + whole - 1n) / whole)
  const paid = shareOf(before + amount) - shareOf(before)
  if (!covers(state, merchant, paid)) return 'REFUND_BALANCE_TOO_LOW'
  if (got === undefined) move(state, merchant, to, paid)
  else {
    move(state, merchant, accountOf(got.coin, by, 'exchange'), paid)
    move(state, accountOf(coin, by, 'exchange'), to, back)
  }
  redemption.refunded += amount
  record(state, by, reference, 'REFUND', amount)
  if (voucher.state !== 'cancelled' && isExpired(state, voucher)) reopen(state, voucher)
  const { issuer } = voucher
  if (to === accountOf(coin, issuer, 'merchant') && issuer !== by) record(state, issuer, '', 'ADJUSTMENT', back)
  return done
}

/** Why the issuer cannot change a voucher, or undefined. */
function whyUnchangeable(by: Party, { issuer, state }: ModelVoucher): Outcome | undefined {
  if (by !== issuer) return 'VOUCHER_UNKNOWN'
  if (state === 'replaced') return 'VOUCHER_REPLACED'
  return state === 'cancelled' ? 'VOUCHER_CANCELLED' : undefined
}

function cancel(state: State, n: number, by: Party, consent: Consent): Outcome {
  const voucher = voucherAt(state, n)
  const fault = whyUnchangeable(by, voucher)
  if (fault === 'VOUCHER_CANCELLED') return done
  if (fault !== undefined) return fault
  if (!consent.hasCode) return 'CONSENT_MISSING'
  const lock = whyLocked(state, voucher, consent.pin)
  if (lock !== undefined) return lock
  if (isExpired(state, voucher)) return 'VOUCHER_EXPIRED'
  if (heldOn(state, n) > 0n) return 'VOUCHER_HELD'
  // Value that was once set aside goes there again: an issuer must not get it by reopening and cancelling.
  const to = voucher.setAside === undefined ? payerOf(voucher) : expiryAccountOf(voucher)
  const from = voucherAccount(state, n)
  adjust(state, from, to, balanceOf(state, from), by)
  voucher.state = 'cancelled'
  return done
}

function setBlocked(state: State, n: number, by: Party, isBlocked: boolean): Outcome {
  const voucher = voucherAt(state, n)
  const fault = whyUnchangeable(by, voucher)
  if (fault !== undefined) return fault
  voucher.state = isBlocked ? 'blocked' : 'open'
  return done
}

function replace(state: State, n: number, by: Party, pin: string | undefined): Outcome {
  const old = voucherAt(state, n)
  const fault = whyUnchangeable(by, old)
  if (fault !== undefined) return fault
  if (isExpired(state, old)) return 'VOUCHER_EXPIRED'
  const from = voucherAccount(state, n)
  const amount = balanceOf(state, from)
  if (amount === 0n) return 'VOUCHER_EMPTY'
  if (old.pin !== undefined && pin === undefined) return 'PIN_NEEDED'
  if (heldOn(state, n) > 0n) return 'VOUCHER_HELD'
  create(state, { ...old, amount, pin })
  old.replacedBy = state.vouchers.length - 1
  // Value that was once set aside does not become the issuer's by a new code.
  if (old.setAside !== undefined) voucherAt(state, old.replacedBy).setAside = 0n
  old.state = 'replaced'
  move(state, from, voucherAccount(state, old.replacedBy), amount)
  return done
}

function resetPin(state: State, n: number, by: Party, pin: string | undefined): Outcome {
  const voucher = voucherAt(state, n)
  const fault = whyUnchangeable(by, voucher)
  if (fault !== undefined) return fault
  if (voucher.pin === undefined) return 'VOUCHER_NOT_LOCKED'
  Object.assign(voucher, { pin: pin ?? voucher.pin, wrongInRow: 0, wrongInAll: 0, lockedUntil: 0 })
  return done
}

function reopenExpired(state: State, n: number, by: Party): Outcome {
  const voucher = voucherAt(state, n)
  const fault = whyUnchangeable(by, voucher)
  if (fault !== undefined) return fault
  if (!isExpired(state, voucher)) return 'VOUCHER_NOT_EXPIRED'
  const gone = voucher.setAside ?? 0n
  const from = expiryAccountOf(voucher)
  if (!covers(state, from, gone)) return 'REOPEN_BALANCE_TOO_LOW'
  adjust(state, from, voucherAccount(state, n), gone, by)
  if (gone > 0n) voucher.setAside = 0n
  reopen(state, voucher)
  return done
}

function hold(state: State, n: number, amount: bigint, until: number): Outcome {
  const { state: voucherState } = voucherAt(state, n)
  if (voucherState === 'blocked') return 'LEDGER_ACCOUNT_NO_DEBIT'
  if (voucherState !== 'open') return 'LEDGER_ACCOUNT_CLOSED'
  if (amount > balanceOf(state, voucherAccount(state, n)) - heldOn(state, n)) return 'LEDGER_INSUFFICIENT'
  state.holds.push({ voucher: n, amount, until })
  return done
}

function release({ holds, now }: State, index: number): Outcome {
  const found = holds[index]
  if (found === undefined || found.until <= now()) return 'LEDGER_HOLD_DEAD'
  found.until = 0
  return done
}

function settleExpired(state: State): void {
  for (const [n, voucher] of state.vouchers.entries()) {
    if (!isExpired(state, voucher) || voucher.isSettled || heldOn(state, n) > 0n) continue
    const from = voucherAccount(state, n)
    const left = balanceOf(state, from)
    adjust(state, from, expiryAccountOf(voucher), left, voucher.issuer)
    voucher.isSettled = true
    if (left > 0n) voucher.setAside = (voucher.setAside ?? 0n) + left
  }
}

function stateOf(state: State, n: number): string {
  const voucher = voucherAt(state, n)
  if (voucher.state !== 'open') return voucher.state
  if (voucher.wrongInAll >= 10) return 'frozen'
  return isExpired(state, voucher) ? 'expired' : 'open'
}

/** The amount and the fee. The last units pay what they can of the fee, so that no rest is left that cannot be redeemed. */
function chargeVoucher(requested: bigint | 'max', available: bigint, terms: ChargeTerms): [bigint, bigint] {
  const largest = largestWithin(available, terms)
  if (largest === 0n && available > 0n && (requested === 'max' || requested === 1n)) return [1n, available - 1n]
  if (requested !== 'max') return [requested, chargeOn(requested, terms)]
  const charge = chargeOn(largest, terms)
  return [available - charge, charge]
}
