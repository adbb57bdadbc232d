import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { tellNext, useOutcome } from '../../ui/use-outcome.tsx'
import { Screen } from '../shell/frame.tsx'
import { go } from '../shell/place.ts'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { Role, TeamMember, Team } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { staffing } from '../words/staffing.ts'
import { describeError, words } from '../words/words.ts'
import { SecondFactorDialog } from '../parts/task-dialog.tsx'
import { MemberSessions } from './member-sessions.tsx'
import { RoleChoice } from './role-choice.tsx'
import { teamPath } from './team-path.ts'
import { SecondFactorState } from './team.tsx'

export function OneMember({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<Team>(teamPath)
  const member = known.data?.members.find((each) => each.id === id)
  return (
    <Screen heading={member?.name ?? staffing.heading} back="/team">
      <Loaded known={known}>
        {({ members }) =>
          member === undefined ? (
            <Empty heading={words.notHere} lead={words.refusals.MEMBER_NOT_FOUND} />
          ) : (
            <Member member={member} isLastOwner={isLastOwner(member, members)} />
          )
        }
      </Loaded>
    </Screen>
  )
}

function isLastOwner({ id, role }: TeamMember, members: readonly TeamMember[]): boolean {
  return role === 'owner' && !members.some((each) => each.role === 'owner' && each.id !== id)
}

type MemberProps = { readonly member: TeamMember; readonly isLastOwner: boolean }

function Member({ member, isLastOwner: isLast }: MemberProps) {
  const [task, setTask] = useState<'role' | 'remove' | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const close = () => setTask(null)
  const finishChange = (role: Role) => {
    close()
    tell({ data: null }, staffing.roleChanged(member.name, words.shop.roles[role]))
    void refresh(teamPath)
  }
  return (
    <>
      {shown}
      {!member.isActive && <Notice kind="wait">{staffing.inactive}</Notice>}
      <div className="cards">
        <Card>
          <About member={member} />
          <div className="acts team-member-acts">
            <Button aria-disabled={isLast} onClick={() => isLast || setTask('role')}>
              {staffing.changeRole}
            </Button>
            <Button kind="danger-quiet" aria-disabled={isLast} onClick={() => isLast || setTask('remove')}>
              {staffing.remove}
            </Button>
          </div>
          {isLast && <p className="soft">{staffing.lastOwner}</p>}
        </Card>
        <MemberSessions member={member} />
      </div>
      {task === 'role' && <ChangeRole member={member} onDone={finishChange} onClose={close} />}
      {task === 'remove' && <RemoveMember member={member} onClose={close} />}
    </>
  )
}

function About({ member: { email, role, since, lastSeenAt, hasSecondFactor, isPinSet } }: Pick<MemberProps, 'member'>) {
  return (
    <Facts
      kind="plain"
      rows={[
        [staffing.email, email],
        [staffing.role, words.shop.roles[role]],
        [staffing.secondFactor, <SecondFactorState key="factor" isOn={hasSecondFactor} />],
        [staffing.pin, isPinSet ? staffing.pinSet : staffing.pinUnset],
        [staffing.lastSeen, lastSeenAt === '' ? staffing.never : <When key="seen" at={lastSeenAt} />],
        [staffing.since, <When key="since" at={since} form="day" />],
      ]}
    />
  )
}

type ChangeRoleProps = {
  readonly member: TeamMember
  readonly onDone: (role: Role) => void
  readonly onClose: () => void
}

function ChangeRole({ member, onDone, onClose }: ChangeRoleProps) {
  const [role, setRole] = useState<Role>(member.role)
  const losesRights = role !== member.role && role !== 'owner'
  return (
    <SecondFactorDialog
      heading={staffing.changeRoleOf(member.name)}
      label={staffing.save}
      perform={(confirmation) => act(`${teamPath}/${member.id}`, { role, ...confirmation })}
      onDone={() => onDone(role)}
      onClose={onClose}
    >
      <RoleChoice label={staffing.newRole} value={role} onChoose={setRole} />
      {losesRights && <Notice>{staffing.losesRights}</Notice>}
    </SecondFactorDialog>
  )
}

function RemoveMember({ member, onClose }: Omit<ChangeRoleProps, 'onDone'>) {
  const finish = () => {
    void refresh(teamPath)
    tellNext(staffing.removed(member.name))
    go('/team', 'replace')
  }
  return (
    <SecondFactorDialog
      heading={staffing.removeOf(member.name)}
      label={staffing.remove}
      isDanger
      perform={(confirmation) => act(`${teamPath}/${member.id}`, { role: 'none', ...confirmation })}
      onDone={finish}
      onClose={onClose}
    >
      <p>{staffing.removeLead}</p>
    </SecondFactorDialog>
  )
}
