import { type ReactNode, useEffect, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Choice } from '../../ui/choice.tsx'
import { focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { Act } from '../../ui/use-act.ts'
import type { CheckedPayouts, PayoutCheck, PendingOutflow } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { go, Link } from '../shell/place.ts'
import { formatMoney, useCurrencies, useShop } from '../shell/shop.tsx'
import { checkForm, onSubmit } from '../parts/use-faults.ts'
import { usePin } from '../parts/use-pin.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'
import { CheckResult } from './check-result.tsx'

type FileInput = { readonly csv: string; readonly currency: string }

const path = '/merchant-integrations-server/payout-batches'

/** Pays a file of payouts. The file is checked first, and any change of it needs another check. */
export function PayFile(): ReactNode {
  const { merchant } = useShop()
  const [input, setInput] = useState<FileInput>({ csv: '', currency: merchant.homeCurrency })
  const checking = useAct<CheckedPayouts>()
  const paying = useAct<CheckedPayouts | PendingOutflow>()
  const { done } = paying
  const batchId = done === null ? undefined : idOf(done)
  useEffect(() => {
    if (batchId !== undefined) go(`/payouts/files/${batchId}`, 'replace')
  }, [batchId])
  const change = (changes: Partial<FileInput>) => {
    checking.again()
    paying.again()
    setInput((current) => ({ ...current, ...changes }))
  }
  const check = checking.done?.check
  return (
    <Screen
      heading={money.file.heading}
      back="/payouts"
      acts={
        <Link className="button" data-kind="quiet" to="/payouts/files">
          {money.payouts.files}
        </Link>
      }
    >
      <p className="soft">{money.file.lead}</p>
      <FileForm
        input={input}
        isBusy={checking.state !== 'idle' || paying.state !== 'idle'}
        isChecked={check !== undefined}
        refusal={checking.refusal}
        onChange={change}
        onCheck={() => checking.start(() => act(path, input))}
      />
      {check !== undefined && (
        <CheckedFile
          check={check}
          paying={paying}
          onPay={(pin) =>
            paying.start((referenceId) => act(path, { ...input, confirmation: check.confirmation, pin, referenceId }))
          }
        />
      )}
    </Screen>
  )
}

/** The batch has the id of the outflow that waits. */
function idOf(done: CheckedPayouts | PendingOutflow): string | undefined {
  return 'id' in done ? done.id : done.batch?.id
}

type FileFormProps = {
  readonly input: FileInput
  readonly isBusy: boolean
  readonly isChecked: boolean
  readonly refusal: Act<unknown>['refusal']
  readonly onChange: (changes: Partial<FileInput>) => void
  readonly onCheck: () => void
}

function FileForm({ input: { csv, currency }, isBusy, isChecked, refusal, onChange, onCheck }: FileFormProps) {
  const currencies = useCurrencies().filter(({ isActive }) => isActive)
  const { isMarked, check } = useMark(csv.trim() !== '')
  return (
    <form
      className="fields"
      noValidate
      onSubmit={onSubmit((form) => {
        if (check()) onCheck()
        else focusFirstInvalid(form)
      })}
    >
      <Choice
        label={words.currency}
        value={currency}
        disabled={isBusy}
        onChange={(event) => onChange({ currency: event.target.value })}
        options={currencies.map(({ abbreviation }) => [abbreviation, abbreviation])}
      />
      <label className="field">
        <span className="field-label">{money.file.choose}</span>
        <input
          className="field-input payout-file"
          type="file"
          accept=".csv,text/csv,text/plain"
          disabled={isBusy}
          onChange={(event) => void event.target.files?.[0]?.text().then((text) => onChange({ csv: text }))}
        />
      </label>
      <PasteField csv={csv} isBusy={isBusy} isMissing={isMarked} onChange={onChange} />
      {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      {!isChecked && (
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : money.file.check}
          </Button>
        </div>
      )}
    </form>
  )
}

type PasteFieldProps = {
  readonly csv: string
  readonly isBusy: boolean
  readonly isMissing: boolean
  readonly onChange: (changes: Partial<FileInput>) => void
}

function PasteField({ csv, isBusy, isMissing, onChange }: PasteFieldProps) {
  const missing = useId()
  const format = useId()
  return (
    <label className="field">
      <span className="field-label">{money.file.paste}</span>
      <textarea
        className="field-input payout-text"
        rows={8}
        spellCheck={false}
        placeholder={money.file.example}
        value={csv}
        disabled={isBusy}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${missing} ${format}` : format}
        onChange={(event) => onChange({ csv: event.target.value })}
      />
      {isMissing && (
        <span className="field-error" id={missing} role="alert">
          {money.file.missing}
        </span>
      )}
      <span className="field-hint" id={format}>
        {money.file.format}
      </span>
    </label>
  )
}

type CheckedFileProps = {
  readonly check: PayoutCheck
  readonly paying: Pick<Act<unknown>, 'state' | 'refusal' | 'forget'>
  readonly onPay: (pin: string) => void
}

/** The result of the check, and the button that pays the accepted rows. */
function CheckedFile({ check, paying, onPay }: CheckedFileProps) {
  const pin = usePin(paying)
  const isBusy = paying.state !== 'idle'
  const { accepted, total, currency, isCovered, outflow } = check
  const isPossible = accepted > 0 && isCovered && outflow !== 'above_daily'
  return (
    <section className="section" aria-label={money.file.checked}>
      <h2>{money.file.checked}</h2>
      <CheckResult check={check} />
      {isPossible && (
        <form
          className="fields"
          noValidate
          onChange={paying.forget}
          onSubmit={onSubmit((form) => {
            if (!isBusy && checkForm(form, pin.check)) onPay(pin.take())
          })}
        >
          {pin.field}
          <Checking state={paying.state} words={words.checking} />
          {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy}>
              {isBusy ? words.oneMoment : money.file.act(accepted, formatMoney(total, currency))}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
