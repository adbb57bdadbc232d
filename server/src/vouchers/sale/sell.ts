import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posting } from '../../ledger/journal.ts'
import { once, postNew } from '../../ledger/once.ts'
import { lockShop, type LockedShop } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { voucherError } from '../code/errors.ts'
import { takePlace } from '../register/shift.ts'
import { readExpiry } from '../voucher/expiry.ts'
import { type Issued, type IssueTools, prepareVoucher, readIssued } from '../voucher/issue.ts'
import { printRules, readRules, type RulesInput } from '../voucher/read-rules.ts'
import type { VoucherRules } from '../voucher/rules.ts'
import { pinDocument } from '../voucher/pin-store.ts'
import { lockVoucher, setActivation, storeFloat, type Voucher, voucherAccount } from '../voucher/store.ts'
import { saleError } from './errors.ts'
import { saleRecorded } from './events.ts'
import { findOwnVoucher } from './find-own-voucher.ts'
import { giftDocuments, type GiftInput, readSendAt } from './gift.ts'
import { admitSale, sellerOf } from './limit.ts'
import { findSale, type NewSale, type Sale, saleDocument } from './store.ts'
import { type PaidInput, printOf, readPrice } from './terms.ts'

export type SaleInput = PaidInput & {
  /** Major units. Undefined: the amount that is printed on the card. */
  readonly amount: string | undefined
  readonly currency: string
  /** The card that is sold, as it was scanned. Undefined: a new voucher. */
  readonly voucherCode: string | undefined
  readonly lockPin: string | undefined
  readonly expires: string | undefined
  readonly gift: GiftInput | undefined
  readonly rules: RulesInput | undefined
}

export type Sold = { readonly sale: Sale; readonly issued: Issued; readonly replayed: boolean }

/** The voucher that a sale makes: a new one, or a card of a batch. Both locks are held. */
type Selling = {
  readonly shop: LockedShop
  readonly card: Voucher | undefined
  readonly rules: VoucherRules | null
}

/** Sells a store voucher for money that the shop took itself. Selling a card activates it. */
export async function sellVoucher(tools: IssueTools, caller: MerchantCaller, input: SaleInput): Promise<Sold> {
  const { environmentId } = caller
  const currency = await findCurrency(tools.pool, input.currency, 'any')
  const { voucherCode } = input
  const cardId = voucherCode === undefined ? undefined : (await findOwnVoucher(tools, caller, voucherCode)).id
  const identity = {
    key: referenceKey(environmentId, input.reference),
    requestFingerprint: printSale(input, currency, cardId),
  }
  try {
    const done = await once(tools, identity, {
      retell: ({ journalId }) => ({ id: journalId, replayed: true }),
      prepare: async () => {
        pickCurrency([currency], currency.code)
        if (input.gift !== undefined) checkGift(input.gift, cardId, tools.clock())
        const rules = await readSaleRules(tools, caller, input, currency)
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            // The voucher before the shop: the order of every change of its lifecycle.
            const card = cardId === undefined ? undefined : await lockVoucher(tx, cardId, tools.clock())
            return { card, rules, shop: await lockShop(tx, environmentId) }
          },
          post: async (tx, locked) => {
            const id = await sellLocked(tools, tx, caller, input, currency, locked, identity)
            return { id, replayed: false }
          },
        }
      },
    })
    return await readSold(tools, caller, done.id, done.replayed)
  } catch (error) {
    throw toApiError(error, 'referenceId')
  }
}

function printSale(input: SaleInput, currency: CatalogueCurrency, cardId: string | undefined): string {
  const { amount, expires, lockPin, gift } = input
  return JSON.stringify([
    'voucher.sell',
    amount === undefined ? '' : String(parseMoney(amount, currency).minor),
    currency.code,
    cardId ?? '',
    ...printOf(input),
    expires ?? '',
    // Only whether there is a PIN, never the PIN itself.
    lockPin !== undefined,
    ...(gift === undefined ? [] : [gift.email, gift.sender ?? '', gift.message ?? '', gift.sendAt ?? '']),
    ...printRules(input.rules),
  ])
}

async function readSaleRules(
  tools: IssueTools,
  caller: MerchantCaller,
  { rules, voucherCode, expires }: SaleInput,
  currency: CatalogueCurrency,
): Promise<VoucherRules | null> {
  if (rules === undefined) return null
  if (voucherCode !== undefined) throw saleError('RULES_ON_CARD', { param: 'rules' })
  const expiresAt = await readExpiry(tools, caller, expires)
  return readRules(tools, caller, rules, { currency, expiresAt, isOnchain: false })
}

function checkGift(gift: GiftInput, cardId: string | undefined, at: Date): void {
  if (cardId !== undefined) throw saleError('GIFT_IS_CARD', { param: 'gift' })
  readSendAt(gift.sendAt, at)
}

