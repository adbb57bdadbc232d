import { BanknoteArrowUp, Bitcoin, CircleCheck, FileText, Lock, type LucideIcon, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../../ui/avatar.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { Count } from '../../ui/pill.tsx'
import type { HomeSummary } from '../shell/responses.ts'
import { type Address, Link } from '../shell/place.ts'
import { screensFor, type ScreenName, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type Kind = HomeSummary['attention'][number]['kind']

type Task = {
  readonly icon: LucideIcon
  readonly ink: 'amber' | 'red' | 'none'
  readonly screen: ScreenName
  readonly path: Address
}

const tasks: Readonly<Record<Kind, Task>> = {
  outflows_waiting: { icon: BanknoteArrowUp, ink: 'amber', screen: 'approvals', path: '/approvals' },
  webhooks_failing: { icon: Webhook, ink: 'red', screen: 'developers', path: '/developers/webhooks' },
  invoices_waiting: { icon: FileText, ink: 'amber', screen: 'invoices', path: '/invoices?state=pending' },
  invoices_unpaid: { icon: FileText, ink: 'amber', screen: 'invoices', path: '/invoices?state=unpaid' },
  deposit_cases: { icon: Bitcoin, ink: 'amber', screen: 'deposits', path: '/deposits' },
  vouchers_frozen: { icon: Lock, ink: 'none', screen: 'vouchers', path: '/vouchers?state=frozen' },
}

const countMax = 100

/** What waits for a decision, each with a button that leads to it. */
export function Attention({ attention }: Pick<HomeSummary, 'attention'>): ReactNode {
  if (attention.length === 0)
    return (
      <Card hasPadding={false}>
        <Row lead={<IconTile icon={CircleCheck} ink="green" shape="square" />} title={words.home.calm} />
      </Card>
    )
  return (
    <Card
      heading={
        <>
          {words.home.attention} <Count tone="wait">{attention.length}</Count>
        </>
      }
      hasPadding={false}
    >
      <ul className="row-list">
        {attention.map(({ kind, count }, place) => (
          <li key={kind}>
            <TaskRow kind={kind} count={count} isFirst={place === 0} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

type TaskRowProps = { readonly kind: Kind; readonly count: number; readonly isFirst: boolean }

function TaskRow({ kind, count, isFirst }: TaskRowProps) {
  const { merchant } = useShop()
  const { icon, ink, screen, path } = tasks[kind]
  const { title, detail, act } = words.home.needs[kind]
  const mayOpen = screensFor(merchant.role).includes(screen)
  return (
    <Row
      lead={<IconTile icon={icon} ink={ink} shape="square" />}
      title={title(count >= countMax ? words.home.hundred : String(count), count)}
      detail={detail}
      end={
        mayOpen ? (
          <Link className="button home-task" data-kind={isFirst ? 'main' : 'quiet'} to={path}>
            {act}
          </Link>
        ) : undefined
      }
    />
  )
}
