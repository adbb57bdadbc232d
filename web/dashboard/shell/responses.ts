import type {
  WireFees,
  WireLiability,
  WireNumbers,
  WireStatement,
  WireTotals,
} from '../../../server/src/reporting/accounting/wire.ts'
import type { WireBatch, WireBatches, WireImport, WireTrial } from '../../../server/src/vouchers/batch/wire.ts'
import type {
  SupportedCurrencies as WireSupportedCurrencies,
  SupportedCurrency as WireSupportedCurrency,
  SupportedNetwork as WireSupportedNetwork,
} from '../../../server/src/catalogue/currency/wire.ts'
import type { WireAuditEntry, WireAuditLog } from '../../../server/src/reporting/audit-wire.ts'
import type {
  IssuedState,
  WireActivity,
  WireCashier,
  WireCountRow,
  WireDayCount,
  WireDayFigure,
  WireFigure,
  WireHome,
  WireIssued,
  WireIssuedDetail,
  WireIssuedPage,
  WireJournal,
  WireMemberNames,
  WireParty,
  WirePayment,
  WirePaymentDetail,
  WirePaymentEvent,
  WirePayments,
  WireSalesReport,
  WireTenderCount,
  WireTill,
} from '../../../server/src/reporting/wire.ts'
import type {
  WireAttempt,
  WireDelivery,
  WireEndpoint,
  WireEventDetail,
  WireEventTypes,
  WireHealth,
  WireHealths,
  WireListedEvents,
} from '../../../server/src/messaging/event/wire.ts'
import type {
  WireChecklist,
  WireLoggedRequest,
  WireLoggedRequestDetail,
  WireLoggedRequests,
} from '../../../server/src/reporting/request-log/wire.ts'
import type { Read } from '../../../server/src/http/schema.ts'
import type {
  WireKey,
  WireKeys,
  WireMadeKey,
  WireRole,
  WireShop,
  WireMemberSessions,
  WireSettings,
  WireTeam,
  WireWorkplace,
  WireWorkplaces,
} from '../../../server/src/identity/merchant/wire.ts'
import type {
  WireOutflow,
  WireOutflowLimits,
  WireOutflows,
  WirePending,
} from '../../../server/src/payments/outflow/wire.ts'
import type {
  WireCustomerImport,
  WireCustomerList,
  WireOneCustomer,
} from '../../../server/src/identity/customer/wire.ts'
import type {
  WireListedInvoice,
  WireListedInvoices,
  WireReviewedInvoice,
} from '../../../server/src/billing/invoice/staff-wire.ts'
import type { WireAsked, WireAskedPage } from '../../../server/src/reporting/requests-wire.ts'
import type { WireCase, WireCaseDetail, WireCases } from '../../../server/src/payments/deposit/wire.ts'
import type { WirePayoutPreview } from '../../../server/src/payments/payout/wire.ts'
import type {
  WirePayoutBatch,
  WirePayoutBatches,
  WirePayoutCheck,
  WirePayoutFile,
  WirePayoutRow,
  WirePayoutRows,
} from '../../../server/src/payments/payout-batch/wire.ts'
import type { WireRefund } from '../../../server/src/billing/refund/wire.ts'
import type { WireTransaction } from '../../../server/src/payments/transaction/wire.ts'
import type {
  RevealedCode,
  ShownOnchain,
  ShownPayout,
  WirePriced,
  WireQuote,
  WireRedeemed,
  WireVoucher,
} from '../../../server/src/vouchers/voucher/wire.ts'
import type { WireLocation, WireShift } from '../../../server/src/vouchers/register/wire.ts'
import type {
  Tender as WireTender,
  WireCashBackOffer,
  WireSale,
  WireSaleLimits,
  WireSales,
  WireSold,
  WireStoreVoucher,
} from '../../../server/src/vouchers/sale/wire.ts'
import type { WireMe } from '../../../server/src/identity/user/wire.ts'

export type Role = WireRole

export type Person = Read<WireMe>

export type Merchant = Read<WireWorkplace>
export type Merchants = Read<WireWorkplaces>
export type Team = Read<WireTeam>
export type TeamMember = Team['members'][number]
export type Invitation = Team['invitations'][number]
export type MemberSessions = Read<WireMemberSessions>
/** The shop as its customers see it. */
export type Brand = Read<WireShop>

export type SupportedCurrency = Read<WireSupportedCurrency>
export type SupportedCurrencies = Read<WireSupportedCurrencies>
/** A network and the currencies in which it can hold vouchers. */
export type SupportedNetwork = Read<WireSupportedNetwork>

export type Payment = Read<WirePayment>
export type Payments = Read<WirePayments>
export type PaymentEvent = Read<WirePaymentEvent>
/** An account: the name is the end of a voucher's code, or a user's name. */
export type Party = Read<WireParty>
export type Journal = Read<WireJournal>
/** A redemption that pays on a network. */
export type Payout = Read<ShownPayout>
export type OnePayment = Read<WirePaymentDetail>
/** A payment as the merchant API shows it. */
export type Transaction = Read<WireTransaction>
/** The staff members by whom payments can be filtered. */
export type Members = Read<WireMemberNames>

