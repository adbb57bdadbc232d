import { type ReactNode, useState } from 'react'
import { Field, FieldNotes } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { place } from '../shell/place.ts'
import { act, useKnown } from '../shell/request-dashboard.ts'
import type { Endpoint, EventTypes } from '../shell/responses.ts'
import { Loaded } from '../shell/shop.tsx'
import { sayRefusal } from './say-refusal.ts'
import { developers } from '../words/developers.ts'
import { TaskDialog } from '../parts/task-dialog.tsx'

export const endpointsPath = '/webhook-endpoints'
export const typesPath = '/merchant/event-types'
const text = developers.webhooks

export type MadeEndpoint = { readonly endpoint: Endpoint; readonly secret: string }
type AddEndpointProps = { readonly onDone: (made: MadeEndpoint) => void; readonly onClose: () => void }

export function AddEndpoint({ onDone, onClose }: AddEndpointProps): ReactNode {
  const [key] = useState(() => crypto.randomUUID())
  const terms = useTerms(undefined)
  return (
    <TaskDialog<MadeEndpoint>
      describe={sayRefusal}
      heading={text.add}
      label={text.add}
      check={terms.check}
      perform={() => act(endpointsPath, terms.read(), key)}
      onDone={onDone}
      onClose={onClose}
    >
      {terms.fields}
    </TaskDialog>
  )
}

type EditEndpointProps = {
  readonly endpoint: Endpoint
  readonly onDone: () => void
  readonly onClose: () => void
}

export function EditEndpoint({ endpoint, onDone, onClose }: EditEndpointProps): ReactNode {
  const terms = useTerms(endpoint)
  return (
    <TaskDialog<Endpoint>
      describe={sayRefusal}
      heading={text.edit}
      label={text.save}
      check={terms.check}
      perform={() => act(`${endpointsPath}/${endpoint.id}`, terms.read())}
      onDone={onDone}
      onClose={onClose}
    >
      {terms.fields}
    </TaskDialog>
  )
}

type Terms = Pick<Endpoint, 'url' | 'eventTypes' | 'description'>

type TermsForm = {
  readonly check: () => boolean
  readonly read: () => Terms
  readonly fields: ReactNode
}

function useTerms(endpoint: Terms | undefined): TermsForm {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(endpoint?.eventTypes ?? [])
  const [isAll, setIsAll] = useState(chosen.length === 0)
  const faults = useFaults({
    ...(!URL.canParse(url.trim()) && { url: text.urlMissing }),
    ...(!isAll && chosen.length === 0 && { events: text.eventsMissing }),
  })
  const fields = (
    <>
      <Field
        label={text.url}
        hint={text.urlHint[place?.mode ?? 'live']}
        error={faults.of('url')}
        type="url"
        inputMode="url"
        autoComplete="off"
        maxLength={2_000}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Segmented
        label={text.events}
        value={isAll ? 'all' : 'some'}
        options={[
          ['all', text.allEvents],
          ['some', text.someEvents],
        ]}
        onChoose={(value) => setIsAll(value === 'all')}
        isWide
      />
      {!isAll && <TypeChoice chosen={chosen} error={faults.of('events')} onChoose={setChosen} />}
      <Field
        label={text.description}
        hint={text.descriptionHint}
        autoComplete="off"
        maxLength={200}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </>
  )
  return {
    check: faults.check,
    read: () => ({ url: url.trim(), eventTypes: isAll ? [] : chosen, description: description.trim() }),
    fields,
  }
}

type TypeChoiceProps = {
  readonly chosen: readonly string[]
  readonly error: string
  readonly onChoose: (types: readonly string[]) => void
}

function TypeChoice({ chosen, error, onChoose }: TypeChoiceProps) {
  const known = useKnown<EventTypes>(typesPath)
  return (
    <fieldset className="type-choice" aria-describedby={error === '' ? undefined : 'types-error'}>
      <legend className="for-screen-readers">{text.someEvents}</legend>
      <Loaded known={known}>
        {({ types }) => (
          <div className="type-list" role="group" aria-label={text.someEvents} tabIndex={0}>
            {types.map((type) => (
              <label key={type} data-group={type.endsWith('*') || undefined}>
                <input
                  type="checkbox"
                  checked={chosen.includes(type)}
                  aria-invalid={error !== '' || undefined}
                  onChange={({ target }) =>
                    onChoose(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
                  }
                />
                <code>{type}</code>
              </label>
            ))}
          </div>
        )}
      </Loaded>
      <FieldNotes id="types" hint="" error={error} />
    </fieldset>
  )
}
