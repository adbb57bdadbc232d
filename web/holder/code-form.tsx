import { type LucideIcon, Ticket } from 'lucide-react'
import { type ChangeEvent, type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { FormTicket } from './form-ticket.tsx'
import { words } from './words.ts'
import { groupTyped, readTyped, type VoucherAddress } from '../ui/voucher-address.ts'

type CodeFormProps = {
  readonly icon?: LucideIcon
  readonly heading: string
  readonly lead: string
  readonly initial?: string
  readonly error?: string
  readonly onCode: (address: VoucherAddress) => void
}

/** A blank ticket with a field for the code. */
export function CodeForm(props: CodeFormProps): ReactNode {
  const { icon = Ticket, heading, lead, initial = '', error = '', onCode } = props
  const [typed, setTyped] = useState(initial)
  const [isMissing, setIsMissing] = useState(false)

  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setIsMissing(false)
    // Grouping moves the caret to the end, so text typed in the middle is grouped when the field loses the focus.
    if (target.selectionStart === target.value.length) target.value = groupTyped(target.value)
    setTyped(target.value)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const address = readTyped(typed)
    setIsMissing(address === null)
    if (address === null) focusFirstInvalid(event.currentTarget)
    else onCode(address)
  }

  const act = (
    <Button kind="main" size="l" isWide type="submit">
      {words.code.act}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate>
      <FormTicket icon={icon} heading={heading} act={act}>
        <p>{lead}</p>
        <Field
          label={words.code.label}
          face="code"
          value={typed}
          onChange={change}
          onBlur={() => setTyped(groupTyped(typed))}
          placeholder="XXXX-XXXX-XXXX-XXXX"
          hint={words.code.hint}
          error={isMissing ? words.code.missing : typed === initial ? error : ''}
          autoCapitalize="characters"
          autoComplete="off"
          autoCorrect="off"
          spellCheck="false"
          enterKeyHint="go"
        />
      </FormTicket>
    </form>
  )
}