export type VoucherState = IssuedState
/** Where the value of an onchain voucher is. */
export type Onchain = Read<ShownOnchain>
export type IssuedVoucher = Read<WireIssued>
export type IssuedVouchers = Read<WireIssuedPage>
export type ActivityEntry = Read<WireActivity>
export type OneIssued = Read<WireIssuedDetail>
export type Revealed = Read<RevealedCode>

export type Batch = Read<WireBatch>
export type Batches = Read<WireBatches>
/** The server's check of a file, which imports nothing. */
export type Trial = Read<WireTrial>
export type Imported = Read<WireImport>

/** A voucher as shown to a holder of its code. */
export type ShownVoucher = Read<WireVoucher>
export type Quote = Read<WireQuote>
export type Priced = Read<WirePriced>
export type Redeemed = Read<WireRedeemed>
/** A refund, or the request for one that waits for approval. */
export type Refunded = Read<WireRefund> | PendingOutflow

export type Moved = Read<WireFigure>
export type DayMoved = Read<WireDayFigure>
export type HomeSummary = Read<WireHome>
export type CountRow = Read<WireCountRow>
export type DayCount = Read<WireDayCount>
export type Cashier = Read<WireCashier>
export type AtTill = Read<WireTill>

export type Outflow = Read<WireOutflow>
export type Outflows = Read<WireOutflows>
/** The server's response instead of a voucher or a batch that waits for approval. */
export type PendingOutflow = Read<WirePending>
export type OutflowLimits = Read<WireOutflowLimits>

/** What a payout would do. */
export type PayoutPreview = Read<WirePayoutPreview>
export type PayoutFile = Read<WirePayoutBatch>
export type PayoutFiles = Read<WirePayoutBatches>
export type PayoutRow = Read<WirePayoutRow>
export type PayoutRows = Read<WirePayoutRows>
export type PayoutCheck = Read<WirePayoutCheck>
/** The check of a file, or the file that was submitted. */
export type CheckedPayouts = Read<WirePayoutFile>

/** A crypto payment that does not match its request. */
export type DepositCase = Read<WireCase>
export type DepositCases = Read<WireCases>
export type OneDepositCase = Read<WireCaseDetail>

export type AskedPayment = Read<WireAsked>
export type AskedPayments = Read<WireAskedPage>

export type Tender = WireTender
export type VoucherSale = Read<WireSale>
export type VoucherSales = Read<WireSales>
/** A sale with its voucher as it is now. */
export type SoldVoucher = Read<WireSold>
/** A scanned voucher of the shop, also a card that was not sold yet. */
export type StoreVoucher = Read<WireStoreVoucher>
export type CashBackOffer = Read<WireCashBackOffer>
export type SaleLimits = Read<WireSaleLimits>
export type Location = Read<WireLocation>
export type Shift = Read<WireShift>
export type SalesReport = Read<WireSalesReport>
export type TenderCount = Read<WireTenderCount>

export type ApiKey = Read<WireKey>
export type ApiKeys = Read<WireKeys>
export type MadeKey = Read<WireMadeKey>

export type Endpoint = Read<WireEndpoint>
/** How the deliveries of an endpoint went in the last 24 hours. */
export type Health = Read<WireHealth>
export type Healths = Read<WireHealths>
export type Delivery = Read<WireDelivery>
export type Deliveries = { readonly deliveries: readonly Delivery[]; readonly nextCursor: string }
export type OneDelivery = { readonly delivery: Delivery; readonly attempts: readonly Read<WireAttempt>[] }
export type ListedEvents = Read<WireListedEvents>
export type OneEvent = Read<WireEventDetail>
export type EventTypes = Read<WireEventTypes>

/** A request with an API key. */
export type LoggedRequest = Read<WireLoggedRequest>
export type LoggedRequests = Read<WireLoggedRequests>
export type OneRequest = Read<WireLoggedRequestDetail>
export type Checklist = Read<WireChecklist>

export type ListedInvoice = Read<WireListedInvoice>
export type ListedInvoices = Read<WireListedInvoices>
export type ReviewedInvoice = Read<WireReviewedInvoice>
export type InvoiceState = ListedInvoice['state']

export type Customer = Read<WireOneCustomer>
export type Customers = Read<WireCustomerList>
export type CustomerImport = Read<WireCustomerImport>

export type Settings = Read<WireSettings>
/** What a redemption costs the shop. */
export type FeeSettings = {
  readonly redeemChargesFixRate: string
  readonly redeemChargesPercentage: string
  readonly redeemChargesPercentageDiscount: string
  readonly takeChargesFromWallet: boolean
}

export type LiabilityReport = Read<WireLiability>
/** What one kind of vouchers in one currency is worth. */
export type Liability = LiabilityReport['liabilities'][number]
export type Statement = Read<WireStatement>
export type FeeReport = Read<WireFees>
export type AccountTotals = Read<WireTotals>
export type AccountNumbers = Read<WireNumbers>

export type AuditEntry = Read<WireAuditEntry>
export type AuditLog = Read<WireAuditLog>
