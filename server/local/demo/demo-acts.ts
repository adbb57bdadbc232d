// What staff and customers do in the demo shop, each through the platform's own use cases.
import { randomInt } from 'node:crypto'
import { withEnvironment } from '../../src/base/environment.ts'
import { hasCode } from '../../src/base/errors.ts'
import { blockVoucher } from '../../src/vouchers/lifecycle/block.ts'
import { cancelVoucher } from '../../src/vouchers/lifecycle/cancel.ts'
import { replaceVoucher } from '../../src/vouchers/lifecycle/replace.ts'
import { exportBatch } from '../../src/vouchers/batch/export.ts'
import { createBatch } from '../../src/vouchers/batch/pay-batch.ts'
import type { Config } from '../../src/config.ts'
import { createEndpoint, testEndpoint } from '../../src/messaging/event/endpoints.ts'
import type { MerchantCaller, Role } from '../../src/http/caller.ts'
import { approveInvoice } from '../../src/billing/invoice/decide.ts'
import { submitInvoice } from '../../src/billing/invoice/submit.ts'
import { fundMerchant } from '../../src/identity/merchant/fund.ts'
import { authorisePayment, declinePayment } from '../../src/payments/request/answer-payment.ts'
import { requestPayment } from '../../src/payments/request/request-payment.ts'
import { approveOutflow, cancelOutflow } from '../../src/payments/outflow/finish.ts'
import { saveRules } from '../../src/payments/outflow/store.ts'
import { payOut } from '../../src/payments/payout/pay-out.ts'
import { refund } from '../../src/billing/refund/refund.ts'
import type { User } from '../../src/identity/user/store.ts'
import { readCode } from '../../src/vouchers/code/code.ts'
import { createFindFacts } from '../../src/vouchers/redeem/facts.ts'
import { createSenders } from '../../src/senders.ts'
import {
  type Issue,
  type Issued,
  issueFromBalance,
  type IssueTools,
  type RequestedVoucher,
} from '../../src/vouchers/voucher/issue.ts'
import type { KeyRing } from '../../src/vouchers/code/key-ring.ts'
import { createPinCheck } from '../../src/vouchers/redeem/pin.ts'
import { redeemVoucher } from '../../src/vouchers/redeem/redeem.ts'
import { fundWallet } from '../../src/payments/wallet/fund.ts'

export type DemoMember = { readonly id: string; readonly role: Role }

/** The demo platform and shop. The shop acts with its secret key unless a staff member acts. */
export type DemoStage = {
  readonly config: Config
  readonly tools: IssueTools & { readonly keyRing: KeyRing }
  readonly shop: MerchantCaller
}

/** A customer's voucher. Amounts are in minor units. */
export type Card = {
  /** Empty for vouchers of a batch, which are identified by their codes. */
  readonly id: string
  readonly code: string
  readonly currency: string
  readonly face: number
  readonly endsMs: number
  left: number
}
export type Sale = { readonly reference: string; readonly amount: number; readonly card: Card }
export type Acts = VoucherActs & LifecycleActs & PaymentActs & ShopActs
type VoucherActs = ReturnType<typeof createVoucherActs>
type LifecycleActs = ReturnType<typeof createLifecycleActs>
type PaymentActs = ReturnType<typeof createPaymentActs>
type ShopActs = ReturnType<typeof createShopActs>

const dayMs = 24 * 60 * 60 * 1_000
const toText = (minor: number): string => (minor / 100).toFixed(2)
const toDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export function createActs(stage: DemoStage): Acts {
  const context = openContext(stage)
  return {
    ...createVoucherActs(context),
    ...createLifecycleActs(context),
    ...createPaymentActs(context),
    ...createShopActs(context),
  }
}

type Context = ReturnType<typeof openContext>

