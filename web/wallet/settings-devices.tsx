import { Monitor, Smartphone, Store } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Row } from '../ui/card.tsx'
import { isPhone, nameDevice } from '../ui/device-name.ts'
import { Moment } from '../ui/moment.tsx'
import { Pill } from '../ui/pill.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { useOutcome } from '../ui/use-outcome.tsx'
import { refresh, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { realm } from './realm.ts'
import { act, type Blocks, remove } from './request-wallet.ts'
import { describeError, words } from './words.ts'

type Session = {
  readonly id: string
  readonly token: string
  readonly userAgent?: string | null
  readonly createdAt: string
  readonly isThis?: boolean
}

const path = `/auth/${realm}/list-sessions`

/** The devices on which the user is signed in. */
export function DeviceSettings(): ReactNode {
  const known = useKnown<readonly Session[]>(path)
  const { tell, shown } = useOutcome(describeError)
  const signOut = (token: string) =>
    void act(`/auth/${realm}/revoke-session`, { token }).then((answer) => {
      tell(answer, words.settings.deviceSignedOut)
      void refresh(path)
    })
  return (
    <Card heading={words.settings.sessions}>
      <div className="wallet-stack">
        <Loaded known={known} placeholder={<SkeletonRows count={2} />}>
          {(sessions) => (
            <ul className="row-list wallet-rows">
              {sessions.map((session) => (
                <li key={session.id}>
                  <SessionRow session={session} onSignOut={() => signOut(session.token)} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {shown}
      </div>
    </Card>
  )
}

function SessionRow({ session, onSignOut }: { readonly session: Session; readonly onSignOut: () => void }) {
  const { userAgent, createdAt, isThis } = session
  return (
    <Row
      lead={<IconTile icon={isPhone(userAgent ?? '') ? Smartphone : Monitor} />}
      title={nameDevice(userAgent ?? '') || words.settings.unknownDevice}
      detail={<Moment at={createdAt} />}
      end={
        isThis === true ? (
          <Pill tone="good">{words.settings.thisDevice}</Pill>
        ) : (
          <Button kind="danger-quiet" size="s" onClick={onSignOut}>
            {words.settings.signOutDevice}
          </Button>
        )
      }
    />
  )
}

/** The merchants that may not request payments. */
export function BlockSettings(): ReactNode {
  const known = useKnown<Blocks>('/wallet/blocks')
  return (
    <Card heading={words.settings.blocked}>
      <Loaded known={known} placeholder={<SkeletonRows count={1} />}>
        {({ blocked }) =>
          blocked.length === 0 ? (
            <p className="soft">{words.settings.noBlocked}</p>
          ) : (
            <ul className="row-list wallet-rows">
              {blocked.map(({ merchantId, name }) => (
                <li key={merchantId}>
                  <BlockRow merchantId={merchantId} name={name} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function BlockRow({ merchantId, name }: Blocks['blocked'][number]) {
  const unblock = () => void remove(`/wallet/blocks/${merchantId}`).then(() => refresh('/wallet/blocks'))
  return (
    <Row
      lead={<IconTile icon={Store} />}
      title={name}
      end={
        <Button size="s" onClick={unblock}>
          {words.settings.unblock}
        </Button>
      }
    />
  )
}
