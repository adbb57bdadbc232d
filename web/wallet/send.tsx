import { useState, type ReactNode } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, read, type Recipient } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm, Done, Loaded, Money, useBalances } from './parts.tsx'
import { useAct } from './use-act.ts'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

/** First the recipient, whose full name the user checks, then the amount. */
export function Send(): ReactNode {
  const [to, setTo] = useState('')
  const [recipient, setRecipient] = useState<Recipient | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isMissing, setIsMissing] = useState(false)
  const [isLoading, setIsLoading] = useState(false)
  if (recipient !== null) return <SendTo recipient={recipient} to={to.trim()} onAnother={() => setRecipient(null)} />
  return (
    <Screen heading={words.send.heading} back="/">
      <form
        className="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isLoading) return
          setIsMissing(to.trim() === '')
          if (to.trim() === '') {
            focusFirstInvalid(event.currentTarget)
            return
          }
          setIsLoading(true)
          void read<Recipient>(`/wallet/people/${encodeURIComponent(to.trim())}`).then((answer) => {
            setIsLoading(false)
            setRefusal('refusal' in answer ? answer.refusal : null)
            if ('data' in answer) setRecipient(answer.data)
          })
        }}
      >
        <Field
          label={words.send.to}
          hint={words.send.toHint}
          autoCapitalize="none"
          spellCheck={false}
          value={to}
          error={isMissing ? words.send.toMissing : refusal === null ? '' : describeError(refusal)}
          onChange={(event) => {
            setTo(event.target.value)
            setIsMissing(false)
            setRefusal(null)
          }}
        />
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isLoading}>
            {isLoading ? words.oneMoment : words.send.find}
          </Button>
        </div>
      </form>
    </Screen>
  )
}

type SendToProps = { readonly recipient: Recipient; readonly to: string; readonly onAnother: () => void }

function SendTo({ recipient: { fullName }, to, onAnother }: SendToProps) {
  const balances = useBalances()
  const sending = useAct<object>()
  const { state, refusal } = sending
  const { amount, currency, fields, check } = useAmount(balances.held, refusal)
  const [note, setNote] = useState('')
  const [sent, setSent] = useState({ amount: '', currency: '' })
  if (sending.done !== null)
    return (
      <Screen heading={words.send.heading}>
        <Done heading={words.send.sent} lead={words.send.sentLead(fullName)}>
          <Money value={sent.amount} code={sent.currency} size="large" />
        </Done>
      </Screen>
    )
  const send = (pin: string | undefined) => {
    setSent({ amount, currency })
    const body = { to, amount, currency, note: note.trim(), pin }
    sending.start((key) => act('/wallet/send', body, key))
  }
  const others = refusal !== null && isAboutAmount(refusal) ? null : refusal
  return (
    <Screen heading={words.send.heading} above={words.send.lead(fullName)} back="/">
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.home.nothingLead}</Notice>
          ) : (
            <Confirm label={words.send.act} act={{ state, refusal: others }} check={check} onConfirm={send}>
              {fields}
              <Field
                label={words.send.note}
                hint={words.send.noteHint}
                maxLength={200}
                value={note}
                onChange={(event) => setNote(event.target.value)}
              />
            </Confirm>
          )
        }
      </Loaded>
      <Button kind="bare" onClick={onAnother}>
        {words.send.another}
      </Button>
    </Screen>
  )
}
