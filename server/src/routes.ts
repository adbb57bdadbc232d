import { systemRandom } from './base/random.ts'
import { registerBatchRoutes } from './batch/routes.ts'
import { registerChargeRoutes } from './charge/routes.ts'
import { registerCurrencyRoutes } from './currency/routes.ts'
import { createLogoUrl } from './currency/to-wire.ts'
import { registerCustomerRoutes } from './customer/routes.ts'
import { registerIssuedRoutes } from './dashboard/issued-routes.ts'
import { registerDashboardRoutes } from './dashboard/routes.ts'
import { registerTillRoutes } from './dashboard/till-routes.ts'
import { registerDepositRoutes } from './deposit/routes.ts'
import { registerDepositSettings } from './deposit/settings-routes.ts'
import { registerDepositWalletRoutes } from './deposit/wallet-routes.ts'
import { registerEventRoutes } from './event/routes.ts'
import { registerWebhookRoutes } from './event/webhook-routes.ts'
import { registerHolderRedemptionRoutes } from './holder/redemption-routes.ts'
import { registerHolderRoutes } from './holder/routes.ts'
import { registerHolderWalletRoutes } from './holder/wallet-routes.ts'
import type { Server } from './http/server.ts'
import { registerInvoiceRoutes } from './invoice/routes.ts'
import { registerMemberRoutes } from './merchant/member-routes.ts'
import { joinMerchant } from './merchant/members.ts'
import type { FindPlatformMerchant } from './merchant/platform-merchant.ts'
import { registerMerchantRoutes } from './merchant/routes.ts'
import { registerOutflowRoutes } from './outflow/routes.ts'
import { registerPaymentRoutes } from './payment/routes.ts'
import { registerPayoutRoutes } from './payout/routes.ts'
import { registerPublicClaims } from './public-claims.ts'
import { registerPushRoutes } from './push/routes.ts'
import type { Vapid } from './push/vapid.ts'
import { registerRefundRoutes } from './refund/routes.ts'
import { createSenders } from './senders.ts'
import type { Services } from './services.ts'
import { registerTransactionRoutes } from './transaction/routes.ts'
import type { Auth } from './user/auth.ts'
import { createDevices } from './user/device.ts'
import type { Join } from './user/links.ts'
import { registerOperatorRoutes } from './user/operator-routes.ts'
import { createDailyQuota, createUserLookupQuota } from './user/quota.ts'
import { registerUserRoutes } from './user/routes.ts'
import { createCheckCode, createConfirmOwner } from './user/second-factor.ts'
import type { ReadSession } from './user/session.ts'
import type { Realm } from './user/store.ts'
import { registerLifecycleRoutes } from './voucher-lifecycle/routes.ts'
import { createFindFacts } from './voucher/facts.ts'
import { createGuessLimit } from './voucher/guess-limit.ts'
import { createPinCheck } from './voucher/pin.ts'
import { registerVoucherRoutes } from './voucher/routes.ts'
import { registerWalletRoutes } from './wallet/routes.ts'

// Other users that one user may look up per day.
const lookupsPerDay = 100

type RouteTools = {
  readonly auths: Readonly<Record<Realm, Auth>>
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
  registerMemberRoutes(server, { ...userTools, confirmOwner })
  registerCurrencyRoutes(server, { db: pool, logoUrl, nodes: config.chainNodes })
  registerMerchantRoutes(server, { pool, clock, logoUrl })
  const countUser = createDailyQuota(createLimit, 'people', lookupsPerDay)
  registerWalletRoutes(server, { ...userTools, countUser, liveUsers, endWithCredential })
  registerChargeRoutes(server, { pool, clock })
  const countUserLookups = createUserLookupQuota(createLimit)
  registerPaymentRoutes(server, { ...userTools, countUserLookups })
  registerPayoutRoutes(server, { ...userTools, countUserLookups })
  const senders = createSenders(issueTools)
  registerOutflowRoutes(server, { ...userTools, senders, confirmOwner })
  registerCustomerRoutes(server, { pool, clock, newId })
  registerTransactionRoutes(server, { pool, clock, newId, logoUrl, platformName })
  registerVoucherRoutes(server, {
    ...issueTools,
    findFacts,
    checkPin,
    nodes: config.chainNodes,
    limitGuesses,
    logoUrl,
    publicUrl,
  })
  registerBatchRoutes(server, { ...issueTools, publicUrl, printer })
  registerLifecycleRoutes(server, { ...issueTools, checkPin, logoUrl })
  registerRefundRoutes(server, { ...userTools, countUserLookups, publicUrl })
  registerInvoiceRoutes(server, { ...issueTools, visitorPool, logoUrl, printer, createLimit })
  const depositTools = { ...issueTools, nodes: config.chainNodes }
  registerDepositWalletRoutes(server, { ...depositTools, findPlatformMerchant })
  registerDepositRoutes(server, { ...depositTools, logoUrl, createLimit })
  registerDepositSettings(server, depositTools)
  registerEventRoutes(server, { pool, live, endWithCredential })
  const webhookTools = { pool, clock, newId, random: systemRandom, seals: keyRing, networks: config.webhookNetworks }
  registerWebhookRoutes(server, webhookTools)
  registerPushRoutes(server, { ...webhookTools, vapid })
  const redeemTools = { ...userTools, findFacts, checkPin, nodes: config.chainNodes }
  registerHolderWalletRoutes(server, { ...redeemTools, findPlatformMerchant, limitGuesses, countUser })
  registerHolderRoutes(server, { pool: visitorPool, clock, keyRing, checkPin, limitGuesses, platformName, live })
  registerHolderRedemptionRoutes(server, { ...redeemTools, findPlatformMerchant, limitGuesses })
  registerDashboardRoutes(server, { pool, clock, live, endWithCredential })
  registerIssuedRoutes(server, issueTools)
  registerTillRoutes(server, { ...issueTools, auth: auths.staff })
}
