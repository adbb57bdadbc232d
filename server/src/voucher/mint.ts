import { type NewId, timeOfId } from '../base/id.ts'
import type { Random } from '../base/random.ts'
import type { Account } from '../ledger/account.ts'
import type { Document } from '../ledger/document.ts'
import { makeCode, readCode, tailOf } from './code.ts'
import type { KeyRing } from './key-ring.ts'
import { pinDocument } from './pin-store.ts'
import { type RecipientKind, type Voucher, voucherAccount, voucherDocument } from './store.ts'

export type MintTools = { readonly newId: NewId; readonly random: Random; readonly keyRing: KeyRing }

type Terms = Pick<Voucher, 'environmentId' | 'bookId' | 'amount' | 'wasPaidFor' | 'onlyAt' | 'expiredTo'>

export type Blank = Terms & {
  readonly expiresAt: Date | null | undefined
  /** It replaces one that was expired. */
  readonly wasExpired?: boolean
  readonly recipient?: { readonly kind: RecipientKind; readonly name: string } | undefined
  readonly lockPin?: string | undefined
  /** The person who pays for it. */
  readonly buyerId?: string | null | undefined
  readonly batch?: { readonly id: string; readonly number: number }
  /** As it stands on a card of another system. Such a one is found by its own merchant only. */
  readonly importedCode?: string
}

type Minted = {
  readonly id: string
  /** For whoever it is handed to in the same commit. */
  readonly code: string
  readonly account: Account
  readonly documents: Document[]
}

/** A new voucher, to travel in the journal that puts its value on it. */
export function mintVoucher({ newId, random, keyRing }: MintTools, blank: Blank, id = newId()): Minted {
  const { importedCode, batch, lockPin, ...terms } = blank
  const { environmentId, bookId } = terms
  const code = importedCode ?? makeCode(random)
  const { symbols } = readCode(code)
  const { keyId, sealed } = keyRing.seal(id, code, random)
  const { kind, name } = terms.recipient ?? { kind: 'nobody', name: '' }
  const voucher = voucherDocument({
    ...terms,
    id,
    recipientKind: kind,
    recipient: name,
    keyId,
    codeHash: importedCode === undefined ? keyRing.hashOf(symbols) : keyRing.hashOf(symbols, environmentId),
    codeSealed: sealed,
    createdAt: timeOfId(id),
    batchId: batch?.id,
    batchNumber: batch?.number,
    wasExpired: terms.wasExpired ?? false,
    buyerId: terms.buyerId,
    codeTail: tailOf(symbols),
  })
  const documents = [voucher]
  if (lockPin !== undefined) documents.push(pinDocument({ voucherId: id, ...keyRing.pinDigest(id, lockPin) }))
  return { id, code, account: voucherAccount({ bookId, id }), documents }
}
