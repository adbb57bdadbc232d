// What people do in the demo shop, each by the platform's own use cases.
import { randomInt } from 'node:crypto'
import { withEnvironment } from '../src/base/environment.ts'
import { hasCode } from '../src/base/errors.ts'
import { blockVoucher } from '../src/aftercare/block.ts'
import { cancelVoucher } from '../src/aftercare/cancel.ts'
import { replaceVoucher } from '../src/aftercare/replace.ts'
import { exportBatch } from '../src/batch/export.ts'
import { createBatch } from '../src/batch/pay-batch.ts'
import type { Config } from '../src/config.ts'
import { createEndpoint, testEndpoint } from '../src/event/endpoints.ts'
import type { MerchantCaller, Role } from '../src/http/caller.ts'
import { approveInvoice } from '../src/invoice/decide.ts'
import { submitInvoice } from '../src/invoice/submit.ts'
import { fundMerchant } from '../src/merchant/fund.ts'
import { authorisePayment, declinePayment } from '../src/payment/answer-payment.ts'
import { requestPayment } from '../src/payment/request-payment.ts'
import { approveOutflow, cancelOutflow } from '../src/outflow/finish.ts'
import { saveRules } from '../src/outflow/store.ts'
import { payOut } from '../src/payout/pay-out.ts'
import { refund } from '../src/refund/refund.ts'
import type { Person } from '../src/user/store.ts'
import { readCode } from '../src/voucher/code.ts'
import { createFindFacts } from '../src/voucher/facts.ts'
import { createSenders } from '../src/senders.ts'
import { type Issue, issueFromBalance, type IssueTools, type RequestedVoucher } from '../src/voucher/issue.ts'
import type { KeyRing } from '../src/voucher/key-ring.ts'
import { createPinCheck } from '../src/voucher/pin.ts'
import { redeemVoucher } from '../src/voucher/redeem.ts'
import { fundWallet } from '../src/wallet/fund.ts'

export type DemoMember = { readonly id: string; readonly role: Role }

/** Where it is played, and as whom when nobody of the staff acts: its secret key. */
export type DemoStage = {
  readonly config: Config
  readonly tools: IssueTools & { readonly keyRing: KeyRing }
  readonly shop: MerchantCaller
}

/** A voucher in somebody's pocket. In minor units. */
export type Card = {
  /** Of one that was issued by itself; cards of a batch are known by their codes. */
  readonly id: string
  readonly code: string
  readonly currency: string
  readonly face: number
  readonly endsMs: number
  left: number
}
export type Sale = { readonly reference: string; readonly amount: number; readonly card: Card }
export type Acts = ReturnType<typeof createActs>

