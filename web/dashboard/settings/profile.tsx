import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { SecondFactorDialog } from '../parts/task-dialog.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act, refresh } from '../shell/request-dashboard.ts'
import type { Settings } from '../shell/responses.ts'
import { settingWords } from '../words/setting-words.ts'
import { describeError } from '../words/words.ts'
import { settingsPath } from './settings-path.ts'

type ProfileProps = { readonly settings: Settings; readonly isOwner: boolean }

/** The name, the time zone and the home currency of the shop. */
export function Profile({ settings, isOwner }: ProfileProps): ReactNode {
  const { code, companyName, tradingName, timeZone, homeCurrency } = settings
  const [isChanging, setIsChanging] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const finish = () => {
    setIsChanging(false)
    tell({ data: null }, settingWords.saved)
    void refresh(settingsPath)
    // The name and the time zone are all over the dashboard.
    void refresh('/me/merchants')
  }
  return (
    <Card heading={settingWords.profile}>
      {shown}
      <Facts
        kind="plain"
        rows={[
          [settingWords.companyName, companyName],
          [settingWords.tradingName, tradingName || settingWords.sameAsCompany],
          [settingWords.code, <code key="code">{code}</code>],
          [settingWords.timeZone, timeZone],
          [settingWords.homeCurrency, homeCurrency],
        ]}
      />
      <p className="soft">{settingWords.homeCurrencyLead}</p>
      {isOwner && (
        <div className="acts settings-acts">
          <Button onClick={() => setIsChanging(true)}>{settingWords.change}</Button>
        </div>
      )}
      {isChanging && <ChangeProfile settings={settings} onDone={finish} onClose={() => setIsChanging(false)} />}
    </Card>
  )
}

type ChangeProps = { readonly settings: Settings; readonly onDone: () => void; readonly onClose: () => void }

function ChangeProfile({ settings, onDone, onClose }: ChangeProps) {
  const [companyName, setCompanyName] = useState(settings.companyName)
  const [tradingName, setTradingName] = useState(settings.tradingName)
  const [timeZone, setTimeZone] = useState(settings.timeZone)
  const faults = useFaults(companyName.trim() === '' ? { companyName: settingWords.companyNameMissing } : {})
  // An empty field counts as left out, so a name that is removed becomes that of the company.
  const shownName = tradingName.trim() === '' && settings.tradingName !== '' ? companyName : tradingName
  const changes = { companyName, tradingName: shownName, timeZone }
  return (
    <SecondFactorDialog
      heading={settingWords.change}
      label={settingWords.save}
      check={faults.check}
      perform={(confirmation) => act(settingsPath, { ...changes, ...confirmation })}
      onDone={onDone}
      onClose={onClose}
    >
      <p className="soft">{settingWords.profileLead}</p>
      <Field
        label={settingWords.companyName}
        error={faults.of('companyName')}
        autoComplete="organization"
        maxLength={120}
        value={companyName}
        onChange={(event) => setCompanyName(event.target.value)}
      />
      <Field
        label={settingWords.tradingName}
        hint={settingWords.tradingNameHint}
        autoComplete="off"
        maxLength={120}
        value={tradingName}
        onChange={(event) => setTradingName(event.target.value)}
      />
      <Choice
        label={settingWords.timeZone}
        value={timeZone}
        onChange={(event) => setTimeZone(event.target.value)}
        options={listZones(settings.timeZone)}
      />
      <p className="soft">{settingWords.timeZoneHint}</p>
    </SecondFactorDialog>
  )
}

/** The zones that the browser knows, and the one that is set. */
function listZones(current: string): (readonly [string, string])[] {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', current])
  return [...zones].toSorted().map((zone) => [zone, zone.replaceAll('_', ' ')])
}
