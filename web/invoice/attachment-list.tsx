import { type ChangeEvent, type ReactNode, useId, useRef } from 'react'
import { mediaTypes } from '../../server/src/billing/invoice/file-kind.ts'
import { attachmentsMax } from '../../server/src/billing/invoice/limits.ts'
import { Button } from '../ui/button.tsx'
import { writeSize } from '../ui/file-size.ts'
import type { AttachedFile, Attachments } from './use-attachments.ts'
import { words } from './words.ts'

type AttachmentListProps = {
  readonly attachments: Attachments
  /** Why the files keep the invoice from being sent. */
  readonly error: string
}

/** The files of an invoice, and the button that adds one. */
export function AttachmentList({ attachments: { files, isOver, add, remove }, error }: AttachmentListProps): ReactNode {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const adder = useRef<HTMLDivElement>(null)
  const shown = isOver ? words.file.tooMany : error
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    add([...(event.target.files ?? [])])
    // The same file can be chosen again after it was removed.
    event.target.value = ''
  }
  const drop = (key: string) => {
    remove(key)
    // The button that was pressed goes away with its file.
    adder.current?.querySelector('button')?.focus()
  }
  return (
    <section aria-labelledby={`${id}-heading`} className="invoice-files">
      <h2 id={`${id}-heading`}>{words.form.files}</h2>
      <p className="field-hint" id={`${id}-hint`}>
        {words.file.hint}
      </p>
      <ul className="invoice-file-list">
        {files.map((file) => (
          <FileRow key={file.key} file={file} onRemove={() => drop(file.key)} />
        ))}
      </ul>
      {/* Not the browser's own button: its words are in the browser's language. */}
      <input ref={input} type="file" accept={mediaTypes.join()} multiple hidden onChange={choose} />
      <div ref={adder}>
        <Button
          aria-describedby={`${id}-hint ${id}-error`}
          aria-disabled={files.length >= attachmentsMax}
          onClick={() => files.length < attachmentsMax && input.current?.click()}
        >
          {words.file.add}
        </Button>
      </div>
      <p className="field-error" id={`${id}-error`} role="alert">
        {shown}
      </p>
    </section>
  )
}

function FileRow({ file, onRemove }: { readonly file: AttachedFile; readonly onRemove: () => void }) {
  const { name, size, progress, id, error } = file
  const isUploading = id === '' && error === ''
  return (
    <li className="invoice-file" data-failed={error !== '' || undefined}>
      <span className="invoice-file-name">{name}</span>
      <span className="invoice-more">{writeSize(size)}</span>
      <Button kind="bare" aria-label={words.file.removeNamed(name)} onClick={onRemove}>
        {words.line.remove}
      </Button>
      {isUploading && <progress className="invoice-progress" aria-label={name} value={progress} max={1} />}
      <span className={error === '' ? 'field-hint' : 'field-error'} role="status">
        {error || (isUploading ? words.file.uploading : words.file.uploaded)}
      </span>
    </li>
  )
}
