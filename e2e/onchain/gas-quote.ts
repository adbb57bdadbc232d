import type { Connection } from '../../server/local/drill/api-process.ts'
import type { Merchant } from '../voucher-lifecycle/world.ts'

/** A quote in minor units of the ledger, read from the text of the response: its numbers are larger than a float holds. */
export type Quoted = {
  readonly quoteId: string
  readonly deducted: bigint
  readonly charge: bigint
  readonly wei: bigint
  readonly chargedTo: string
}

/** Undefined if the voucher is on its way on its network. */
export async function quoteOf(connection: Connection, merchant: Merchant, wish: object): Promise<Quoted | undefined> {
  const path = '/merchant-integrations/fetch-voucher-redemption-charges'
  const { status, body: text } = await connection.send(merchant.post(path, wish))
  if (status === 409) return undefined
  if (status !== 200) throw new Error(`The drill cannot continue: ${text}`)
  const number = (name: string): string => new RegExp(`"${name}":([\\d.]+)`).exec(text)?.[1] ?? ''
  const name = (field: string): string => new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1] ?? ''
  const decimals = /"fromCurrency":\{[^}]*"Abbreviation":"USD"/.test(text) ? 2 : 18
  return {
    quoteId: name('quoteId'),
    deducted: minor(number('totalDeductable'), decimals),
    charge: minor(number('totalGasAndProceesingFeeInFromCurrency'), decimals),
    wei: BigInt(number('totalGasCostAndProcessingFeeInWei')),
    chargedTo: name('chargedTo'),
  }
}

function minor(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
