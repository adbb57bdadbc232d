import { Mail, ShieldCheck, ShieldOff, UserPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Avatar, IconTile } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { Pill } from '../../ui/pill.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { Invitation, Team, TeamMember } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { staffing } from '../words/staffing.ts'
import { describeError, words } from '../words/words.ts'
import { InviteMember } from './invite-member.tsx'
import { teamPath } from './team-path.ts'

/** The staff of the shop, and who was invited. */
export function TeamScreen(): ReactNode {
  const known = useKnown<Team>(teamPath)
  const [isInviting, setIsInviting] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const finish = (text: string) => {
    setIsInviting(false)
    tell({ data: null }, text)
    void refresh(teamPath)
  }
  const invite = (
    <Button kind="main" onClick={() => setIsInviting(true)}>
      <UserPlus aria-hidden="true" />
      {staffing.invite}
    </Button>
  )
  return (
    <Screen heading={staffing.heading} lead={staffing.lead} acts={invite}>
      {shown}
      <Loaded known={known} placeholder={<SkeletonRows count={4} />}>
        {({ members, invitations }) => (
          <div className="section">
            <Table caption={staffing.caption} columns={columns} rows={members} keyOf={({ id }) => id} />
            {invitations.length > 0 && <Invitations invitations={invitations} onDone={finish} />}
          </div>
        )}
      </Loaded>
      {isInviting && <InviteMember onDone={finish} onClose={() => setIsInviting(false)} />}
    </Screen>
  )
}

const columns: readonly Column<TeamMember>[] = [
  {
    name: staffing.member,
    kind: 'head',
    cell: ({ id, name, email, isYou }) => (
      <TableWhat
        icon={<Avatar name={name} size="s" />}
        title={
          <Link className="cover-link" to={`/team/${id}`}>
            {name}
          </Link>
        }
        second={<span className="table-second">{isYou ? `${staffing.you} · ${email}` : email}</span>}
      />
    ),
  },
  {
    name: staffing.secondFactor,
    kind: 'extra',
    cell: ({ hasSecondFactor }) => <SecondFactorState isOn={hasSecondFactor} />,
  },
  {
    name: staffing.lastSeen,
    kind: 'extra',
    cell: ({ lastSeenAt }) => (lastSeenAt === '' ? staffing.never : <When at={lastSeenAt} />),
  },
  { name: staffing.role, kind: 'sum', cell: ({ role }) => words.shop.roles[role] },
]

export function SecondFactorState({ isOn }: { readonly isOn: boolean }): ReactNode {
  return (
    <Pill tone={isOn ? 'good' : 'over'} icon={isOn ? ShieldCheck : ShieldOff}>
      {isOn ? staffing.secondFactorOn : staffing.secondFactorOff}
    </Pill>
  )
}

type InvitationsProps = { readonly invitations: readonly Invitation[]; readonly onDone: (text: string) => void }

type Task = { readonly kind: 'resend' | 'withdraw'; readonly email: string }

function Invitations({ invitations, onDone }: InvitationsProps) {
  const [task, setTask] = useState<Task | null>(null)
  const finish = (text: string) => {
    setTask(null)
    onDone(text)
  }
  return (
    <Card heading={staffing.invitations} hasPadding={false}>
      <ul className="row-list">
        {invitations.map((invitation) => (
          <li key={invitation.email}>
            <InvitationRow invitation={invitation} onTask={setTask} />
          </li>
        ))}
      </ul>
      {task !== null && <InvitationTask task={task} onDone={finish} onClose={() => setTask(null)} />}
    </Card>
  )
}

type InvitationRowProps = { readonly invitation: Invitation; readonly onTask: (task: Task) => void }

function InvitationRow({ invitation: { email, role, invitedAt, expiresAt }, onTask }: InvitationRowProps) {
  return (
    <Row
      lead={<IconTile icon={Mail} shape="square" />}
      title={<span className="team-email">{email}</span>}
      detail={
        <>
          {staffing.invitedOn(words.shop.roles[role])} <When at={invitedAt} form="day" />, {staffing.expires}{' '}
          <When at={expiresAt} form="day" />
        </>
      }
      end={
        <span className="acts">
          <Button size="s" aria-label={staffing.resendTo(email)} onClick={() => onTask({ kind: 'resend', email })}>
            {staffing.resend}
          </Button>
          <Button
            kind="danger-quiet"
            size="s"
            aria-label={staffing.withdrawOf(email)}
            onClick={() => onTask({ kind: 'withdraw', email })}
          >
            {staffing.withdraw}
          </Button>
        </span>
      }
    />
  )
}

type InvitationTaskProps = {
  readonly task: Task
  readonly onDone: (text: string) => void
  readonly onClose: () => void
}

function InvitationTask({ task: { kind, email }, onDone, onClose }: InvitationTaskProps) {
  const isWithdrawal = kind === 'withdraw'
  return (
    <TaskDialog
      heading={isWithdrawal ? staffing.withdrawOf(email) : staffing.resendHeading(email)}
      label={isWithdrawal ? staffing.withdraw : staffing.resend}
      isDanger={isWithdrawal}
      perform={() => act(`/merchant/invitations/${kind}`, { email })}
      onDone={() => onDone(isWithdrawal ? staffing.withdrawn(email) : staffing.resent(email))}
      onClose={onClose}
    >
      <p>{isWithdrawal ? staffing.withdrawLead : staffing.inviteLead}</p>
    </TaskDialog>
  )
}
