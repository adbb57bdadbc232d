import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Facts } from '../ui/facts.tsx'
import { useAmountInput } from './amount-fields.tsx'
import { act, type Coin, type CoinDeposit, type CoinDeposits, type Coins } from './request-wallet.ts'
import { CopyButton } from './copy-button.tsx'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Done, Loaded, Money } from './parts.tsx'
import { go, Link } from './route.ts'
import { useAct } from './use-act.ts'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

export function Deposit(): ReactNode {
  const coins = useKnown<Coins>('/wallet/coins')
  return (
    <Screen heading={words.deposit.heading} back="/">
      <Loaded known={coins}>
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
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={state !== 'idle'}>
          {state === 'idle' ? words.deposit.act : words.oneMoment}
        </Button>
      </div>
    </form>
  )
}

function WaitingDeposits() {
  const { data } = useKnown<CoinDeposits>('/wallet/deposits')
  const waiting = (data?.deposits ?? []).filter(({ status }) => status === 'waiting')
  return (
    <ul className="wallet-waiting">
      {waiting.map(({ id, toDeposit, currency, network }) => (
        <li key={id}>
          <Link className="wallet-card" to={`/deposit/${id}`}>
            <span>
              {words.deposit.waiting}
              <br />
              <strong>
                <Money value={toDeposit} code={currency} />
              </strong>{' '}
              <span className="soft">{network}</span>
            </span>
            <span className="wallet-card-act">{words.home.review}</span>
          </Link>
        </li>
      ))}
    </ul>
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
      <Loaded known={known}>{(deposit) => <DepositProgress deposit={deposit} />}</Loaded>
    </Screen>
  )
}

function DepositProgress({ deposit }: { readonly deposit: CoinDeposit }) {
  const { status, address, paymentUri, network, currency, amount, toDeposit, charge, seen, expiresAt } = deposit
  if (status === 'done')
    return (
      <Done heading={words.deposit.done} lead={network}>
        <Money value={amount} code={currency} size="large" tone="in" />
      </Done>
    )
  if (status !== 'waiting') return <Notice>{status === 'undone' ? words.deposit.undone : words.deposit.ended}</Notice>
  const isSeen = !isZero(seen)
  return (
    <>
      <p className="soft">{words.deposit.pay}</p>
      <p className="wallet-large">
        <Money value={toDeposit} code={currency} size="large" />
      </p>
      <p className="soft">{words.deposit.to}</p>
      <p className="wallet-address">{address}</p>
      <div className="acts">
        <CopyButton text={address} label={words.deposit.copyAddress} />
        {/* The exact decimal: a wallet app would misread separators, and a rounded amount is not recognised. */}
        <CopyButton text={shortDecimal(toDeposit)} label={words.deposit.copyAmount} />
      </div>
      <div className="wallet-qr">
        <QrCode content={paymentUri} label={words.deposit.qr} />
      </div>
      <p className="soft">{words.deposit.qrHint}</p>
      <p>{words.deposit.onNetwork(network)}</p>
      <Facts
        rows={[
          [words.deposit.cost, <Money key="cost" value={charge} code={currency} />],
          [words.deposit.until, <Moment key="until" at={expiresAt} form="time" />],
        ]}
      />
      <p className="wallet-progress" role="status" data-seen={isSeen || undefined}>
        {isSeen ? words.deposit.confirming : words.deposit.waiting}
        {isSeen && <Money value={seen} code={currency} />}
      </p>
    </>
  )
}