function openContext({ config, tools, shop }: DemoStage) {
  const { keyRing } = tools
  const numbers = new Map<string, number>()
  return {
    tools,
    shop,
    peopleTools: { ...tools, seals: keyRing, networks: config.webhookNetworks, publicUrl: config.publicUrl },
    redeemTools: {
      ...tools,
      findFacts: createFindFacts({ ...tools, settingsMs: dayMs }),
      checkPin: createPinCheck(tools),
      nodes: {},
    },
    /** The next reference of a kind, such as SALE-00001. */
    reference: (kind: string): string => {
      const number = (numbers.get(kind) ?? 0) + 1
      numbers.set(kind, number)
      return `${kind}-${String(number).padStart(5, '0')}`
    },
    as: (by?: DemoMember): MerchantCaller =>
      by === undefined ? shop : { ...shop, keyId: by.id, memberId: by.id, role: by.role },
  }
}

type IssueTerms = Partial<Pick<Issue, 'recipient' | 'gift' | 'lockPin'>>

function createVoucherActs({ tools, peopleTools, redeemTools, reference, as }: Context) {
  return {
    async issue(by: DemoMember | undefined, currency: string, face: number, terms: IssueTerms = {}): Promise<Card> {
      const input = { amount: toText(face), currency, reference: reference('VOUCHER'), ...terms }
      const { voucher, code } = issued(await issueFromBalance(tools, as(by), input))
      return { id: voucher.id, code, currency, face, left: face, endsMs: Infinity }
    },

    /** Orders a batch, which a worker then issues. The returned function exports its vouchers. */
    async orderBatch(by: DemoMember, size: number, face: number, endsMs?: number): Promise<() => Promise<Card[]>> {
      const expires = endsMs === undefined ? {} : { expires: toDate(endsMs) }
      const input = { amount: toText(face), currency: 'USD', size, reference: reference('BATCH'), ...expires }
      const paid = await createBatch(tools, as(by), input)
      if ('pending' in paid) throw new Error('A batch of the demo needs approval.')
      return async () => {
        const { vouchers } = await exportBatch(peopleTools, as(by), paid.batch.id)
        const card = { id: '', currency: 'USD', face, left: face, endsMs: endsMs ?? Infinity }
        return vouchers.map(({ code }) => ({ ...card, code }))
      }
    },

    async sell(by: DemoMember | undefined, card: Card, wanted: number, note: string): Promise<Sale> {
      // A sale of almost the whole balance takes all of it: the rest after the fee would be too small to use.
      const amount = wanted > card.left * 0.85 ? 'max' : toText(wanted)
      const name = reference(by === undefined ? 'WEB' : 'SALE')
      const input = { code: readCode(card.code), amount, reference: name, metadata: JSON.stringify({ note }) }
      const redeemed = await redeemVoucher(redeemTools, as(by), input)
      card.left -= Number(redeemed.amount.minor + redeemed.charge.minor)
      return { reference: name, amount: Number(redeemed.amount.minor), card }
    },

    /** Refunds a sale in full, or `part` of it. */
    async giveBack(by: DemoMember, sale: Sale, part: number | undefined, reason: string): Promise<void> {
      const amount = part === undefined ? undefined : toText(part)
      await refund(tools, as(by), { reference: sale.reference, refundReference: reference('REFUND'), amount, reason })
      sale.card.left += part ?? sale.amount
    },
  }
}

function createLifecycleActs({ tools, redeemTools, shop, reference, as }: Context) {
  const { environmentId } = shop
  return {
    /** Five wrong PINs in a row, which lock the voucher for 15 minutes. */
    async guessPin(card: Card): Promise<void> {
      for (let i = 0; i < 5; i++) {
        const lockPin = String(randomInt(5_000, 10_000))
        const input = { code: readCode(card.code), amount: '5.00', lockPin, metadata: '', reference: reference('WEB') }
        await redeemVoucher(redeemTools, shop, input).catch((error: unknown) => {
          if (!hasCode(error, 'VOUCHER_PIN_WRONG')) throw error
        })
      }
    },

    async replace(by: DemoMember, card: Card): Promise<Card> {
      const input = { id: card.id, reference: reference('REPLACED'), lockPin: undefined }
      const { voucher, code } = issued(await replaceVoucher(tools, as(by), input))
      return { ...card, id: voucher.id, code, left: Number(voucher.balance) }
    },

    block: ({ id }: Card) => blockVoucher(tools, environmentId, { id, isBlocked: true }),

    /** The customer shows the code. */
    cancel: (by: DemoMember, { id, code: voucherCode }: Card, reason: string) =>
      cancelVoucher(redeemTools, as(by), { id, voucherCode, lockPin: undefined, reason }),
  }
}

