import { systemRandom } from './base/random.ts'
import { registerBatchRoutes } from './vouchers/batch/routes.ts'
import { registerChargeRoutes } from './catalogue/charge/routes.ts'
import { registerCurrencyRoutes } from './catalogue/currency/routes.ts'
import { createLogoUrl } from './catalogue/currency/to-wire.ts'
import { registerCustomerRoutes } from './identity/customer/routes.ts'
import { registerAuditRoutes } from './reporting/audit-routes.ts'
import { registerCustomerExport } from './reporting/customer-export.ts'
import { registerIssuedRoutes } from './reporting/issued-routes.ts'
import { registerRequestLogRoutes } from './reporting/request-log/routes.ts'
import { registerAccountingRoutes } from './reporting/accounting/routes.ts'
import { registerPayoutResults } from './reporting/payout-routes.ts'
import { registerRequestLists } from './reporting/requests-routes.ts'
import { registerDashboardRoutes } from './reporting/routes.ts'
import { registerSalesReport } from './reporting/sales-routes.ts'
import { registerTillRoutes } from './reporting/till-routes.ts'
import { registerDepositRoutes } from './payments/deposit/routes.ts'
import { registerDepositSettings } from './payments/deposit/settings-routes.ts'
import { registerDepositWalletRoutes } from './payments/deposit/wallet-routes.ts'
import { registerEventRoutes } from './messaging/event/routes.ts'
import { registerStaffEventRoutes } from './messaging/event/staff-routes.ts'
import { registerWebhookRoutes } from './messaging/event/webhook-routes.ts'
import { registerHoldRoutes } from './vouchers/hold/routes.ts'
import { registerHolderRedemptionRoutes } from './vouchers/holder/redemption-routes.ts'
import { registerHolderRoutes } from './vouchers/holder/routes.ts'
import { registerHolderWalletRoutes } from './vouchers/holder/wallet-routes.ts'
import type { FindPlatformMerchant } from './http/caller.ts'
import type { Server } from './http/server.ts'
import { registerInvoiceRoutes } from './billing/invoice/routes.ts'
import { registerBrandRoutes } from './identity/merchant/brand-routes.ts'
import { registerKeyRoutes } from './identity/merchant/key-routes.ts'
import { registerMemberRoutes } from './identity/merchant/member-routes.ts'
import { registerSettingsRoutes } from './identity/merchant/settings-routes.ts'
import { joinMerchant } from './identity/merchant/members.ts'
import { registerMerchantRoutes } from './identity/merchant/routes.ts'
import { registerOutflowRoutes } from './payments/outflow/routes.ts'
import { registerPaymentRoutes } from './payments/request/routes.ts'
import { registerPayoutBatchRoutes } from './payments/payout-batch/routes.ts'
import { registerPayoutRoutes } from './payments/payout/routes.ts'
import { registerPublicClaims } from './public-claims.ts'
import { registerPushRoutes } from './messaging/push/routes.ts'
import type { Vapid } from './messaging/push/vapid.ts'
import { registerRefundRoutes } from './billing/refund/routes.ts'
import { createSenders } from './senders.ts'
import type { Services } from './services.ts'
import { registerTransactionRoutes } from './payments/transaction/routes.ts'
import type { LoadAuth } from './identity/user/load-auth.ts'
import { createDevices } from './identity/user/device.ts'
import type { Join } from './identity/user/links.ts'
import { registerOperatorRoutes } from './identity/user/operator-routes.ts'
import { createDailyQuota, createUserLookupQuota } from './identity/user/quota.ts'
import { registerUserRoutes } from './identity/user/routes.ts'
import { createCheckCode, createConfirmOwner } from './identity/user/second-factor.ts'
import type { ReadSession } from './identity/user/session.ts'
import type { Realm } from './identity/user/store.ts'
import { registerLifecycleRoutes } from './vouchers/lifecycle/routes.ts'
import { createFindFacts } from './vouchers/redeem/facts.ts'
import { createGuessLimit } from './vouchers/code/guess-limit.ts'
import { createPinCheck } from './vouchers/redeem/pin.ts'
import { registerRedeemRoutes } from './vouchers/redeem/routes.ts'
import { registerRegisterRoutes } from './vouchers/register/routes.ts'
import { registerSaleRoutes } from './vouchers/sale/routes.ts'
import { registerIssueRoutes } from './vouchers/voucher/routes.ts'
import { registerWalletRoutes } from './payments/wallet/routes.ts'

// Other users that one user may look up per day.
const lookupsPerDay = 100

type RouteTools = {
  readonly auths: Readonly<Record<Realm, LoadAuth>>
  readonly readSession: ReadSession
  readonly findPlatformMerchant: FindPlatformMerchant
  readonly vapid: Vapid
  /** How long currencies and fee rules are cached. */
  readonly settingsMs: number
}

