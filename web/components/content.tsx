import { BanknoteArrowUp, Check, Plus, ScanQrCode, ShoppingBag, Ticket as TicketIcon, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Avatar, IconTile } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Row } from '../ui/card.tsx'
import { Chart, type ChartDay } from '../ui/chart.tsx'
import { Empty } from '../ui/empty.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { Count, Delta, Pill } from '../ui/pill.tsx'
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx'
import { Spark } from '../ui/spark.tsx'
import { type Column, Table, TableWhat } from '../ui/table.tsx'
import { TicketHead } from '../ui/ticket-head.tsx'
import { Ticket } from '../ui/ticket.tsx'
import { Timeline } from '../ui/timeline.tsx'

const dollar: Currency = { abbreviation: 'USD', symbol: '$', name: 'US dollar' }

function dollars(value: string): ReactNode {
  return <Amount value={value} currency={dollar} />
}

export function Content(): ReactNode {
  return (
    <>
      <Statuses />
      <Amounts />
      <Lists />
      <Tickets />
      <Charts />
      <Waiting />
    </>
  )
}

function Statuses() {
  return (
    <Card heading="Status">
      <div className="components-line">
        <Pill tone="good">Completed</Pill>
        <Pill tone="wait">Waiting</Pill>
        <Pill tone="busy">Confirming</Pill>
        <Pill tone="bad">Failed</Pill>
        <Pill>Expired</Pill>
        <Count>12</Count>
        <Count tone="wait">4</Count>
        <Count tone="bad">1</Count>
        <Delta change="up">12.4%</Delta>
        <Delta change="down">8.0%</Delta>
        <Delta change="none">No change</Delta>
        <Avatar name="Corner Books" />
        <Avatar name="Ivy Moss" size="s" />
        <Avatar name="Kim Kasse" size="l" />
        <Avatar name="Eko Books" shape="square" />
        <IconTile icon={BanknoteArrowUp} ink="amber" shape="square" />
        <IconTile icon={Webhook} ink="red" shape="square" />
      </div>
      <div className="components-line">
        <Notice>A payout must be approved by someone other than the person who requested it.</Notice>
        <Notice kind="done">Refunded $42.60.</Notice>
        <Notice kind="wait">You’re offline. Last updated 09:41.</Notice>
        <Notice kind="error">The voucher balance does not cover this amount and its fee.</Notice>
      </div>
    </Card>
  )
}

function Amounts() {
  return (
    <Card heading="Amounts">
      <div style={{ containerType: 'inline-size' }}>
        <Amount value="24281.57" currency={dollar} size="large" />
        <Amount value="12.50" currency={dollar} size="large" isDue />
      </div>
      <Facts
        kind="sum"
        rows={[
          ['Taken from the voucher', dollars('43.02')],
          ['Fee', <Amount key="fee" value="0.42" currency={dollar} sign="−" />],
          ['Added to your balance', dollars('42.60')],
        ]}
      />
      <Facts
        rows={[
          ['Voucher', <code key="code">··CB5W</code>],
          ['Received', <Amount key="in" value="42.60" currency={dollar} sign="+" tone="in" />],
        ]}
      />
    </Card>
  )
}

type Sale = { readonly id: string; readonly name: string; readonly amount: string; readonly isOpen: boolean }

const sales: readonly Sale[] = [
  { id: 'SALE-02146', name: 'Voucher ··CB5W', amount: '42.60', isOpen: false },
  { id: 'REQ-00871', name: '@amara.okafor', amount: '14.50', isOpen: true },
]

const columns: readonly Column<Sale>[] = [
  {
    name: 'Payment',
    kind: 'head',
    cell: ({ id, name }) => (
      <TableWhat
        icon={<IconTile icon={TicketIcon} shape="square" size="s" />}
        title={name}
        second={<code className="table-second">{id}</code>}
      />
    ),
  },
  {
    name: 'Status',
    kind: 'status',
    cell: ({ isOpen }) => (isOpen ? <Pill tone="wait">Waiting</Pill> : <Pill tone="good">Completed</Pill>),
  },
  { name: 'Amount', kind: 'sum', cell: ({ amount }) => dollars(amount) },
]