const settingsMs = 24 * 60 * 60 * 1_000
const toText = (minor: number): string => (minor / 100).toFixed(2)
const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export function createActs({ config, tools, shop }: DemoStage) {
  const { pool, keyRing, clock } = tools
  const { environmentId } = shop
  const peopleTools = { ...tools, seals: keyRing, networks: config.webhookNetworks, publicUrl: config.publicUrl }
  const findFacts = createFindFacts({ ...tools, settingsMs })
  const redeemTools = { ...tools, findFacts, checkPin: createPinCheck(tools) }
  const used = new Map<string, number>()
  const reference = (kind: string): string => {
    const number = (used.get(kind) ?? 0) + 1
    used.set(kind, number)
    return `${kind}-${String(number).padStart(5, '0')}`
  }
  const as = (by?: DemoMember): MerchantCaller =>
    by === undefined ? shop : { ...shop, keyId: by.id, memberId: by.id, role: by.role }

  async function issue(
    by: DemoMember | undefined,
    currency: string,
    face: number,
    terms: Partial<Pick<Issue, 'recipient' | 'gift' | 'lockPin'>> = {},
  ): Promise<Card> {
    const ask = {
      amount: toText(face),
      currency,
      reference: reference('VOUCHER'),
      ...terms,
    } as const
    const { voucher, code } = issued(await issueFromBalance(tools, as(by), ask))
    return { id: voucher.id, code, currency, face, left: face, endsMs: Infinity }
  }

  /** The order; a worker makes them. Then they can be handed out. */
  async function orderBatch(by: DemoMember, size: number, face: number, endsMs?: number) {
    const expires = endsMs === undefined ? {} : { expires: toDate(endsMs) }
    const ask = { amount: toText(face), currency: 'USD', size, reference: reference('BATCH'), ...expires }
    const paid = await createBatch(tools, as(by), ask)
    if ('pending' in paid) throw new Error('A batch of the demo waits.')
    const { batch } = paid
    return async (): Promise<Card[]> => {
      const { vouchers } = await exportBatch(peopleTools, as(by), batch.id)
      return vouchers.map(({ code }) => ({
        id: '',
        code,
        currency: 'USD',
        face,
        left: face,
        endsMs: endsMs ?? Infinity,
      }))
    }
  }

  async function sell(by: DemoMember | undefined, card: Card, wanted: number, note: string): Promise<Sale> {
    // Almost all of it is all of it: what charges would leave is of no use to anybody.
    const amount = wanted > card.left * 0.85 ? 'max' : toText(wanted)
    const name = reference(by === undefined ? 'WEB' : 'SALE')
    const ask = { code: readCode(card.code), amount, reference: name, metadata: JSON.stringify({ note }) }
    const redeemed = await redeemVoucher(redeemTools, as(by), ask)
    card.left -= Number(redeemed.amount.minor + redeemed.charge.minor)
    return { reference: name, amount: Number(redeemed.amount.minor), card }
  }

  async function giveBack(by: DemoMember, sale: Sale, part: number | undefined, reason: string): Promise<void> {
    const amount = part === undefined ? undefined : toText(part)
    await refund(tools, as(by), { reference: sale.reference, refundReference: reference('REFUND'), amount, reason })
    sale.card.left += part ?? sale.amount
  }

  async function askToPay(
    by: DemoMember,
    person: Person,
    money: { readonly amount: number; readonly note: string },
    end: 'pays' | 'declines' | 'sleeps',
  ): Promise<void> {
    const { note } = money
    const ask = { amount: toText(money.amount), currency: 'USD', identifier: person.email, note }
    const metadata = JSON.stringify({ note })
    const asked = await requestPayment(tools, as(by), { ...ask, metadata, reference: reference('PAY') })
    const { journalId: id } = asked
    if (end === 'pays') await authorisePayment(peopleTools, { person, isSandbox: true }, 'test', { id })
    if (end === 'declines') await declinePayment(peopleTools, person.id, id, false)
  }

  async function payPerson(by: DemoMember, { email: identifier }: Person, amount: number, metadata: string) {
    const name = reference('PAYOUT')
    const money = { amount: toText(amount), from: 'USD', to: 'USD' }
    await payOut(tools, as(by), { ...money, identifier, network: undefined, metadata, reference: name })
    return name
  }

  /** A payout that two people have to stand behind. The limit is for this one: the sandbox of the demo shop has no waits. */
  async function payWithApproval(by: DemoMember, person: Person, amount: number, metadata: string): Promise<string> {
    const limit = (approvalAbove: bigint | null): Promise<void> =>
      withEnvironment(pool, environmentId, (tx) =>
        saveRules(tx, environmentId, { approvalAbove, daily: null, newRecipientHours: 0 }),
      )
    await limit(0n)
    const name = await payPerson(by, person, amount, metadata)
    await limit(null)
    return name
  }

  /** Five in a row: after those its pin is locked for a quarter of an hour. */
  async function guessPin(card: Card): Promise<void> {
    for (let i = 0; i < 5; i++) {
      const lockPin = String(randomInt(5_000, 10_000))
      const ask = { code: readCode(card.code), amount: '5.00', lockPin, metadata: '', reference: reference('WEB') }
      await redeemVoucher(redeemTools, shop, ask).catch((error: unknown) => {
        if (!hasCode(error, 'VOUCHER_PIN_WRONG')) throw error
      })
    }
  }

  async function replace(by: DemoMember, card: Card): Promise<Card> {
    const ask = { id: card.id, reference: reference('REPLACED'), lockPin: undefined }
    const { voucher, code } = issued(await replaceVoucher(tools, as(by), ask))
    return { ...card, id: voucher.id, code, left: Number(voucher.balance) }
  }

  async function takeInvoice(fullName: string, description: string, total: number): Promise<string> {
    const from = { fullName, email: `${fullName.toLowerCase().replaceAll(' ', '.')}@bills.example` }
    const items = [{ description, quantity: '1', unitPrice: toText(total) }]
    const nowMs = clock().getTime()
    const dates = { invoiceDate: toDate(nowMs), dueDate: toDate(nowMs + 14 * settingsMs) }
    const terms = { merchantCode: 'DEMOSHOP', currency: 'USD', network: undefined }
    return submitInvoice(tools, shop, { ...terms, ...dates, ...from, items })
  }

  /** Nobody listens there, as the test button shows. */
  async function addDeadEndpoint(): Promise<void> {
    const terms = {
      url: 'http://127.0.0.1:9/scrip',
      description: 'The old bookkeeping',
      eventTypes: ['refund.completed'],
    }
    const { endpoint } = await createEndpoint(peopleTools, shop, terms)
    await testEndpoint(peopleTools, shop, endpoint.id)
  }

  return {
    issue,
    orderBatch,
    sell,
    giveBack,
    askToPay,
    payPerson,
    payWithApproval,
    guessPin,
    replace,
    takeInvoice,
    addDeadEndpoint,
    approvePayout: (by: DemoMember, name: string) =>
      approveOutflow({ ...tools, senders: createSenders(tools) }, as(by), { reference: name }),
    withdrawPayout: (name: string) => cancelOutflow(tools, environmentId, { reference: name }, 'withdrawn'),
    payInvoice: (id: string) => approveInvoice(tools, shop, id, false),
    block: ({ id }: Card) => blockVoucher(tools, environmentId, { id, isBlocked: true }),
    /** The holder has brought it along. */
    cancel: (by: DemoMember, { id, code: voucherCode }: Card, reason: string) =>
      cancelVoucher(redeemTools, as(by), { id, voucherCode, lockPin: undefined, reason }),
    fund: (currency: string, amount: number) => {
      const money = { account: 'balance', currency, amount: toText(amount) } as const
      return fundMerchant(tools, shop, { ...money, reference: reference('BANK') })
    },
    fundPerson: (person: Person, amount: number) => {
      const money = { currency: 'USD', amount: toText(amount), reference: reference('TRANSFER') }
      return fundWallet(tools, person, 'test', money)
    },
  }
}

function issued(requested: RequestedVoucher) {
  if ('pending' in requested) throw new Error('A voucher of the demo waits.')
  return requested
}
