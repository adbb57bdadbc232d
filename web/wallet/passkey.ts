import type { Answer } from '../ui/send-request.ts'
import { act, read } from './request-wallet.ts'
import { realm } from './realm.ts'

const failed = { refusal: { code: 'PASSKEY_FAILED', message: '' } }

/** Signs in with a passkey. This also confirms payments for the next minutes. */
export async function signInByPasskey(): Promise<Answer<object>> {
  const options = await read<PublicKeyCredentialRequestOptionsJSON>(
    `/auth/${realm}/passkey/generate-authenticate-options`,
  )
  if ('refusal' in options) return options
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.data)
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    return await act(`/auth/${realm}/passkey/verify-authentication`, { response: credential.toJSON() as object })
  } catch {
    return failed
  }
}

export async function addPasskey(password: string): Promise<Answer<object>> {
  const options = await read<PublicKeyCredentialCreationOptionsJSON>(`/auth/${realm}/passkey/generate-register-options`)
  if ('refusal' in options) return options
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.data)
    const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    const response = credential.toJSON() as object
    return await act(`/auth/${realm}/passkey/verify-registration`, { response, password })
  } catch {
    return failed
  }
}
