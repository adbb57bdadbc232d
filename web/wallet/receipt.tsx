import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar, IconTile } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Facts } from '../ui/facts.tsx'
import type { Move, Moves } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Money } from './money.tsx'
import { isOut, nameOfMove, tiles } from './move.ts'
import { Loaded } from './parts.tsx'
import { Reference } from './reference.tsx'
import { words } from './words.ts'

/** A receipt to print. An exchange has two amounts under one id. */
export function Receipt({ id }: { readonly id: string }): ReactNode {
  // The list begins below its cursor, so the next higher id as the cursor puts this id first.
  const known = useKnown<Moves>(`/wallet/activity?limit=1&cursor=${nextId(id)}`)
  return (
    <Screen heading={words.receipt.heading} back="/">
      <Loaded known={known} placeholder={<Skeleton shape="block" />}>
        {({ moves }) => {
          const parts = moves.filter((move) => move.id === id)
          const [first] = parts
          if (first === undefined) return <Notice>{words.receipt.missing}</Notice>
          return <Paper first={first} parts={parts} />
        }}
      </Loaded>
    </Screen>
  )
}

type PaperProps = { readonly first: Move; readonly parts: readonly Move[] }

function Paper({ first, parts }: PaperProps) {
  const { id, kind, withName, note, createdAt } = first
  const tile = tiles[kind]
  return (
    <>
      <div className="receipt">
        {tile === undefined ? <Avatar name={withName} size="l" /> : <IconTile {...tile} size="l" />}
        {parts.map((part) => (
          <p className="wallet-large" key={part.currency}>
            <Money
              value={part.amount.replace('-', '')}
              code={part.currency}
              size="large"
              sign={isOut(part) ? '−' : '+'}
              tone={isOut(part) ? 'plain' : 'in'}
              isDue
            />
          </p>
        ))}
        <Facts
          kind="plain"
          rows={[
            [words.receipt.type, nameOfMove(first)],
            ...parts.filter(isOut).map(deductedRow),
            ...(withName === '' ? [] : [[words.receipt.counterparty, withName] as const]),
            ...(note === '' ? [] : [[words.receipt.note, note] as const]),
            [words.receipt.date, <Moment key="date" at={createdAt} form="receipt" />],
            [words.receipt.reference, <Reference key="reference" id={id} />],
          ]}
        />
      </div>
      <div className="acts wallet-screen-only">
        <Button onClick={() => print()}>
          <Printer aria-hidden="true" />
          {words.receipt.print}
        </Button>
      </div>
    </>
  )
}

/** The ledger's amount is all that left the wallet: what the other side gets, with every fee and spread. */
function deductedRow({ amount, currency }: Move): readonly [string, ReactNode] {
  return [words.receipt.deducted, <Money key="deducted" value={amount.replace('-', '')} code={currency} />]
}

function nextId(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
