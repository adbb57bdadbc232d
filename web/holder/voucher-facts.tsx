import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { writeAmount } from '../ui/amount.tsx'
import { isZero } from '../ui/decimal.ts'
import { ExplorerLink } from '../ui/explorer-link.tsx'
import { Facts } from '../ui/facts.tsx'
import { locale } from '../ui/locale.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import type { Onchain, Voucher } from './request-voucher.ts'
import './voucher-facts.css'
import { words } from './words.ts'

type VoucherProps = { readonly voucher: Voucher }

export function VoucherFacts({ voucher }: VoucherProps): ReactNode {
  return (
    <section className="voucher-facts" aria-labelledby="facts-heading">
      <h2 id="facts-heading">{words.facts.heading}</h2>
      <Facts rows={listFacts(voucher)} />
      <p className="voucher-safety">
        <ShieldAlert aria-hidden="true" />
        <span>{words.safety}</span>
      </p>
    </section>
  )
}

type Fact = readonly [name: string, value: ReactNode]

function listFacts(voucher: Voucher): readonly Fact[] {
  const { onchain, hasPin, issuer, issuedAt, currency } = voucher
  const isUsable = !voucher.isExpired && !isZero(voucher.balance)
  const inParts: Fact = [words.facts.inParts, words.facts.untilZero(writeAmount('0', currency))]
  const issued = (
    <>
      <Moment at={issuedAt} form="day" />
      <span className="facts-more">{words.facts.issuedBy(issuer)}</span>
    </>
  )
  return [
    [words.facts.where, <Shops key="where" voucher={voucher} />],
    ...(isUsable ? [inParts] : []),
    [words.facts.expires, <Expiry key="expires" voucher={voucher} />],
    ...(onchain === null
      ? []
      : [[words.onchain.network, <Network key="network" onchain={onchain} hasPin={hasPin} />] as const]),
    ...(hasPin ? [[words.facts.pin, words.facts.pinAtTill] as const] : []),
    [words.facts.issued, issued],
  ]
}

function Shops({ voucher }: VoucherProps) {
  if (voucher.usableAt.length === 0) return words.facts.everywhere(voucher.platform)
  return (
    <ul>
      {voucher.usableAt.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}

type NetworkProps = { readonly onchain: Onchain; readonly hasPin: boolean }

function Network({ onchain: { network, vault, vaultUrl, transactionUrl, state }, hasPin }: NetworkProps) {
  return (
    <>
      {network}
      <span className="facts-more">
        {words.onchain.heldBy} <ExplorerLink url={vaultUrl} name={vault} />
      </span>
      {transactionUrl !== '' && (
        <span className="facts-more">
          <ExplorerLink url={transactionUrl}>{words.onchain.creation}</ExplorerLink>
        </span>
      )}
      {/* The vault takes redemptions of a voucher with a PIN from the platform only, which checks the PIN. */}
      {state === 'open' && !hasPin && <span className="facts-more">{words.onchain.withoutUs(network)}</span>}
    </>
  )
}

function Expiry({ voucher }: VoucherProps) {
  const { expiresAt, expiredTo, issuer, lastDay } = voucher
  if (expiresAt === '') return words.facts.noExpiry
  return (
    <>
      <time dateTime={expiresAt}>{writeMoment(dayAt(lastDay), 'day')}</time>
      {!voucher.isExpired && (
        <span className="facts-more">
          {expiredTo === 'payer' ? words.facts.leftToPayer : words.facts.leftUnclaimed(issuer)}
        </span>
      )}
    </>
  )
}

type ValidityProps = VoucherProps & { readonly now: Date }

/** How long the voucher is valid, and in how many days that ends if it is soon. */
export function Validity({ voucher: { expiresAt, lastDay }, now }: ValidityProps): ReactNode {
  if (expiresAt === '') return words.voucher.noExpiry
  const soon = daysInWords(now, dayAt(lastDay))
  return (
    <>
      <time dateTime={expiresAt}>{words.voucher.validUntil(writeMoment(dayAt(lastDay), 'day'))}</time>
      {soon !== '' && <strong className="facts-soon">, {soon}</strong>}
    </>
  )
}

/** Noon in the reader's time zone, so that every reader sees the issuer's date. */
export function dayAt(date: string): Date {
  return new Date(`${date}T12:00`)
}

const soonDays = 30

/** Such as "tomorrow" or "in 12 days"; empty if it is more than 30 days away. */
function daysInWords(from: Date, to: Date): string {
  const days = Math.round((startOfDay(to) - startOfDay(from)) / 86_400_000)
  return days <= soonDays ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day') : ''
}

function startOfDay(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0)
}
