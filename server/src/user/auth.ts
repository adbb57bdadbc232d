import { passkey } from '@better-auth/passkey'
import { betterAuth } from 'better-auth'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Pool } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { deriveKey, type RingSecret } from '../base/seal.ts'
import { hashPassword, isPassword, passwordLengthMax, passwordLengthMin } from './password.ts'
import type { Realm } from './store.ts'

// The only file that knows better-auth. Of what it offers the server lets through what is named here: signing in and out,
// sessions, passkeys, one-time codes. Signing up and new passwords are ours (links.ts), since its own tell by their time
// whether an address is known.
export const authPaths = new Map<string, 'GET' | 'POST'>([
  ['/sign-in/email', 'POST'],
  ['/sign-out', 'POST'],
  ['/list-sessions', 'GET'],
  ['/revoke-session', 'POST'],
  ['/revoke-other-sessions', 'POST'],
  ['/change-password', 'POST'],
  ['/passkey/generate-register-options', 'GET'],
  ['/passkey/verify-registration', 'POST'],
  ['/passkey/generate-authenticate-options', 'GET'],
  ['/passkey/verify-authentication', 'POST'],
  ['/passkey/list-user-passkeys', 'GET'],
  ['/passkey/delete-passkey', 'POST'],
  ['/two-factor/enable', 'POST'],
  ['/two-factor/disable', 'POST'],
  ['/two-factor/verify-totp', 'POST'],
  ['/two-factor/verify-backup-code', 'POST'],
  ['/two-factor/generate-backup-codes', 'POST'],
])

type AuthOptions = {
  readonly pool: Pool
  readonly newId: NewId
  readonly keyRing: readonly RingSecret[]
  readonly publicUrl: string
  readonly platformName: string
}

export type Auth = ReturnType<typeof createAuth>

/** A session of a day for who has shown by his pin that it is he, at a till of a merchant. No path leads here: only we call it. */
const till = {
  id: 'till' as const,
  endpoints: {
    beginTill: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { userId: string; tillOf: string } } } },
      async (context) => {
        const { userId, tillOf } = context.body
        const { internalAdapter } = context.context
        const user = await internalAdapter.findUserById(userId)
        const session = await internalAdapter.createSession(userId, true, { tillOf }, true)
        if (user === null || (session as typeof session | null) === null) throw new APIError('UNAUTHORIZED')
        await setSessionCookie(context, { session, user }, true)
      },
    ),
  },
}

const times = { createdAt: 'created_at', updatedAt: 'updated_at' }

export function createAuth(realm: Realm, { pool, newId, keyRing, publicUrl, platformName }: AuthOptions) {
  return betterAuth({
    appName: platformName,
    baseURL: `${publicUrl}/auth/${realm}`,
    // It names the address of who signs up or in.
    logger: { disabled: true },
    // What it refuses or stumbles over is told by us.
    onAPIError: { onError: () => undefined },
    telemetry: { enabled: false },
    // Requests are counted by the server.
    rateLimit: { enabled: false },
    secrets: keyRing.map(({ id, secret }) => ({ version: id, value: deriveKey(secret, 'sign-in').toString('hex') })),
    database: pool,
    advanced: {
      cookiePrefix: `scrip-${realm}`,
      // It would have columns for the sign-ins of others, which we do not offer.
      database: { generateId: () => newId(), validateSchema: false },
      // As they are anyway; but not to be switched off by a variable of the environment.
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
    session: {
      modelName: 'user_sessions',
      expiresIn: 30 * 24 * 3_600,
      updateAge: 24 * 3_600,
      // What changes how one signs in wants a sign-in of this hour.
      freshAge: 3_600,
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
    },
    account: {
      modelName: 'user_logins',
      fields: { ...times, userId: 'user_id', accountId: 'account_id', providerId: 'provider_id' },
    },
    verification: { modelName: 'user_challenges', fields: { ...times, expiresAt: 'expires_at' } },
    databaseHooks: {
      session: {
        create: {
          before: async (session, context) => {
            // Also keeps a passkey of another realm out: its owner is not found here.
            const user = await context?.context.internalAdapter.findUserById(session.userId)
            if (user === null || user === undefined || !('isActive' in user) || user.isActive !== true) return false
            const isPasskey = context?.path === '/passkey/verify-authentication'
            return { data: { ...session, passkeyAt: isPasskey ? new Date() : null } }
          },
        },
      },
    },
    plugins: [
      till,
      passkey({
        rpID: new URL(publicUrl).hostname,
        rpName: platformName,
        origin: new URL(publicUrl).origin,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        authentication: {
          // Who has somebody's telephone in his hand has not shown that he is its owner.
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
      }),
      twoFactor({
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
      }),
    ],
  })
}