function createPaymentActs({ tools, peopleTools, shop, reference, as }: Context) {
  const { environmentId } = shop

  async function payUser(by: DemoMember, { email: identifier }: User, amount: number, metadata: string) {
    const name = reference('PAYOUT')
    const money = { amount: toText(amount), from: 'USD', to: 'USD' }
    await payOut(tools, as(by), { ...money, identifier, network: undefined, metadata, reference: name })
    return name
  }
  const limitPayouts = (approvalAbove: bigint | null): Promise<void> =>
    withEnvironment(tools.pool, environmentId, (tx) =>
      saveRules(tx, environmentId, { approvalAbove, daily: null, newRecipientHours: 0 }),
    )

  return {
    payUser,

    async requestPayment(
      by: DemoMember,
      user: User,
      { amount, note }: { readonly amount: number; readonly note: string },
      end: 'pays' | 'declines' | 'ignores',
    ): Promise<void> {
      const input = { amount: toText(amount), currency: 'USD', identifier: user.email, note }
      const metadata = JSON.stringify({ note })
      const requested = await requestPayment(tools, as(by), { ...input, metadata, reference: reference('PAY') })
      const { journalId: id } = requested
      if (end === 'pays') await authorisePayment(peopleTools, { user, isSandbox: true }, 'test', { id })
      if (end === 'declines') await declinePayment(peopleTools, user.id, id, false)
    },

    /** A payout that needs a second approval. The limit applies to this payout only: otherwise the demo shop has none. */
    async payWithApproval(by: DemoMember, user: User, amount: number, metadata: string): Promise<string> {
      await limitPayouts(0n)
      const name = await payUser(by, user, amount, metadata)
      await limitPayouts(null)
      return name
    },

    approvePayout: (by: DemoMember, name: string) =>
      approveOutflow({ ...tools, senders: createSenders(tools) }, as(by), { reference: name }),
    withdrawPayout: (name: string) => cancelOutflow(tools, environmentId, { reference: name }, 'withdrawn'),

    fundUser: (user: User, amount: number) => {
      const money = { currency: 'USD', amount: toText(amount), reference: reference('TRANSFER') }
      return fundWallet(tools, user, 'test', money)
    },
  }
}

function createShopActs({ tools, peopleTools, shop, reference }: Context) {
  return {
    fund: (currency: string, amount: number) => {
      const money = { account: 'balance', currency, amount: toText(amount) } as const
      return fundMerchant(tools, shop, { ...money, reference: reference('BANK') })
    },

    /** A supplier submits an invoice. Returns its ID. */
    async takeInvoice(fullName: string, description: string, total: number): Promise<string> {
      const from = { fullName, email: `${fullName.toLowerCase().replaceAll(' ', '.')}@bills.example` }
      const items = [{ description, quantity: '1', unitPrice: toText(total) }]
      const nowMs = tools.clock().getTime()
      const dates = { invoiceDate: toDate(nowMs), dueDate: toDate(nowMs + 14 * dayMs) }
      const terms = { merchantCode: 'DEMOSHOP', currency: 'USD', network: undefined }
      const { id } = await submitInvoice(tools, shop, { ...terms, ...dates, ...from, items })
      return id
    },

    payInvoice: (id: string) => approveInvoice(tools, shop, id, false),

    /** Adds a webhook endpoint that refuses connections, so that its deliveries fail. */
    async addDeadEndpoint(): Promise<void> {
      const terms = {
        url: 'http://127.0.0.1:9/scrip',
        description: 'The old bookkeeping',
        eventTypes: ['refund.completed'],
      }
      const { endpoint } = await createEndpoint(peopleTools, shop, terms)
      await testEndpoint(peopleTools, shop, endpoint.id)
    },
  }
}

function issued(requested: RequestedVoucher): Issued {
  if ('pending' in requested) throw new Error('A voucher of the demo needs approval.')
  return requested
}
