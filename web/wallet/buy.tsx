import { useState, type ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, type Bought } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm, Done, Loaded, useBalances } from './parts.tsx'
import { useAct } from './use-act.ts'
import { words } from './words.ts'

export function Buy(): ReactNode {
  const balances = useBalances()
  const { amount, currency, fields } = useAmount(balances.held)
  const [recipient, setRecipient] = useState('')
  const buying = useAct<Bought>()
  if (buying.done !== null)
    return (
      <Screen heading={words.buy.heading}>
        <Done
          heading={words.buy.done}
          lead={recipient.trim() === '' ? words.buy.doneMine : words.buy.doneGift(recipient.trim())}
          to="/vouchers"
        />
      </Screen>
    )
  const buy = (pin: string | undefined) => {
    const gift = recipient.trim() === '' ? {} : { for: recipient.trim() }
    const body = { amount, currency, ...gift, pin }
    buying.start((key) => act('/wallet/vouchers', body, key))
  }
  return (
    <Screen heading={words.buy.heading} back="/vouchers">
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.home.nothingLead}</Notice>
          ) : (
            <Confirm label={words.buy.act} act={buying} isDisabled={amount === ''} onConfirm={buy}>
              {fields}
              <Field
                label={words.buy.for}
                hint={words.buy.forHint}
                autoCapitalize="none"
                spellCheck={false}
                value={recipient}
                onChange={(event) => setRecipient(event.target.value)}
              />
            </Confirm>
          )
        }
      </Loaded>
    </Screen>
  )
}
