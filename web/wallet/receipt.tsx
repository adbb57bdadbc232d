import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { Facts } from '../ui/facts.tsx'
import type { Move, Moves } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { nameOfMove } from './home.tsx'
import { useKnown } from './known.ts'
import { Loaded, Money } from './parts.tsx'
import { Reference } from './reference.tsx'
import { words } from './words.ts'

/** A receipt to print. An exchange has two amounts under one id. */
export function Receipt({ id }: { readonly id: string }): ReactNode {
  // The list begins below its cursor, so the next higher id as the cursor puts this id first.
  const known = useKnown<Moves>(`/wallet/activity?limit=1&cursor=${nextId(id)}`)
  return (
    <Screen heading={words.receipt.heading} back="/">
      <Loaded known={known}>
        {({ moves }) => {
          const parts = moves.filter((move) => move.id === id)
          const [first] = parts
          if (first === undefined) return <Notice>{words.receipt.missing}</Notice>
          const { withName, note, createdAt } = first
          return (
            <>
              {parts.map(({ amount, currency }) => (
                <p className="wallet-large" key={currency}>
                  <Money
                    value={amount.replace('-', '')}
                    code={currency}
                    size="large"
                    sign={amount.startsWith('-') ? '−' : '+'}
                    tone={amount.startsWith('-') ? 'plain' : 'in'}
                  />
                </p>
              ))}
              <Facts
                rows={[
                  [words.receipt.type, nameOfMove(first)],
                  ...parts.filter(isDeducted).map(deductedRow),
                  ...(withName === '' ? [] : [[words.receipt.counterparty, withName] as const]),
                  ...(note === '' ? [] : [[words.receipt.note, note] as const]),
                  [words.receipt.date, <Moment key="date" at={createdAt} form="receipt" />],
                  [words.receipt.reference, <Reference key="reference" id={id} />],
                ]}
              />
              <div className="acts wallet-screen-only">
                <Button onClick={() => print()}>{words.receipt.print}</Button>
              </div>
            </>
          )
        }}
      </Loaded>
    </Screen>
  )
}

function isDeducted({ amount }: Move): boolean {
  return amount.startsWith('-')
}

/** The ledger's amount is all that left the wallet: what the other side gets, with every fee and spread. */
function deductedRow({ amount, currency }: Move): readonly [string, ReactNode] {
  return [words.receipt.deducted, <Money key="deducted" value={amount.replace('-', '')} code={currency} />]
}

function nextId(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
