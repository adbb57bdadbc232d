import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { ApiKey, ApiKeys, MadeKey } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { go, useSearchParams } from '../shell/place.ts'
import { developers } from '../words/developers.ts'
import { CreateKey } from './create-key.tsx'
import { DeveloperTabs } from './developer-tabs.tsx'
import { sayRefusal } from './say-refusal.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { ConfirmedDialog } from '../parts/task-dialog.tsx'

const keysPath = '/merchant/keys'
const text = developers.keys

type Task = { readonly kind: 'rotate' | 'revoke'; readonly apiKey: ApiKey }
type Made = { readonly key: string; readonly how: 'made' | 'rotated' }

export function Keys(): ReactNode {
  const known = useKnown<ApiKeys>(keysPath)
  const [task, setTask] = useState<Task | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const { tell, shown } = useOutcome(sayRefusal)
  // The command palette opens the form.
  const isCreating = useSearchParams().has('create')
  const close = () => go('/developers/keys', 'replace')
  const show = (key: MadeKey, how: Made['how']) => {
    setTask(null)
    setMade({ key: key.key, how })
    void refresh(keysPath)
  }
  const create = (
    <Button kind="main" onClick={() => go('/developers/keys?create', 'replace')}>
      <Plus aria-hidden="true" />
      {text.create}
    </Button>
  )
  return (
    <DeveloperTabs tab="keys" acts={create}>
      <p className="soft">{text.lead}</p>
      {shown}
      <Loaded known={known} placeholder={<SkeletonRows count={4} />}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty heading={text.none} lead={text.noneLead} />
          ) : (
            <Table caption={text.caption} columns={columnsFor(setTask)} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isCreating && made === null && (
        <CreateKey
          onClose={close}
          onDone={(key) => {
            close()
            show(key, 'made')
          }}
        />
      )}
      <KeyDialogs
        task={task}
        made={made}
        onClose={() => {
          setTask(null)
          setMade(null)
        }}
        onRotated={(key) => show(key, 'rotated')}
        onRevoked={(name) => {
          setTask(null)
          tell({ data: null }, text.revoked(name))
          void refresh(keysPath)
        }}
      />
    </DeveloperTabs>
  )
}

/** The list shows public keys in full, and secret keys never again. */
function leadOf({ key, how }: Made): string {
  if (how === 'rotated') return text.rotatedLead
  return key.startsWith('pk_') ? text.madePublicLead : text.madeLead
}

type KeyDialogsProps = {
  readonly task: Task | null
  readonly made: Made | null
  readonly onClose: () => void
  readonly onRotated: (key: MadeKey) => void
  readonly onRevoked: (name: string) => void
}

function KeyDialogs({ task, made, onClose, onRotated, onRevoked }: KeyDialogsProps) {
  if (task?.kind === 'rotate') return <RotateKey apiKey={task.apiKey} onClose={onClose} onDone={onRotated} />
  if (task?.kind === 'revoke')
    return <RevokeKey apiKey={task.apiKey} onClose={onClose} onDone={() => onRevoked(task.apiKey.name)} />
  if (made === null) return null
  return (
    <SecretDialog
      heading={text[made.how]}
      lead={leadOf(made)}
      secret={made.key}
      copy={text.copy}
      stored={text.stored}
      onClose={onClose}
    />
  )
}

function columnsFor(onTask: (task: Task) => void): readonly Column<ApiKey>[] {
  return [
    { name: text.name, kind: 'head', cell: ({ name }) => name },
    { name: text.kind, cell: ({ kind }) => text.kinds[kind] },
    { name: text.key, cell: (apiKey) => <ShownKey apiKey={apiKey} /> },
    {
      name: text.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === '' ? text.never : <When at={lastUsedAt} />),
    },
    { name: text.ends, cell: ({ endsAt }) => <Ends at={endsAt} /> },
    { name: developers.acts, kind: 'act', cell: (apiKey) => <KeyActs apiKey={apiKey} onTask={onTask} /> },
  ]
}

/** A public key can be copied. Of a secret key only its ends are stored. */
function ShownKey({ apiKey: { kind, shown, name } }: { readonly apiKey: ApiKey }) {
  if (kind === 'secret') return <code>{shown}</code>
  return (
    <span className="key-shown">
      <code title={shown}>{`${shown.slice(0, 12)}…`}</code>
      <CopyButton text={shown} label={text.copyOf(name)} kind="bare" size="s" />
    </span>
  )
}

function Ends({ at }: { readonly at: string }) {
  if (at === '') return text.never
  return hasEnded(at) ? text.ended : <When at={at} />
}

function hasEnded(at: string): boolean {
  return at !== '' && Date.parse(at) <= Date.now()
}

type KeyActsProps = { readonly apiKey: ApiKey; readonly onTask: (task: Task) => void }

function KeyActs({ apiKey, onTask }: KeyActsProps) {
  const { name, endsAt } = apiKey
  if (hasEnded(endsAt)) return ''
  return (
    <>
      {endsAt === '' && (
        <Button
          kind="bare"
          size="s"
          aria-label={text.rotateOf(name)}
          onClick={() => onTask({ kind: 'rotate', apiKey })}
        >
          {text.rotate}
        </Button>
      )}
      <Button
        kind="danger-quiet"
        size="s"
        aria-label={text.revokeOf(name)}
        onClick={() => onTask({ kind: 'revoke', apiKey })}
      >
        {text.revoke}
      </Button>
    </>
  )
}

type KeyTaskProps<Data> = {
  readonly apiKey: ApiKey
  readonly onDone: (data: Data) => void
  readonly onClose: () => void
}

function RotateKey({ apiKey: { id, name }, onDone, onClose }: KeyTaskProps<MadeKey>) {
  return (
    <ConfirmedDialog<MadeKey>
      describe={sayRefusal}
      heading={text.rotateOf(name)}
      label={text.rotateAct}
      perform={(confirmed) => act(`${keysPath}/${id}/rotate`, confirmed)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{text.rotateLead}</p>
    </ConfirmedDialog>
  )
}

function RevokeKey({ apiKey: { id, name }, onDone, onClose }: KeyTaskProps<object>) {
  return (
    <ConfirmedDialog<object>
      describe={sayRefusal}
      heading={text.revokeOf(name)}
      label={text.revokeAct}
      isDanger
      perform={(confirmed) => act(`${keysPath}/${id}/revoke`, confirmed)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{text.revokeLead}</p>
    </ConfirmedDialog>
  )
}
