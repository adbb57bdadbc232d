import type { ReactNode } from 'react'
import { Moment, writeMoment } from '../ui/moment.tsx'
import type { Voucher } from './ask-voucher.ts'

type VoucherFactsProps = { readonly voucher: Voucher; readonly now: Date }

export function VoucherFacts({ voucher, now }: VoucherFactsProps) {
  return (
    <section className="voucher-facts" aria-labelledby="facts-heading">
      <h2 id="facts-heading">Good to know</h2>
      <dl className="facts">
        <Fact name="Where">
          <Where voucher={voucher} />
        </Fact>
        <Fact name="Until">
          <Until voucher={voucher} now={now} />
        </Fact>
        {voucher.hasPin && <Fact name="Pin">It is locked. The till asks for the pin as well.</Fact>}
        <Fact name="Issued">
          <Moment at={voucher.issuedAt} form="day" />
          <span className="facts-more">by {voucher.issuer}</span>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Where({ voucher }: { readonly voucher: Voucher }) {
  if (voucher.usableAt.length === 0) return `In every shop that takes ${voucher.platform} vouchers`
  return (
    <ul>
      {voucher.usableAt.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}

function Until({ voucher, now }: VoucherFactsProps) {
  if (voucher.expiresAt === '') return 'It does not expire'
  const soon = voucher.isExpired ? '' : daysInWords(now, dayAt(voucher.lastDay))
  return (
    <>
      <time dateTime={voucher.expiresAt}>{writeMoment(dayAt(voucher.lastDay), 'day')}</time>
      {soon !== '' && <strong className="facts-soon">, {soon}</strong>}
      {!voucher.isExpired && (
        <span className="facts-more">
          {voucher.expiredTo === 'payer'
            ? 'What is left then goes back to whoever paid for it.'
            : `What is left then is set aside. Ask ${voucher.issuer} about it.`}
        </span>
      )}
    </>
  )
}

/** The middle of a day in the reader's zone: the day is the issuer's, whoever reads it. */
export function dayAt(date: string): Date {
  return new Date(`${date}T12:00`)
}

const soonDays = 30

/** Today, tomorrow, in 12 days. Nothing when it is still far away. */
function daysInWords(from: Date, to: Date): string {
  const days = Math.round((startOfDay(to) - startOfDay(from)) / 86_400_000)
  return days <= soonDays ? new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(days, 'day') : ''
}

function startOfDay(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0)
}
