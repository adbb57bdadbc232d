import type { Db } from '../../base/db.ts'
import type { Mode } from '../../base/mode.ts'
import type { DecimalAmount } from '../../base/write-amount.ts'
import { findShop } from '../../identity/merchant/store.ts'
import type { Document } from '../../ledger/document.ts'
import { writeMail } from '../../mail/outbox.ts'
import type { Language } from '../../mail/words.ts'
import { showCode } from '../code/code.ts'
import { lastDayOf } from './expiry.ts'
import type { MintTools } from './mint.ts'

/** What the giver writes. Empty texts are left out. */
export type GiftMessage = { readonly sender: string; readonly message: string }

type Gift = {
  readonly environmentId: string
  readonly mode: Mode
  /** The voucher, and its code in plain text. */
  readonly id: string
  readonly code: string
  readonly to: string
  /** The issuer's if left out. */
  readonly language: Language | undefined
  /** The user who bought it. Left out: the shop. */
  readonly from: string | undefined
  readonly message: GiftMessage | undefined
  readonly money: DecimalAmount
  readonly expiresAt: Date | null
  readonly isLocked: boolean
  readonly place: { readonly network: string; readonly vault: string } | undefined
}

/** The email that brings a voucher to its recipient. */
export async function giftMail({ newId, keyRing, random }: MintTools, db: Db, gift: Gift): Promise<Document> {
  const { environmentId, mode, id, code, to, from, message, money, expiresAt, isLocked, place } = gift
  const shop = await findShop(db, environmentId)
  return writeMail(newId, {
    environmentId,
    aboutId: id,
    to,
    language: gift.language ?? shop.language,
    kind: 'gift',
    content: {
      shop: from ?? shop.name,
      money,
      lastDay: expiresAt === null ? '' : lastDayOf(expiresAt, shop.timeZone),
      isLocked,
      mode,
      ...(place !== undefined && { place }),
      ...(message !== undefined && message),
    },
    secret: { text: showCode(code), seals: keyRing, random },
  })
}
