import { passkey } from '@better-auth/passkey'
import { type Auth as BetterAuth, betterAuth, type BetterAuthOptions } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { systemClock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import type { NewId } from '../../base/id.ts'
import { deriveKey, type RingSecret } from '../../base/seal.ts'
import { hashPassword, isPassword, passwordLengthMax, passwordLengthMin } from './password.ts'
import type { Realm } from './store.ts'

// The only file that depends on better-auth. The server exposes only the paths of auth-paths.ts.
export type AuthOptions = {
  readonly pool: Pool
  readonly newId: NewId
  readonly keyRing: readonly RingSecret[]
  readonly publicUrl: string
  readonly platformName: string
}

export type Auth = BetterAuth<ReturnType<typeof authOptions>>

/** A 12-hour session for a cashier with a valid PIN at a merchant's till. Called only by the server: it has no path. */
const till = {
  id: 'till' as const,
  endpoints: {
    beginTill: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { userId: string; tillOf: string } } } },
      async (context) => {
        const { userId, tillOf } = context.body
        const { internalAdapter } = context.context
        const user = await internalAdapter.findUserById(userId)
        const expiresAt = new Date(systemClock().getTime() + staffHours * hour * 1_000)
        const session = await internalAdapter.createSession(userId, true, { tillOf, expiresAt }, true)
        if (user === null || (session as typeof session | null) === null) throw new APIError('UNAUTHORIZED')
        await setSessionCookie(context, { session, user }, true)
      },
    ),
  },
}

const hour = 3_600
const staffHours = 12

/** Staff sessions end 12 hours after sign-in, used or not. Wallet sessions end 30 days after their last use. */
function sessionTimes(realm: Realm): { expiresIn: number; updateAge: number } {
  if (realm === 'staff') return { expiresIn: staffHours * hour, updateAge: staffHours * hour }
  return { expiresIn: 30 * 24 * hour, updateAge: 24 * hour }
}

const times = { createdAt: 'created_at', updatedAt: 'updated_at' }

function sessionOptions(realm: Realm) {
  return {
    modelName: 'user_sessions',
    ...sessionTimes(realm),
    // Changes to sign-in methods require a sign-in within the last hour.
    freshAge: hour,
    fields: {
      ...times,
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
    additionalFields: {
      passkeyAt: { type: 'date', fieldName: 'passkey_at', required: false, input: false },
      tillOf: { type: 'string', fieldName: 'till_of', required: false, input: false },
    },
  } as const
}

function passkeyPlugin({ publicUrl, platformName }: AuthOptions) {
  return passkey({
    rpID: new URL(publicUrl).hostname,
    rpName: platformName,
    origin: new URL(publicUrl).origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    authentication: {
      // Holding a phone does not prove that it is one's own: the device must verify the user.
      afterVerification: ({ verification }) => {
        if (!verification.authenticationInfo.userVerified) throw new APIError('UNAUTHORIZED')
      },
    },
    schema: {
      passkey: {
        modelName: 'user_passkeys',
        fields: {
          userId: 'user_id',
          publicKey: 'public_key',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  })
}

function twoFactorPlugin({ platformName }: AuthOptions) {
  return twoFactor({
    issuer: platformName,
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'user_two_factors',
        fields: {
          userId: 'user_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failures',
          lockedUntil: 'locked_until',
        },
      },
    },
  })
}

function authOptions(realm: Realm, options: AuthOptions) {
  const { pool, newId, keyRing, publicUrl, platformName } = options
  return {
    appName: platformName,
    baseURL: `${publicUrl}/auth/${realm}`,
    // The library's log contains email addresses.
    logger: { disabled: true },
    // Our routes report its errors.
    onAPIError: { onError: () => undefined },
    telemetry: { enabled: false },
    // The server limits requests.
    rateLimit: { enabled: false },
    secrets: keyRing.map(({ id, secret }) => ({ version: id, value: deriveKey(secret, 'sign-in').toString('hex') })),
    database: pool,
    advanced: {
      cookiePrefix: `scrip-${realm}`,
      // Validation would require columns for social sign-in, which we do not offer.
      database: { generateId: () => newId(), validateSchema: false },
      // The defaults, set here so that an environment variable cannot disable them.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: ['x-scrip-address'] },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLengthMin,
      maxPasswordLength: passwordLengthMax,
      password: { hash: hashPassword, verify: ({ hash: known, password }) => isPassword(known, password) },
    },
    user: {
      modelName: `${realm}_users`,
      fields: { ...times, name: 'other_names', image: 'avatar', emailVerified: 'email_verified' },
      additionalFields: { isActive: { type: 'boolean', fieldName: 'is_active', input: false } },
    },
    session: sessionOptions(realm),
    account: {
      modelName: 'user_logins',
      fields: { ...times, userId: 'user_id', accountId: 'account_id', providerId: 'provider_id' },
    },
    verification: { modelName: 'user_challenges', fields: { ...times, expiresAt: 'expires_at' } },
    databaseHooks: { session: { create: { before: checkNewSession } } },
    plugins: [till, passkeyPlugin(options), twoFactorPlugin(options)],
  } satisfies BetterAuthOptions
}

type SessionHook = NonNullable<
  NonNullable<NonNullable<NonNullable<BetterAuthOptions['databaseHooks']>['session']>['create']>['before']
>

/** Refuses inactive users, and passkeys of another realm, whose user does not exist in this one. */
const checkNewSession: SessionHook = async (session, context) => {
  const user = await context?.context.internalAdapter.findUserById(session.userId)
  if (user === null || user === undefined || !('isActive' in user) || user.isActive !== true) return false
  const isPasskey = context?.path === '/passkey/verify-authentication'
  return { data: { ...session, passkeyAt: isPasskey ? new Date() : null } }
}

export function createAuth(realm: Realm, options: AuthOptions): Auth {
  return betterAuth(authOptions(realm, options))
}
