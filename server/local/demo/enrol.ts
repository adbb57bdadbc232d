// Sets up the authenticator app of the demo operator, who needs one. Its secret is in .scrip/dev.json, so that scripts can
// sign in. It protects test data only.
import type { FastifyInstance } from 'fastify'
import { oneTimeCode } from '../parts/one-time-code.ts'

/** Returns the secret of the authenticator app. */
export async function enrolDemo(
  app: Pick<FastifyInstance, 'inject'>,
  origin: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  let cookie = ''
  const post = async (path: string, body: object) => {
    const headers = { origin, cookie, 'scrip-realm': 'staff' }
    const reply = await app.inject({ method: 'POST', url: `/auth/staff${path}`, headers, payload: body })
    if (reply.statusCode !== 200)
      throw new Error(`The second factor of the demo operator was not set up: ${reply.body}`)
    cookie =
      [reply.headers['set-cookie'] ?? []]
        .flat()
        .map((line) => line.split(';')[0])
        .join('; ') || cookie
    return reply.json<{ data: { totpURI: string } }>().data
  }
  await post('/sign-in/email', { email, password })
  const { totpURI } = await post('/two-factor/enable', { password })
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  await post('/two-factor/verify-totp', { code: oneTimeCode(secret) })
  return secret
}
