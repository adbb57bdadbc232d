import { useState } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm, Done, Loaded, useBalances } from './parts.tsx'
import { useAct } from './use-act.ts'
import { words } from './words.ts'

export function Buy() {
  const balances = useBalances()
  const { amount, currency, fields } = useAmount(balances.held)
  const [who, setWho] = useState('')
  const buying = useAct<{ readonly id: string }>()
  if (buying.done !== null)
    return (
      <Screen heading={words.buy.heading}>
        <Done
          heading={words.buy.done}
          lead={who.trim() === '' ? words.buy.doneMine : words.buy.doneGift(who.trim())}
          to="/vouchers"
        />
      </Screen>
    )
  const buy = (pin: string | undefined) => {
    const gift = who.trim() === '' ? {} : { for: who.trim() }
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
                value={who}
                onChange={(event) => setWho(event.target.value)}
              />
            </Confirm>
          )
        }
      </Loaded>
    </Screen>
  )
}
