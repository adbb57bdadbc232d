import { Bitcoin } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Row } from '../ui/card.tsx'
import { Choice } from '../ui/choice.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { Pill } from '../ui/pill.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Facts } from '../ui/facts.tsx'
import { useAmountInput } from './amount-fields.tsx'
import { act, type Coin, type CoinDeposit, type CoinDeposits, type Coins } from './request-wallet.ts'
import './activity-list.css'
import { CopyButton } from '../ui/copy-button.tsx'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Money, useWriteMoney } from './money.tsx'
import { Done, Loaded } from './parts.tsx'
import { go, Link } from './route.ts'
import { useAct } from './use-act.ts'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

export function Deposit(): ReactNode {
  const coins = useKnown<Coins>('/wallet/coins')
  return (
    <Screen heading={words.deposit.heading} back="/">
      <Loaded known={coins} placeholder={<Skeleton shape="block" />}>
        {({ coins: all }) => (all.length === 0 ? <Notice>{words.deposit.none}</Notice> : <DepositForm coins={all} />)}
      </Loaded>
      <WaitingDeposits />
    </Screen>
  )
}

function DepositForm({ coins }: { readonly coins: readonly Coin[] }) {
  const [chosen, setChosen] = useState('')
  const creating = useAct<CoinDeposit>()
  const { state, refusal } = creating
  const { typed, amount, error, onType, forget, check } = useAmountInput(refusal)
  const createdId = creating.done?.id
  useEffect(() => {
    if (createdId !== undefined) go(`/deposit/${createdId}`)
  }, [createdId])
  const coin = coins.find((each) => nameOf(each) === chosen) ?? coins[0]
  if (coin === undefined) return null
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!check()) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const { networkId, currency } = coin
    creating.start((key) => act('/wallet/deposits', { networkId, currency, amount }, key))
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Choice
        label={words.deposit.currencyAndNetwork}
        value={nameOf(coin)}
        onChange={(event) => {
          setChosen(event.target.value)
          forget()
        }}
        options={coins.map((each) => [nameOf(each), nameOf(each)])}
      />
      <Field
        label={words.amount}
        hint={words.deposit.amountHint}
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        error={error}
        onChange={(event) => onType(event.target.value)}
      />
      {refusal !== null && !isAboutAmount(refusal) && <Notice kind="error">{describeError(refusal)}</Notice>}
      <Button kind="main" size="l" isWide type="submit" aria-disabled={state !== 'idle'}>
        {state === 'idle' ? words.deposit.act : words.oneMoment}
      </Button>
    </form>
  )
}

function WaitingDeposits() {
  const { data } = useKnown<CoinDeposits>('/wallet/deposits')
  const waiting = (data?.deposits ?? []).filter(({ status }) => status === 'waiting')
  if (waiting.length === 0) return null
  return (
    <ul className="card row-list wallet-moves">
      {waiting.map((deposit) => (
        <li key={deposit.id}>
          <WaitingDeposit deposit={deposit} />
        </li>
      ))}
    </ul>
  )
}

function WaitingDeposit({ deposit }: { readonly deposit: CoinDeposit }) {
  const { id, toDeposit, currency, network } = deposit
  return (
    <Row
      lead={<IconTile icon={Bitcoin} ink="amber" />}
      title={
        <Link className="cover-link" to={`/deposit/${id}`}>
          {words.deposit.waiting}
        </Link>
      }
      detail={network}
      end={
        <span className="row-amount">
          <Money value={toDeposit} code={currency} />
        </span>
      }
    />
  )
}

function nameOf({ currency, network }: Coin): string {
  return `${currency}, ${network}`
}

const refreshEveryMs = 1_500

/** The address of a deposit and the progress of its payment. */
export function OneDeposit({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<CoinDeposit>(`/wallet/deposits/${id}`)
  const { retry } = known
  const isWaiting = known.data?.status === 'waiting'
  useEffect(() => {
    if (!isWaiting) return
    // The user's event stream has no events for new blocks.
    const timer = setInterval(() => document.visibilityState === 'visible' && retry(), refreshEveryMs)
    return () => clearInterval(timer)
  }, [isWaiting, retry])
  return (
    <Screen heading={words.deposit.heading} back="/deposit">
      <Loaded known={known} placeholder={<Skeleton shape="block" />}>
        {(deposit) => <DepositProgress deposit={deposit} />}
      </Loaded>
    </Screen>
  )
}

function DepositProgress({ deposit }: { readonly deposit: CoinDeposit }) {
  const { status, address, paymentUri, network, currency, amount, toDeposit, charge, expiresAt } = deposit
  if (status === 'done')
    return (
      <Done heading={words.deposit.done} lead={network}>
        <Money value={amount} code={currency} size="large" tone="in" />
      </Done>
    )
  if (status !== 'waiting') return <Notice>{status === 'undone' ? words.deposit.undone : words.deposit.ended}</Notice>
  return (
    <>
      <Progress deposit={deposit} />
      <div className="card card-body wallet-deposit">
        <p className="soft">{words.deposit.pay}</p>
        <p className="wallet-large">
          <Money value={toDeposit} code={currency} size="large" isDue />
        </p>
        <div className="wallet-qr">
          <QrCode content={paymentUri} label={words.deposit.qr} />
        </div>
        <p className="soft">{words.deposit.qrHint}</p>
        <p className="soft">{words.deposit.to}</p>
        <p className="wallet-address">{address}</p>
        <div className="acts">
          <CopyButton text={address} label={words.deposit.copyAddress} />
          {/* The exact decimal: a wallet app would misread separators, and a rounded amount is not recognised. */}
          <CopyButton text={shortDecimal(toDeposit)} label={words.deposit.copyAmount} />
        </div>
      </div>
      <Notice kind="wait">{words.deposit.onNetwork(network)}</Notice>
      <Facts
        rows={[
          [words.deposit.amount, <Money key="amount" value={amount} code={currency} />],
          [words.deposit.cost, <Money key="cost" value={charge} code={currency} />],
          [words.deposit.until, <Moment key="until" at={expiresAt} form="time" />],
        ]}
      />
    </>
  )
}

function Progress({ deposit: { seen, currency } }: { readonly deposit: CoinDeposit }) {
  const write = useWriteMoney()
  const isSeen = !isZero(seen)
  return (
    <p className="wallet-progress" role="status">
      <Pill tone={isSeen ? 'busy' : 'wait'} isLong>
        {isSeen ? words.deposit.confirming(write(seen, currency)) : words.deposit.waiting}
      </Pill>
    </p>
  )
}
