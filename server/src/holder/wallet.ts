import type { Money } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type FindHouse, houseReference } from '../merchant/house.ts'
import { findPosted } from '../ledger/store.ts'
import { userError } from '../user/errors.ts'
import { findPerson, fullNameOf } from '../user/store.ts'
import { type Issued, issueJournal, readIssued } from '../voucher/issue.ts'
import type { RedemptionWish } from '../voucher/price.ts'
import { type Redeemed, redeemVoucher, type RedeemTools } from '../voucher/redeem.ts'
import { type Actor, type ActTools, performAct } from '../wallet/act.ts'
import { modeOf } from '../wallet/routes.ts'
import type { Signed } from '../user/session.ts'

export type HolderWalletTools = RedeemTools & ActTools & { readonly findHouse: FindHouse }

export type Keeping = Pick<RedemptionWish, 'code' | 'amount' | 'lockPin' | 'to'> & { readonly key: string }

/** Redeems a voucher into the wallet of who holds it, at the platform's own shop, free. */
export async function keepVoucher(tools: HolderWalletTools, signed: Signed, ask: Keeping): Promise<Redeemed> {
  const { id: userId } = signed.person
  const house = await tools.findHouse(modeOf(signed))
  const { key, ...wish } = ask
  const reference = houseReference(userId, key)
  const caller = { ...house, keyId: userId, hasSecret: false }
  return redeemVoucher(tools, caller, { ...wish, reference, metadata: '', into: { userId } })
}

export type Purchase = {
  readonly amount: Money
  readonly currency: CatalogueCurrency
  readonly lockPin?: string | undefined
  /** Whom it is for, by e-mail or username. None: for himself. */
  readonly gift?: string | undefined
  readonly key: string
  readonly pin?: string | undefined
}

/**
 * Buys a voucher out of the wallet. A gift goes to an address by mail; if that is somebody's here, it is in his wallet as well. The
 * buyer is told the same either way.
 */
export async function buyVoucher(tools: HolderWalletTools, signed: Signed, ask: Purchase): Promise<Issued> {
  const { person } = signed
  const mode = modeOf(signed)
  const house = await tools.findHouse(mode)
  const key = `wallet/${person.id}/${ask.key}`
  const digits = String(ask.amount.minor)
  const asked = JSON.stringify(['buy', digits, ask.currency.code, ask.gift ?? '', ask.lockPin !== undefined])
  const known = await findPosted(tools.pool, key, asked).catch(() => undefined)
  if (known !== undefined) return readIssued(tools, house, known)
  const buyer = { userId: person.id, name: fullNameOf(person) }
  const journal = await issueJournal(
    tools,
    house,
    {
      amount: digits,
      currency: ask.currency.code,
      // A key may be used for one of each.
      reference: houseReference(person.id, `buy/${ask.key}`),
      paidFrom: buyer,
      lockPin: ask.lockPin,
      ...(await recipientOf(tools, signed, ask.gift)),
    },
    ask.amount,
    { key, asked },
  )
  const actor: Actor = signed
  const [posting] = journal.alternatives
  const act = { kind: 'wallet.buy', key, asked, pin: ask.pin, id: journal.id, build: () => Promise.resolve(posting) }
  return readIssued(tools, house, await performAct(tools, actor, act))
}

async function recipientOf({ pool }: HolderWalletTools, signed: Signed, gift: string | undefined) {
  if (gift === undefined) return {}
  const found = await findPerson(pool, modeOf(signed), gift)
  const person = found?.isDiscoverable === true || gift.includes('@') ? found : undefined
  if (person !== undefined)
    return {
      recipient: { kind: 'user', name: person.id } as const,
      gift: { language: person.language, email: person.email },
    }
  if (!gift.includes('@')) throw userError('USER_NOT_FOUND', { param: 'for' })
  return {
    recipient: { kind: 'email', name: gift.toLowerCase() } as const,
    gift: { language: signed.person.language },
  }
}
