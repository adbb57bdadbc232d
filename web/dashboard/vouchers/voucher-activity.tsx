import { Ban, CircleDot, Clock, Gift, Lock, type LucideIcon, RotateCcw, ShoppingBag, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Timeline } from '../../ui/timeline.tsx'
import type { ActivityEntry } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'

const icons: Readonly<Record<string, LucideIcon>> = {
  issued: Gift,
  redemption: ShoppingBag,
  refund: Undo2,
  expiry: Clock,
  cancel: Ban,
  replacement: RotateCcw,
  frozen: Lock,
  blocked: Lock,
}

type LifeProps = { readonly life: readonly ActivityEntry[]; readonly currency: string }

/** The activity of a voucher, oldest first. */
export function VoucherActivity({ life, currency }: LifeProps): ReactNode {
  return (
    <Card heading={words.voucher.activity}>
      <Timeline
        entries={life.map((entry, place) => ({
          // Two entries may have the same time, and their order never changes.
          key: String(place),
          icon: icons[entry.kind] ?? CircleDot,
          title: <Title entry={entry} />,
          end: <Moved entry={entry} currency={currency} />,
          detail: <Detail entry={entry} currency={currency} />,
        }))}
      />
    </Card>
  )
}

type EntryProps = { readonly entry: ActivityEntry; readonly currency: string }

function Title({ entry: { kind, reference } }: Pick<EntryProps, 'entry'>) {
  const name = nameOf(words.voucher.kinds, kind)
  return reference === '' ? name : <Link to={`/payments/${encodeURIComponent(reference)}`}>{name}</Link>
}

const takes = new Set(['redemption', 'expiry', 'cancel', 'replacement', 'void', 'cash_back'])

function Moved({ entry: { kind, amount }, currency }: EntryProps) {
  return amount === '' ? null : <Money value={amount} code={currency} sign={takes.has(kind) ? '−' : '+'} />
}

function Detail({ entry: { at, charge, where, reason }, currency }: EntryProps) {
  return (
    <>
      <When at={at} />
      {where !== '' && `, ${where}`}
      {reason !== '' && `${words.colon} ${reason}`}
      {charge !== '' && !isZero(charge) && (
        <p>
          {words.payment.fee}
          {words.colon} <Money value={charge} code={currency} />
        </p>
      )}
    </>
  )
}