/** Registers the endpoints of all features, in the order of the API reference. */
export function registerRoutes(
  server: Server,
  services: Services,
  { auths, readSession, findPlatformMerchant, vapid, settingsMs }: RouteTools,
): void {
  const { config, clock, newId, pool, visitorPool, ledger, keyRing, live, liveUsers } = services
  const { endWithCredential, limits, printer } = services
  const { publicUrl, platformName } = config
  const { createLimit } = limits
  const issueTools = { pool, ledger, clock, newId, random: systemRandom, keyRing }
  const logoUrl = createLogoUrl(publicUrl)
  registerPublicClaims(server, { ...issueTools, seals: keyRing })
  const findFacts = createFindFacts({ pool, clock, keyRing, settingsMs })
  // One limit for all endpoints that take a code.
  const limitGuesses = createGuessLimit(createLimit)
  const checkPin = createPinCheck({ pool, clock, newId, keyRing })
  const userTools = { ...issueTools, seals: keyRing }
  const join: Join = (tx, userId, merchantId, role) => joinMerchant(tx, userId, merchantId, role, clock())
  const devices = createDevices(config.keyRing, systemRandom, publicUrl.startsWith('https:'))
  const checkCode = createCheckCode(createLimit)
  registerUserRoutes(server, { ...userTools, publicUrl, auths, readSession, devices, checkCode, join, createLimit })
  registerOperatorRoutes(server, userTools)
  const confirmOwner = createConfirmOwner({ ...userTools, staff: auths.staff, checkCode })
  registerKeyRoutes(server, { ...issueTools, pepper: config.keyPeppers[0], confirmOwner })
  registerMemberRoutes(server, { ...userTools, confirmOwner, createLimit })
  registerSettingsRoutes(server, { pool, confirmOwner })
  registerCurrencyRoutes(server, { db: pool, logoUrl, nodes: config.chainNodes })
  registerMerchantRoutes(server, { pool, clock, logoUrl })
  const countUser = createDailyQuota(createLimit, 'people', lookupsPerDay)
  registerWalletRoutes(server, { ...userTools, countUser, liveUsers, endWithCredential })
  registerChargeRoutes(server, { pool, clock })
  registerBrandRoutes(server, { pool, visitorPool, createLimit })
  const countUserLookups = createUserLookupQuota(createLimit)
  registerPaymentRoutes(server, { ...userTools, countUserLookups, publicUrl })
  registerPayoutRoutes(server, { ...userTools, countUserLookups })
  registerPayoutBatchRoutes(server, { ...userTools, countUserLookups })
  const senders = createSenders(issueTools)
  registerOutflowRoutes(server, { ...userTools, senders, confirmOwner })
  registerCustomerRoutes(server, { pool, clock, newId })
  registerTransactionRoutes(server, { pool, clock, newId, logoUrl, platformName })
  const redeemTools = { ...userTools, findFacts, checkPin, nodes: config.chainNodes }
  registerRedeemRoutes(server, { ...redeemTools, limitGuesses, logoUrl, publicUrl })
  registerHoldRoutes(server, { ...redeemTools, limitGuesses, publicUrl })
  registerIssueRoutes(server, { ...issueTools, logoUrl, countUserLookups })
  registerBatchRoutes(server, { ...issueTools, publicUrl, printer, countUserLookups })
  registerLifecycleRoutes(server, { ...issueTools, checkPin, logoUrl })
  registerRegisterRoutes(server, { pool, clock, newId })
  registerSaleRoutes(server, { ...issueTools, checkPin, logoUrl, confirmOwner, limitGuesses, countUserLookups })
  registerRefundRoutes(server, { ...userTools, countUserLookups, publicUrl })
  registerInvoiceRoutes(server, { ...issueTools, visitorPool, logoUrl, printer, createLimit })
  const depositTools = { ...issueTools, nodes: config.chainNodes }
  registerDepositWalletRoutes(server, { ...depositTools, findPlatformMerchant })
  registerDepositRoutes(server, { ...depositTools, logoUrl, createLimit })
  registerDepositSettings(server, depositTools)
  registerEventRoutes(server, { pool, live, endWithCredential })
  const webhookTools = { pool, clock, newId, random: systemRandom, seals: keyRing, networks: config.webhookNetworks }
  registerWebhookRoutes(server, webhookTools)
  registerStaffEventRoutes(server, { pool, clock })
  registerPushRoutes(server, { ...webhookTools, vapid })
  registerHolderWalletRoutes(server, { ...redeemTools, findPlatformMerchant, limitGuesses, countUser })
  registerHolderRoutes(server, { pool: visitorPool, clock, keyRing, checkPin, limitGuesses, platformName, live })
  registerHolderRedemptionRoutes(server, { ...redeemTools, findPlatformMerchant, limitGuesses })
  registerDashboardRoutes(server, { pool, clock, live, endWithCredential })
  registerPayoutResults(server, { pool })
  registerRequestLists(server, { pool, publicUrl })
  registerIssuedRoutes(server, issueTools)
  registerAuditRoutes(server, { pool })
  registerCustomerExport(server, { pool })
  registerSalesReport(server, { pool, clock })
  registerAccountingRoutes(server, { pool, clock })
  registerTillRoutes(server, { ...issueTools, auth: auths.staff })
  registerRequestLogRoutes(server, { pool, clock })
}
