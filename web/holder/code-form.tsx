import { type ChangeEvent, type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { groupTyped, readTyped, type VoucherAddress } from '../ui/voucher-address.ts'

type CodeFormProps = {
  readonly heading: string
  readonly lead: string
  readonly initial?: string
  readonly error?: string
  readonly onCode: (address: VoucherAddress) => void
}

/** A blank ticket to write a code on. */
export function CodeForm({ heading, lead, initial = '', error = '', onCode }: CodeFormProps) {
  const [typed, setTyped] = useState(initial)
  const [isMissing, setIsMissing] = useState(false)

  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setIsMissing(false)
    // Writing in the middle would throw the caret to the end, so the groups wait until the field is left.
    setTyped(target.selectionStart === target.value.length ? groupTyped(target.value) : target.value)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const address = readTyped(typed)
    setIsMissing(address === null)
    if (address !== null) onCode(address)
  }

  const body = (
    <div className="form-body">
      <PageHeading>{heading}</PageHeading>
      <p>{lead}</p>
      <Field
        label="Code"
        face="code"
        value={typed}
        onChange={change}
        onBlur={() => setTyped(groupTyped(typed))}
        placeholder="XXXX-XXXX-XXXX-XXXX"
        hint="For an old gift card, write the shop’s code and a dot before it."
        error={isMissing ? 'Please type the code first.' : error}
        autoCapitalize="characters"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
      />
    </div>
  )
  const stub = (
    <div className="form-stub">
      <Button kind="main" type="submit">
        Show the voucher
      </Button>
    </div>
  )
  return (
    <form onSubmit={submit} noValidate>
      <TicketPaper body={body} stub={stub} />
    </form>
  )
}