async function sellLocked(
  tools: IssueTools,
  tx: Tx,
  caller: MerchantCaller,
  input: SaleInput,
  currency: CatalogueCurrency,
  { card, shop, rules }: Selling,
  identity: { readonly key: string; readonly requestFingerprint: string },
): Promise<string> {
  if (card !== undefined) refuseCard(card, currency)
  const value = readValue(input, currency, card)
  const price = readPrice(input, value, currency)
  // In this transaction: while many sales wait for the lock of the shop, none of them may wait for another connection.
  const bookId = await ensureBook(tx, caller.mode, currency.code)
  const isCash = input.tender === 'cash'
  const place = await takePlace(tx, caller, { registerId: input.registerId, bookId, isCash })
  const id = tools.newId()
  const createdAt = timeOfId(id)
  const homeValue = await admitSale(tools, tx, caller, shop, { value, price, currency, at: createdAt })
  const posting =
    card === undefined
      ? await newVoucher(tools, tx, caller, input, { value, currency, rules })
      : await activate(tools, tx, caller, input, { card, value })
  const row: NewSale = {
    ...place,
    environmentId: caller.environmentId,
    id,
    kind: 'sale',
    reference: input.reference,
    voucherId: posting.voucherId,
    bookId,
    value,
    price,
    tender: input.tender,
    tenderReference: input.tenderReference,
    reason: input.reason,
    sellerId: sellerOf(caller),
    memberId: caller.memberId,
    homeValue,
    codeTail: posting.codeTail,
    createdAt,
  }
  const documents = [...posting.documents, saleDocument(row)]
  const events = [...posting.events, saleRecorded(row, currency)]
  const alternatives = [{ transfers: posting.transfers, open: posting.open, documents, events }] as const
  await postNew(tx, { id, kind: 'voucher.sell', ...identity, alternatives }, tools)
  return id
}

function refuseCard({ isActive, state, replacedBy, isStore, batchId, currency }: Voucher, of: CatalogueCurrency): void {
  const isCard = isStore && batchId !== null && state === 'open' && replacedBy === null
  if (!isCard) throw saleError('CARD_NOT_FOR_SALE', { param: 'voucherCode' })
  if (isActive) throw saleError('CARD_SOLD', { param: 'voucherCode' })
  if (currency !== of.code) throw saleError('SALE_CURRENCY', { param: 'currency' })
}

/** The value that is sold. A card with a printed amount is sold with that. */
function readValue({ amount }: SaleInput, currency: CatalogueCurrency, card: Voucher | undefined): bigint {
  const printed = card?.amount ?? 0n
  if (amount === undefined) {
    if (printed === 0n) throw saleError('SALE_AMOUNT_MISSING', { param: 'amount' })
    return printed
  }
  const value = parseAmount(amount, currency)
  refuseDust(value, currency)
  if (printed > 0n && value.minor !== printed) throw saleError('SALE_AMOUNT_FIXED', { param: 'amount' })
  return value.minor
}

type Made = Required<Pick<Posting, 'transfers' | 'open' | 'documents' | 'events'>> & {
  readonly voucherId: string
  readonly codeTail: string | null | undefined
}

/** A new voucher. Its id is its own: a journal has one event for each object, and here are a voucher and a sale. */
async function newVoucher(
  tools: IssueTools,
  tx: Tx,
  caller: MerchantCaller,
  { reference, lockPin, expires, gift }: SaleInput,
  { value, currency, rules }: Pick<Selling, 'rules'> & { readonly value: bigint; readonly currency: CatalogueCurrency },
): Promise<Made> {
  const id = tools.newId()
  const amount = { minor: value, currency }
  const terms = { amount: formatMoney(amount), currency: currency.code, reference, lockPin, expires, rules }
  const recipient = gift === undefined ? undefined : ({ kind: 'email', name: gift.email } as const)
  const issue = { ...terms, paidFrom: 'float', recipient } as const
  const { sent, code, expiresAt = null } = await prepareVoucher(tools, tx, caller, issue, amount, id)
  const { transfers, codeTail, documents = [], open = [], events = [] } = sent
  const voucher = { id, environmentId: caller.environmentId, mode: caller.mode, amount: value, currency: currency.code }
  const given = { ...voucher, expiresAt, code, isLocked: lockPin !== undefined }
  const gifts = gift === undefined ? [] : await giftDocuments(tools, tx, given, gift)
  return { transfers, open, events, documents: [...documents, ...gifts], voucherId: id, codeTail }
}

async function activate(
  tools: IssueTools,
  tx: Tx,
  caller: MerchantCaller,
  { expires, lockPin }: SaleInput,
  { card, value }: { readonly card: Voucher; readonly value: bigint },
): Promise<Made> {
  const wanted = await readExpiry({ pool: tx, clock: tools.clock }, caller, expires)
  const expiresAt = wanted ?? card.expiresAt
  if (expiresAt !== null && expiresAt <= tools.clock()) throw voucherError('VOUCHER_EXPIRED', { param: 'voucherCode' })
  await setActivation(tx, card, { isActive: true, amount: value, expiresAt })
  const float = storeFloat(card.environmentId, card.bookId)
  const transfers = [{ from: float, to: voucherAccount(card), amount: value }]
  const documents =
    lockPin === undefined ? [] : [pinDocument({ voucherId: card.id, ...tools.keyRing.pinDigest(card.id, lockPin) })]
  return { transfers, open: [float], documents, events: [], voucherId: card.id, codeTail: card.codeTail }
}

/** A sale with its voucher as it is now. */
export async function readSold(
  tools: IssueTools,
  caller: MerchantCaller,
  id: string,
  replayed: boolean,
): Promise<Sold> {
  const { environmentId } = caller
  const sale = await withEnvironment(tools.pool, environmentId, (tx) => findSale(tx, environmentId, id))
  if (sale === undefined) throw new Error('A sale is missing.')
  return { sale, issued: await readIssued(tools, caller, { journalId: sale.voucherId, replayed }), replayed }
}
