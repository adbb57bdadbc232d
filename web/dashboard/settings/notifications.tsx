import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import type { Language } from '../../ui/locale.ts'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { SecondFactorDialog } from '../parts/task-dialog.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act, refresh } from '../shell/request-dashboard.ts'
import type { Settings } from '../shell/responses.ts'
import { settingWords } from '../words/setting-words.ts'
import { describeError } from '../words/words.ts'
import { settingsPath } from './settings-path.ts'

type NotificationsProps = { readonly settings: Settings; readonly isOwner: boolean }

/** Where emails to the shop go, and in which language. */
export function Notifications({ settings, isOwner }: NotificationsProps): ReactNode {
  const { contactEmail, language } = settings
  const [isChanging, setIsChanging] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const finish = () => {
    setIsChanging(false)
    tell({ data: null }, settingWords.saved)
    void refresh(settingsPath)
  }
  return (
    <Card heading={settingWords.notifications}>
      {shown}
      <p className="soft">{settingWords.notificationsLead}</p>
      <Facts
        kind="plain"
        rows={[
          [settingWords.address, contactEmail || settingWords.noAddress],
          [settingWords.language, settingWords.languages[language]],
        ]}
      />
      {isOwner && (
        <div className="acts settings-acts">
          <Button onClick={() => setIsChanging(true)}>{settingWords.changeNotifications}</Button>
        </div>
      )}
      {isChanging && <ChangeNotifications settings={settings} onDone={finish} onClose={() => setIsChanging(false)} />}
    </Card>
  )
}

type ChangeProps = { readonly settings: Settings; readonly onDone: () => void; readonly onClose: () => void }

function ChangeNotifications({ settings, onDone, onClose }: ChangeProps) {
  const [typed, setTyped] = useState(settings.contactEmail)
  const [language, setLanguage] = useState<Language>(settings.language)
  const address = typed.trim()
  const isValid = address === '' || /^[^\s@]+@[^\s@]+$/.test(address)
  const faults = useFaults(isValid ? {} : { address: settingWords.addressInvalid })
  const changes = { contactEmail: address === '' ? 'none' : address, language }
  return (
    <SecondFactorDialog
      heading={settingWords.changeNotifications}
      label={settingWords.save}
      check={faults.check}
      perform={(confirmation) => act(settingsPath, { ...changes, ...confirmation })}
      onDone={onDone}
      onClose={onClose}
    >
      <Field
        label={settingWords.address}
        hint={settingWords.addressHint}
        error={faults.of('address')}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Choice
        label={settingWords.language}
        value={language}
        onChange={(event) => setLanguage(event.target.value as Language)}
        options={Object.entries(settingWords.languages)}
      />
    </SecondFactorDialog>
  )
}
