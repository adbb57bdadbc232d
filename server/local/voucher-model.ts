// The lives of vouchers as sums in memory: what should become of every unit, said as simply as possible. It shares no code
// with the server but the arithmetic of a charge, which has tests of its own.
import { type ChargeTerms, chargeOn, largestWithin } from '../src/charge/price.ts'

export type Party = 'ours' | 'theirs'
export type Coin = 'USD' | 'EUR'
/** That it was done, or the code of the error that refuses it. */
export type Outcome = string
export const done = 'done'

export type ModelVoucher = {
  readonly issuer: Party
  readonly coin: Coin
  readonly amount: bigint
  readonly isPaid: boolean
  readonly expiredTo: 'payer' | 'unclaimed'
  /** In milliseconds, as all times here. */
  expiresAt: number | undefined
  /** Its time came and was dealt with. */
  isSettled: boolean
  /** What left it whenever it expired and was not put back; nothing where nothing ever left it so. */
  setAside: bigint | undefined
  state: 'open' | 'blocked' | 'cancelled' | 'replaced'
  replacedBy: number | undefined
  pin: string | undefined
  wrongInRow: number
  wrongInAll: number
  lockedUntil: number
}

export type ModelTransaction = {
  readonly of: Party
  readonly reference: string
  readonly type: 'VOUCHER_PURCHASE' | 'VOUCHER_REDEMPTION' | 'REFUND' | 'ADJUSTMENT'
  readonly amount: bigint
  /** With what the voucher bore. */
  readonly charged: bigint
  refunded: bigint
}

export type ModelRedemption = ModelTransaction & {
  readonly voucher: number
  readonly coin: Coin
  /** What the merchant got where the currency changed. */
  readonly converted: { readonly coin: Coin; readonly amount: bigint; readonly rate: string } | undefined
}

type ModelHold = { readonly voucher: number; readonly amount: bigint; until: number }
type Account = string

export type Issue = Pick<ModelVoucher, 'issuer' | 'coin' | 'amount' | 'isPaid' | 'pin' | 'expiresAt'>
export type Redeem = { voucher: number; at: Party; amount: bigint | 'max'; to: Coin; pin: string | undefined }
export type Refund = { redemption: ModelRedemption; by: Party; amount: bigint | 'rest' }
export type VoucherModel = ReturnType<typeof createVoucherModel>

const minuteMs = 60_000
const thirtyDaysMs = 30 * 24 * 60 * minuteMs

export function accountOf(coin: Coin, owner: string, kind: string): Account {
  return `${coin} ${owner} ${kind}`
}

