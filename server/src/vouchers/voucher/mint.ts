import { type NewId, timeOfId } from '../../base/id.ts'
import type { Random } from '../../base/random.ts'
import type { Account } from '../../ledger/account.ts'
import type { Document } from '../../ledger/document.ts'
import { makeCode, readCode, tailOf } from '../code/code.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { pinDocument } from './pin-store.ts'
import { type VoucherRules, writeRules } from './rules.ts'
import { type Vault, vaultDocument } from './vault.ts'
import { type RecipientKind, type Voucher, voucherAccount, voucherDocument } from './store.ts'

export type MintTools = { readonly newId: NewId; readonly random: Random; readonly keyRing: KeyRing }

type Terms = Pick<Voucher, 'environmentId' | 'bookId' | 'amount' | 'wasPaidFor' | 'onlyAt' | 'expiredTo'>

export type Blank = Terms & {
  readonly expiresAt: Date | null | undefined
  /** True if it replaces an expired voucher. */
  readonly wasExpired?: boolean
  readonly recipient?: { readonly kind: RecipientKind; readonly name: string } | undefined
  readonly lockPin?: string | undefined
  /** The user who pays for it. */
  readonly buyerId?: string | null | undefined
  readonly batch?: { readonly id: string; readonly number: number }
  /** The vault that will hold its value. */
  readonly vault?: Vault | undefined
  /** Only its issuer accepts it. */
  readonly isStore?: boolean
  /** Worthless until a sale activates it. */
  readonly isInactive?: boolean
  readonly rules: VoucherRules | null
  /** The code of an imported card. Only its own merchant can find it. */
  readonly importedCode?: string
}

export type Minted = {
  readonly id: string
  /** Plain text, for delivery in the same commit. */
  readonly code: string
  readonly account: Account
  readonly documents: Document[]
}

/** The rows of a new voucher, stored with the journal that funds it. */
export async function mintVoucher({ newId, random, keyRing }: MintTools, blank: Blank, id = newId()): Promise<Minted> {
  const { importedCode, batch, lockPin, vault, rules, isStore = false, isInactive = false, ...terms } = blank
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
    isOnchain: vault !== undefined,
    isStore,
    isActive: !isInactive,
    rules: writeRules(rules),
  })
  const documents = [voucher]
  if (vault !== undefined) documents.push(await vaultDocument(vault, { ...terms, id, code, lockPin }))
  if (lockPin !== undefined) documents.push(pinDocument({ voucherId: id, ...keyRing.pinDigest(id, lockPin) }))
  return { id, code, account: voucherAccount({ bookId, id, isStore }), documents }
}
