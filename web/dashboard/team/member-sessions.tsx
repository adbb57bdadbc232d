import { Monitor, Smartphone } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconTile } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { isPhone, nameDevice } from '../../ui/device-name.ts'
import { Pill } from '../../ui/pill.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { MemberSessions as Sessions, TeamMember } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { staffing } from '../words/staffing.ts'
import { describeError } from '../words/words.ts'
import { teamPath } from './team-path.ts'

type Session = Sessions['sessions'][number]
type Ending = { readonly path: string; readonly count: number; readonly device: string }

/** Where a member is signed in. The owner ends sessions of lost devices. */
export function MemberSessions({ member }: { readonly member: TeamMember }): ReactNode {
  const path = `${teamPath}/${member.id}/sessions`
  const known = useKnown<Sessions>(path)
  const [ending, setEnding] = useState<Ending | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const count = known.data?.sessions.length ?? 0
  const finish = (text: string) => {
    setEnding(null)
    tell({ data: null }, text)
    void refresh(path)
  }
  const endAll = { path: `${path}/end`, count, device: '' }
  return (
    <Card
      heading={staffing.sessions}
      hasPadding={false}
      foot={
        <>
          <p className="soft">{staffing.sessionsLead}</p>
          {count > 1 && (
            <Button kind="danger-quiet" size="s" onClick={() => setEnding(endAll)}>
              {staffing.endAll}
            </Button>
          )}
        </>
      }
    >
      {shown}
      <Loaded known={known} placeholder={<SkeletonRows count={2} />}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <p className="team-none">{staffing.noSessions}</p>
          ) : (
            <ul className="row-list">
              {sessions.map((session) => (
                <li key={session.id}>
                  <SessionRow
                    session={session}
                    onEnd={(device) => setEnding({ path: `${path}/${session.id}/end`, count: 1, device })}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {ending !== null && <EndSessions ending={ending} onDone={finish} onClose={() => setEnding(null)} />}
    </Card>
  )
}

type EndSessionsProps = {
  readonly ending: Ending
  readonly onDone: (text: string) => void
  readonly onClose: () => void
}

function EndSessions({ ending: { path, count, device }, onDone, onClose }: EndSessionsProps) {
  const isAll = device === ''
  return (
    <TaskDialog
      heading={isAll ? staffing.endAll : staffing.endOf(device)}
      label={isAll ? staffing.endAll : staffing.end}
      isDanger
      perform={() => act(path, {})}
      onDone={() => onDone(isAll ? staffing.allEnded(count) : staffing.ended)}
      onClose={onClose}
    >
      <p>{staffing.endAllLead}</p>
    </TaskDialog>
  )
}

type SessionRowProps = { readonly session: Session; readonly onEnd: (device: string) => void }

function SessionRow({ session: { userAgent, startedAt, isTill, hasPasskey, isThis }, onEnd }: SessionRowProps) {
  const device = nameDevice(userAgent) || staffing.unknownDevice
  return (
    <Row
      lead={<IconTile icon={isPhone(userAgent) ? Smartphone : Monitor} />}
      title={device}
      detail={
        <>
          {staffing.started} <When at={startedAt} />
          {isTill && ` · ${staffing.atTill}`}
          {hasPasskey && ` · ${staffing.byPasskey}`}
        </>
      }
      end={
        isThis ? (
          <Pill tone="good">{staffing.thisSession}</Pill>
        ) : (
          <Button kind="danger-quiet" size="s" aria-label={staffing.endOf(device)} onClick={() => onEnd(device)}>
            {staffing.end}
          </Button>
        )
      }
    />
  )
}
