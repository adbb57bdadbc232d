import { useEffect, type ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/button.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { Merchant, Person } from '../shell/responses.ts'
import { act, forgetAll } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { enter, lastPlace, leave } from '../shell/place.ts'
import {} from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

type ChooseShopProps = { readonly person: Person; readonly merchants: readonly Merchant[] }

/** Opens the last used shop or the only one. Otherwise shows the list of shops. */
export function ChooseShop({ person, merchants }: ChooseShopProps): ReactNode {
  const last = lastPlace()
  const known = merchants.some(({ code }) => code === last?.code) ? last : null
  const [only] = merchants
  const next =
    known ?? (merchants.length === 1 && only !== undefined ? { code: only.code, mode: 'live' as const } : null)
  useEffect(() => {
    if (next !== null) enter(next, 'replace')
  })
  if (next !== null) return <Screen heading={words.oneMoment}>{null}</Screen>
  if (merchants.length === 0)
    return (
      <Screen heading={words.shop.none}>
        <p>{words.shop.noneLead}</p>
        <p className="soft">{person.email}</p>
        <div className="acts">
          <SignOut />
        </div>
      </Screen>
    )
  return (
    <Screen heading={words.shop.choose}>
      <ul className="shop-list">
        {merchants.map(({ code, name, role }) => (
          <li key={code}>
            <button type="button" onClick={() => enter({ code, mode: 'live' })}>
              <strong>{name}</strong>
              <span className="soft">{words.shop.roles[role]}</span>
            </button>
          </li>
        ))}
      </ul>
    </Screen>
  )
}

export function UnknownShop(): ReactNode {
  return (
    <Screen heading={words.shop.unknown}>
      <Empty heading={words.shop.unknown} lead={words.shop.unknownLead}>
        <Button kind="main" onClick={leave}>
          {words.shop.others}
        </Button>
      </Empty>
    </Screen>
  )
}

/** Signs out and clears all cached data. */
async function signOut(): Promise<Answer<object>> {
  const response = await act<object>('/auth/staff/sign-out', {})
  // A session that the server no longer knows has ended already.
  if ('refusal' in response && response.refusal.code !== 'SESSION_MISSING') return response
  forgetAll()
  leave()
  return response
}

export function SignOut(): ReactNode {
  const { tell, shown } = useOutcome(describeError)
  return (
    <>
      <Button onClick={() => void signOut().then((response) => tell(response, ''))}>{words.account.signOut}</Button>
      {shown}
    </>
  )
}
