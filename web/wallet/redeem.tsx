import { ScanQrCode } from 'lucide-react'
import { lazy, type ReactNode, type SubmitEvent, Suspense, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Act } from '../ui/use-act.ts'
import { readFragment } from '../ui/voucher-address.ts'
import { act, type Redeemed, type WalletVouchers } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Money } from './money.tsx'
import { Done } from './parts.tsx'
import { vouchersPath } from './voucher-tile.tsx'
import { useAct } from './use-act.ts'
import { useShownRefusal } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

// The QR reader is larger than the rest of the app, so it is loaded only when the camera is used.
const Scan = lazy(() => import('../ui/scan.tsx'))

/** Adds the value of a voucher to the balance: a code that was typed, scanned or in the link, or one of the user's own vouchers. */
export function Redeem({ id }: { readonly id: string | undefined }): ReactNode {
  const mine = useKnown<WalletVouchers>(vouchersPath)
  const ownCode = mine.data?.vouchers.find((voucher) => voucher.id === id)?.code ?? ''
  const [typed, setTyped] = useState(readFragmentCode)
  const [lockPin, setLockPin] = useState('')
  const [isScanning, setIsScanning] = useState(false)
  const redeeming = useAct<Redeemed>()
  const { done } = redeeming
  useEffect(() => {
    // A code is worth money: it does not stay in the address.
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  }, [])
  if (done !== null)
    return (
      <Screen heading={words.redeem.heading}>
        <Done heading={words.redeem.done} lead="">
          <Money value={done.amount} code={done.currency} size="large" tone="in" />
        </Done>
      </Screen>
    )
  const onCode = (found: string) => {
    setTyped(found)
    setIsScanning(false)
  }
  return (
    <Screen heading={words.redeem.heading} back="/">
      {isScanning ? (
        <Suspense fallback={<Skeleton shape="square" />}>
          <Scan words={words.redeem} onCode={onCode} onStop={() => setIsScanning(false)} />
        </Suspense>
      ) : (
        <RedeemForm
          code={typed === '' ? ownCode : typed}
          onType={setTyped}
          lockPin={lockPin}
          onLockPin={setLockPin}
          redeeming={redeeming}
          onScan={() => setIsScanning(true)}
        />
      )}
    </Screen>
  )
}

function readFragmentCode(): string {
  return readFragment(location.hash)?.code ?? ''
}

type RedeemFormProps = {
  readonly code: string
  readonly onType: (code: string) => void
  readonly lockPin: string
  readonly onLockPin: (lockPin: string) => void
  readonly redeeming: Act<Redeemed>
  readonly onScan: () => void
}

const codeRefusals: ReadonlySet<string> = new Set(['VOUCHER_NOT_FOUND', 'VOUCHER_CODE_MISTYPED', 'FIELD_INVALID'])
const lockPinProps = { label: words.redeem.lockPin, hint: words.redeem.lockPinHint, length: 4 }

function RedeemForm({ code, onType, lockPin, onLockPin, redeeming, onScan }: RedeemFormProps) {
  const { state, start } = redeeming
  const [isMissing, setIsMissing] = useState(false)
  const [shown, hideRefusal] = useShownRefusal(redeeming.refusal)
  const isBusy = state !== 'idle'
  const refusal = isBusy ? null : shown
  const needsPin = lockPin !== '' || (redeeming.refusal?.code.startsWith('VOUCHER_PIN') ?? false)
  const codeError = refusal !== null && codeRefusals.has(refusal.code) ? describeError(refusal) : ''
  const pinError = refusal?.code.startsWith('VOUCHER_PIN') === true ? describeError(refusal) : ''
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    setIsMissing(code.trim() === '')
    if (code.trim() === '') {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = { code: code.trim(), ...(lockPin !== '' && { lockPin }) }
    start((key) => act('/wallet/vouchers/redeem', body, key))
  }
  const changeCode = (typed: string) => {
    onType(typed)
    setIsMissing(false)
    hideRefusal()
  }
  const changePin = (digits: string) => {
    onLockPin(digits)
    hideRefusal()
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Field
        label={words.redeem.code}
        hint={words.redeem.codeHint}
        error={isMissing ? words.redeem.codeMissing : codeError}
        {...codeProps}
        value={code}
        onChange={(event) => changeCode(event.target.value)}
      />
      {needsPin && <DigitsField {...lockPinProps} error={pinError} value={lockPin} onDigits={changePin} />}
      <Checking state={state} words={words.confirm} />
      {refusal !== null && codeError === '' && pinError === '' && (
        <Notice kind="error">{describeError(refusal)}</Notice>
      )}
      <div className="wallet-acts">
        <Button kind="main" size="l" isWide type="submit" aria-disabled={isBusy}>
          {isBusy ? words.oneMoment : words.redeem.act}
        </Button>
        <Button size="l" isWide onClick={onScan}>
          <ScanQrCode aria-hidden="true" />
          {words.redeem.scan}
        </Button>
      </div>
    </form>
  )
}

const codeProps = {
  face: 'code',
  autoCapitalize: 'characters',
  autoComplete: 'off',
  spellCheck: false,
  maxLength: 64,
} as const