/** Begins with what is there. Settings are those of a new merchant until they are set. */
export function createVoucherModel(balances: Map<Account, bigint>, clock: () => Date) {
  const vouchers: ModelVoucher[] = []
  const transactions: ModelTransaction[] = []
  const redemptions: ModelRedemption[] = []
  const holds: ModelHold[] = []
  const settings = {
    charge: { fixed: 0n, sharePpm: 0n },
    /** What a dollar is in euros. */
    rate: '1',
    takesFromBalance: { ours: false, theirs: false },
    expiredTo: { ours: 'unclaimed', theirs: 'unclaimed' } as Record<Party, ModelVoucher['expiredTo']>,
  }

  const now = (): number => clock().getTime()
  const has = (account: Account): bigint => balances.get(account) ?? 0n
  const mayGoNegative = (account: Account): boolean => /(treasury|exchange)$/.test(account)
  const covers = (account: Account, amount: bigint): boolean => mayGoNegative(account) || has(account) >= amount
  function move(from: Account, to: Account, amount: bigint): void {
    balances.set(from, has(from) - amount)
    balances.set(to, has(to) + amount)
  }

  const at = (n: number): ModelVoucher => {
    const voucher = vouchers[n]
    if (voucher === undefined) throw new Error('The model has no such voucher.')
    return voucher
  }
  const purse = (n: number): Account => accountOf(at(n).coin, `voucher ${n}`, 'voucher')
  const payerOf = ({ coin, issuer, isPaid }: ModelVoucher): Account =>
    accountOf(coin, issuer, isPaid ? 'merchant' : 'treasury')
  const heirOf = (voucher: ModelVoucher): Account =>
    voucher.expiredTo === 'payer' ? payerOf(voucher) : accountOf(voucher.coin, voucher.issuer, 'unclaimed')
  const heldOn = (n: number): bigint =>
    holds.reduce((sum, { voucher, amount, until }) => (voucher === n && until > now() ? sum + amount : sum), 0n)
  const isOver = ({ expiresAt }: ModelVoucher): boolean => expiresAt !== undefined && expiresAt <= now()
  function reopen(voucher: ModelVoucher): void {
    voucher.expiresAt = now() + thirtyDaysMs
    voucher.isSettled = false
  }
  /** Moves what nobody has paid: a merchant sees it among its transactions where its balance is touched. */
  function adjust(from: Account, to: Account, amount: bigint, of: Party): void {
    move(from, to, amount)
    const isSeen = amount > 0n && (from.endsWith(' merchant') || to.endsWith(' merchant'))
    if (isSeen) transactions.push({ of, reference: '', type: 'ADJUSTMENT', amount, charged: amount, refunded: 0n })
  }

  function create(terms: Issue & Pick<ModelVoucher, 'expiredTo'>): void {
    const fresh = { isSettled: false, setAside: undefined, state: 'open', replacedBy: undefined } as const
    vouchers.push({ ...terms, ...fresh, wrongInRow: 0, wrongInAll: 0, lockedUntil: 0 })
  }

  function issue(terms: Issue, reference: string): Outcome {
    const { issuer, amount, isPaid } = terms
    const from = accountOf(terms.coin, issuer, isPaid ? 'merchant' : 'treasury')
    if (!covers(from, amount)) return 'ISSUER_BALANCE_TOO_LOW'
    create({ ...terms, expiredTo: settings.expiredTo[issuer] })
    move(from, purse(vouchers.length - 1), amount)
    if (isPaid)
      transactions.push({ of: issuer, reference, type: 'VOUCHER_PURCHASE', amount, charged: amount, refunded: 0n })
    return done
  }

  /** Why a voucher cannot be redeemed by anybody. */
  function whyUnusable(n: number): Outcome | undefined {
    const voucher = at(n)
    if (voucher.state === 'cancelled' || voucher.state === 'replaced') return 'VOUCHER_CANCELLED'
    if (voucher.state === 'blocked') return 'VOUCHER_BLOCKED'
    if (voucher.wrongInAll >= 10) return 'VOUCHER_FROZEN'
    return isOver(voucher) ? 'VOUCHER_EXPIRED' : undefined
  }

  /** Counts a wrong one: five in a row lock it for a quarter of an hour, ten in all freeze it. */
  function whyLocked(voucher: ModelVoucher, pin: string | undefined): Outcome | undefined {
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

  function converted(amount: bigint, from: Coin, to: Coin): bigint {
    if (from === to) return amount
    const scale = 10n ** BigInt(settings.rate.split('.')[1]?.length ?? 0)
    const scaled = BigInt(settings.rate.replace('.', ''))
    return from === 'USD' ? (amount * scaled) / scale : (amount * scale) / scaled
  }

  function redeem({ voucher: n, at: party, amount: wished, to, pin }: Redeem, reference: string): Outcome {
    const voucher = at(n)
    const { coin } = voucher
    const fault = whyUnusable(n) ?? whyLocked(voucher, pin)
    if (fault !== undefined) return fault
    const available = has(purse(n)) - heldOn(n)
    if (wished === 'max' && available === 0n) return 'VOUCHER_EMPTY'

    const rule = coin === 'USD' ? settings.charge : { fixed: 0n, sharePpm: 0n }
    const whole = wished === 'max' ? available : wished
    const full = chargeOn(whole, { rule, discountPpm: 0n })
    const admin = accountOf(coin, party, 'merchant_admin')
    const isBorne = settings.takesFromBalance[party] && full > 0n && full <= whole && covers(admin, full)
    const [amount, charge] =
      isBorne && whole <= available ? [whole, full] : borneByVoucher(wished, available, { rule, discountPpm: 0n })
    const toAmount = converted(amount, coin, to)
    if (toAmount === 0n) return 'AMOUNT_TOO_SMALL_TO_CONVERT'
    const bearer = isBorne && whole <= available ? admin : purse(n)
    const taken = bearer === admin ? amount : amount + charge
    if (taken > available) return available === 0n ? 'VOUCHER_EMPTY' : 'VOUCHER_BALANCE_TOO_LOW'

    const payee = accountOf(to, party, 'merchant')
    if (to === coin) move(purse(n), payee, amount)
    else {
      move(purse(n), accountOf(coin, party, 'exchange'), amount)
      move(accountOf(to, party, 'exchange'), payee, toAmount)
    }
    move(bearer, accountOf(coin, party, 'fee'), charge)
    const transaction = {
      of: party,
      reference,
      type: 'VOUCHER_REDEMPTION',
      amount,
      charged: taken,
      refunded: 0n,
    } as const
    const got = to === coin ? undefined : { coin: to, amount: toAmount, rate: settings.rate }
    const redemption = { ...transaction, voucher: n, coin, converted: got }
    transactions.push(redemption)
    redemptions.push(redemption)
    return done
  }

  /** The smaller of an amount and what it is worth after the market has moved, as whoever gave the other currency for it. */
  function repriced(amount: bigint, coin: Coin, rateThen: string): bigint {
    const scale = 10n ** 12n
    const unit = (rate: string): bigint => {
      const [whole = '', fraction = ''] = rate.split('.')
      return BigInt(whole + fraction.padEnd(12, '0'))
    }
    const [then, current] = [unit(rateThen), unit(settings.rate)]
    const [before, after] = coin === 'USD' ? [then, current] : [scale * current, scale * then]
    return after <= before ? amount : (amount * before) / after
  }

  function refund({ redemption, by, amount: wished }: Refund, reference: string): Outcome {
    if (by !== redemption.of) return 'TRANSACTION_NOT_FOUND'
    const { amount: whole, refunded: before, coin, converted: got } = redemption
    const amount = wished === 'rest' ? whole - before : wished
    if (amount === 0n || before + amount > whole) return 'REFUND_TOO_LARGE'
    let n = redemption.voucher
    for (let next: number | undefined = n; next !== undefined; next = at(n).replacedBy) n = next
    const voucher = at(n)
    const to = voucher.state === 'cancelled' ? payerOf(voucher) : purse(n)

    const merchant = accountOf(got?.coin ?? coin, by, 'merchant')
    if (merchant === to) return 'REFUND_TO_SELF'
    const back = got === undefined ? amount : repriced(amount, coin, got.rate)
    if (back === 0n) return 'REFUND_CONVERTS_TO_NOTHING'
    // The merchant gives back its share of what it got, never less than that; all parts together are exactly what it got.
    const shareOf = (part: bigint): bigint => (got === undefined ? part : (part * got.amount + whole - 1n) / whole)
    const paid = shareOf(before + amount) - shareOf(before)
    if (!covers(merchant, paid)) return 'REFUND_BALANCE_TOO_LOW'
    if (got === undefined) move(merchant, to, paid)
    else {
      move(merchant, accountOf(got.coin, by, 'exchange'), paid)
      move(accountOf(coin, by, 'exchange'), to, back)
    }
    redemption.refunded += amount
    transactions.push({ of: by, reference, type: 'REFUND', amount, charged: amount, refunded: 0n })
    if (voucher.state !== 'cancelled' && isOver(voucher)) reopen(voucher)
    const { issuer } = voucher
    if (to === accountOf(coin, issuer, 'merchant') && issuer !== by)
      transactions.push({ of: issuer, reference: '', type: 'ADJUSTMENT', amount: back, charged: back, refunded: 0n })
    return done
  }

  const whyNotAlive = (by: Party, { issuer, state }: ModelVoucher): Outcome | undefined => {
    if (by !== issuer) return 'VOUCHER_UNKNOWN'
    if (state === 'replaced') return 'VOUCHER_REPLACED'
    return state === 'cancelled' ? 'VOUCHER_CANCELLED' : undefined
  }

  function cancel(n: number, by: Party, consent: { hasCode: boolean; pin: string | undefined }): Outcome {
    const voucher = at(n)
    const fault = whyNotAlive(by, voucher)
    if (fault === 'VOUCHER_CANCELLED') return done
    if (fault !== undefined) return fault
    if (!consent.hasCode) return 'CONSENT_MISSING'
    const lock = whyLocked(voucher, consent.pin)
    if (lock !== undefined) return lock
    if (isOver(voucher)) return 'VOUCHER_EXPIRED'
    if (heldOn(n) > 0n) return 'VOUCHER_HELD'
    // What was set aside once is the holder's until it goes there again: no issuer gets it by reopening and cancelling.
    const to = voucher.setAside === undefined ? payerOf(voucher) : heirOf(voucher)
    adjust(purse(n), to, has(purse(n)), by)
    voucher.state = 'cancelled'
    return done
  }

  function setBlocked(n: number, by: Party, isBlocked: boolean): Outcome {
    const fault = whyNotAlive(by, at(n))
    if (fault !== undefined) return fault
    at(n).state = isBlocked ? 'blocked' : 'open'
    return done
  }

  function replace(n: number, by: Party, pin: string | undefined): Outcome {
    const old = at(n)
    const fault = whyNotAlive(by, old)
    if (fault !== undefined) return fault
    if (isOver(old)) return 'VOUCHER_EXPIRED'
    const amount = has(purse(n))
    if (amount === 0n) return 'VOUCHER_EMPTY'
    if (old.pin !== undefined && pin === undefined) return 'PIN_NEEDED'
    if (heldOn(n) > 0n) return 'VOUCHER_HELD'
    create({ ...old, amount, pin })
    old.replacedBy = vouchers.length - 1
    // What was set aside once does not become the issuer's by giving it a new code.
    if (old.setAside !== undefined) at(old.replacedBy).setAside = 0n
    old.state = 'replaced'
    move(purse(n), purse(old.replacedBy), amount)
    return done
  }

  function resetPin(n: number, by: Party, pin: string | undefined): Outcome {
    const voucher = at(n)
    const fault = whyNotAlive(by, voucher)
    if (fault !== undefined) return fault
    if (voucher.pin === undefined) return 'VOUCHER_NOT_LOCKED'
    Object.assign(voucher, { pin: pin ?? voucher.pin, wrongInRow: 0, wrongInAll: 0, lockedUntil: 0 })
    return done
  }

  function reopenExpired(n: number, by: Party): Outcome {
    const voucher = at(n)
    const fault = whyNotAlive(by, voucher)
    if (fault !== undefined) return fault
    if (!isOver(voucher)) return 'VOUCHER_NOT_EXPIRED'
    const gone = voucher.setAside ?? 0n
    if (!covers(heirOf(voucher), gone)) return 'REOPEN_BALANCE_TOO_LOW'
    adjust(heirOf(voucher), purse(n), gone, by)
    if (gone > 0n) voucher.setAside = 0n
    reopen(voucher)
    return done
  }

  function hold(n: number, amount: bigint, until: number): Outcome {
    const { state } = at(n)
    if (state === 'blocked') return 'LEDGER_ACCOUNT_NO_DEBIT'
    if (state !== 'open') return 'LEDGER_ACCOUNT_CLOSED'
    if (amount > has(purse(n)) - heldOn(n)) return 'LEDGER_INSUFFICIENT'
    holds.push({ voucher: n, amount, until })
    return done
  }

  function release(index: number): Outcome {
    const found = holds[index]
    if (found === undefined || found.until <= now()) return 'LEDGER_HOLD_DEAD'
    found.until = 0
    return done
  }

  /** What is done without anybody asking. */
  function work(): void {
    for (const [n, voucher] of vouchers.entries()) {
      if (!isOver(voucher) || voucher.isSettled || heldOn(n) > 0n) continue
      const left = has(purse(n))
      adjust(purse(n), heirOf(voucher), left, voucher.issuer)
      voucher.isSettled = true
      if (left > 0n) voucher.setAside = (voucher.setAside ?? 0n) + left
    }
  }

  /** As its issuer is told. */
  function stateOf(n: number): string {
    const voucher = at(n)
    if (voucher.state !== 'open') return voucher.state
    if (voucher.wrongInAll >= 10) return 'frozen'
    return isOver(voucher) ? 'expired' : 'open'
  }

  return {
    settings,
    vouchers,
    transactions,
    redemptions,
    holds,
    balances,
    left: (n: number): bigint => has(purse(n)),
    stateOf,
    fund: (by: Party, coin: Coin, kind: 'merchant' | 'merchant_admin', amount: bigint) =>
      move(accountOf(coin, by, 'treasury'), accountOf(coin, by, kind), amount),
    issue,
    whyUnusable,
    redeem,
    refund,
    cancel,
    setBlocked,
    replace,
    resetPin,
    reopen: reopenExpired,
    hold,
    release,
    work,
  }
}

/** Amount and charge. The last of a voucher bears what it can, so that nothing is left that nobody could ever redeem. */
function borneByVoucher(wished: bigint | 'max', available: bigint, terms: ChargeTerms): [bigint, bigint] {
  const largest = largestWithin(available, terms)
  if (largest === 0n && available > 0n && (wished === 'max' || wished === 1n)) return [1n, available - 1n]
  if (wished !== 'max') return [wished, chargeOn(wished, terms)]
  const charge = chargeOn(largest, terms)
  return [available - charge, charge]
}
