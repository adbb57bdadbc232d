import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import { TextArea } from '../../ui/text-area.tsx'
import { useMark } from '../../ui/use-mark.ts'
import { describeError, words } from '../words/words.ts'
import './csv-form.css'
import { onSubmit } from './use-faults.ts'

/** The texts of one kind of file. */
type CsvTexts = {
  readonly file: string
  readonly paste: string
  readonly format: string
  readonly missing: string
  readonly check: string
}

type CsvFormProps = {
  readonly texts: CsvTexts
  /** The first lines of a valid file. */
  readonly example: string
  readonly csv: string
  readonly isBusy: boolean
  /** A checked file needs no other check until it changes. */
  readonly isChecked: boolean
  readonly refusal: Refusal | null
  readonly onChange: (csv: string) => void
  readonly onCheck: () => void
  /** Fields before the file. */
  readonly children?: ReactNode
}

/** Takes a CSV file, chosen or pasted, and has it checked. */
export function CsvForm(props: CsvFormProps): ReactNode {
  const { texts, example, csv, isBusy, isChecked, refusal, onChange, onCheck, children } = props
  const { isMarked, check } = useMark(csv.trim() !== '')
  const submit = onSubmit((form) => {
    if (isBusy) return
    if (check()) onCheck()
    else focusFirstInvalid(form)
  })
  return (
    <form className="fields" noValidate onSubmit={submit}>
      {children}
      <Field
        label={texts.file}
        type="file"
        accept=".csv,text/csv,text/plain"
        disabled={isBusy}
        onChange={(event) => void event.target.files?.[0]?.text().then(onChange)}
      />
      <div className="csv-text">
        <TextArea
          label={texts.paste}
          hint={texts.format}
          error={isMarked ? texts.missing : ''}
          rows={8}
          spellCheck={false}
          placeholder={example}
          value={csv}
          disabled={isBusy}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      {!isChecked && (
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : texts.check}
          </Button>
        </div>
      )}
    </form>
  )
}