function Lists() {
  return (
    <>
      <Card heading="Needs attention" act={<a className="link">View all</a>} hasPadding={false}>
        <ul className="row-list">
          <li>
            <Row
              lead={<IconTile icon={BanknoteArrowUp} ink="amber" shape="square" />}
              title="1 request waits for approval"
              detail="Money leaves your balance only after someone approves it."
              end={<Button kind="main">Review request</Button>}
            />
          </li>
          <li>
            <Row lead={<Avatar name="Ivy Moss" />} title="Ivy Moss" detail="Sent to you" end={dollars('12.00')} />
          </li>
        </ul>
      </Card>
      <Table
        caption="Payments"
        columns={columns}
        groups={[{ key: 'today', heading: 'Today', note: '2 payments', rows: sales }]}
        keyOf={({ id }) => id}
        isSelected={({ isOpen }) => !isOpen}
      />
      <Card heading="Timeline">
        <Timeline
          entries={[
            { key: 'scanned', icon: ScanQrCode, title: 'Voucher scanned', detail: 'Register 2' },
            { key: 'done', icon: Check, tone: 'good', title: 'Payment completed', end: <time>09:41</time> },
            { key: 'failed', icon: Webhook, tone: 'bad', title: 'Webhook failed', end: <time>09:42</time> },
          ]}
        />
      </Card>
    </>
  )
}

function Tickets() {
  return (
    <>
      <Ticket
        shape="tall"
        head={<TicketHead title={<p>Corner Books</p>} label="Gift voucher" />}
        heading={null}
        state="open"
        balance="100.00"
        amount="150.00"
        going="12.79"
        currency={dollar}
        code="J1NZ-V91P-CXQJ-9YH9"
        merchantCode=""
        codeAct={<Button>Copy code</Button>}
        qr={null}
        act={<Button kind="main">Show at the till</Button>}
      />
      <Ticket
        colours={{ fill: '#2a3580', onFill: '#ffffff', inkOnLight: '#2a3580', inkOnDark: '#8a95ee' }}
        head={<TicketHead title={<p>Eko Books</p>} label="Gift voucher" />}
        heading={null}
        state="expired"
        balance="18.00"
        amount="30.00"
        currency={dollar}
        code="CB5W-66HH-TX23-ND1W"
        merchantCode=""
        codeAct={null}
        qr={null}
        act={null}
      />
    </>
  )
}

const chartDays: readonly ChartDay[] = Array.from({ length: 30 }, (_, index) => ({
  key: String(index),
  name: `Day ${index + 1}`,
  shortName: String(index + 1),
  values: { voucher: String(180 + ((index * 97) % 320)), wallet: String((index * 41) % 140) },
  prior: String(220 + ((index * 53) % 210)),
  isOpen: index === 29,
}))

function Charts() {
  return (
    <Card heading="Chart" act={<Spark values={[2, 5, 4, 7, 6, 9]} />}>
      <Chart
        label="Sales by day"
        series={[
          { key: 'voucher', name: 'Vouchers' },
          { key: 'wallet', name: 'Wallet' },
        ]}
        days={chartDays}
        priorName="30 days before"
        totalName="Total"
        format={(value) => `$${value}.00`}
        formatTick={(value) => `$${value}`}
      />
    </Card>
  )
}

function Waiting() {
  return (
    <>
      <SkeletonRows count={3} />
      <Card heading="Loading">
        <Skeleton shape="amount" />
        <Skeleton />
        <Skeleton shape="short" />
      </Card>
      <Empty icon={ShoppingBag} heading="No vouchers yet" lead="Issue a voucher or sell one at the till.">
        <Button kind="main">
          <Plus aria-hidden="true" />
          Issue voucher
        </Button>
      </Empty>
    </>
  )
}
