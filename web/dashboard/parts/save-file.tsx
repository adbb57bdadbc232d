import { Download } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { unreachable } from '../../ui/request.ts'
import type { Answer, Refusal } from '../../ui/send-request.ts'
import { open } from '../shell/request-dashboard.ts'
import { PinDialog } from './pin-dialog.tsx'
import { place } from '../shell/place.ts'
import { describeError, words } from '../words/words.ts'

type SaveButtonProps = {
  readonly path: string
  readonly fileName: string
  readonly label: string
  readonly kind?: 'main' | 'quiet'
  /** The file, for screen readers, where several buttons have the same label. */
  readonly about?: string
}

/** Downloads a file with the staff member's session, and shows the progress. */
export function SaveButton({ path, fileName, label, kind = 'quiet', about = '' }: SaveButtonProps): ReactNode {
  const [progress, setProgress] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isError: boolean } | null>(null)
  const isBusy = progress !== null
  const save = async () => {
    setOutcome(null)
    setProgress(0)
    const refusal = await fetchFile(path, fileName, setProgress)
    setOutcome({ text: refusal === null ? words.exportDone : describeError(refusal), isError: refusal !== null })
    setProgress(null)
  }
  return (
    <>
      <Button
        kind={kind}
        aria-label={about === '' ? undefined : `${label} ${about}`}
        aria-disabled={isBusy}
        onClick={() => isBusy || void save()}
      >
        <Download aria-hidden="true" />
        {isBusy ? (progress === 0 ? words.oneMoment : words.exporting(progress)) : label}
      </Button>
      <span className={outcome?.isError === true ? 'save-said' : 'for-screen-readers'} role="status">
        {outcome !== null && (outcome.isError ? <Notice kind="error">{outcome.text}</Notice> : outcome.text)}
      </span>
    </>
  )
}

type SaveCodesProps = SaveButtonProps & { readonly lead: string }

/** Downloads a file of voucher codes, which the staff member confirms with the PIN. */
export function SaveCodesButton({ path, fileName, label, lead, kind = 'quiet' }: SaveCodesProps): ReactNode {
  const [isConfirming, setIsConfirming] = useState(false)
  const [progress, setProgress] = useState(0)
  const [isSaved, setIsSaved] = useState(false)
  const perform = async (pin: string): Promise<Answer<null>> => {
    setProgress(0)
    const refusal = await fetchFile(path, fileName, setProgress, { 'scrip-pin': pin })
    if (refusal !== null) return { refusal }
    setIsSaved(true)
    setIsConfirming(false)
    return { data: null }
  }
  return (
    <>
      <Button kind={kind} onClick={() => setIsConfirming(true)}>
        <Download aria-hidden="true" />
        {label}
      </Button>
      <span className="for-screen-readers" role="status">
        {isSaved ? words.exportDone : ''}
      </span>
      {isConfirming && (
        <PinDialog
          heading={label}
          busy={progress === 0 ? words.oneMoment : words.exporting(progress)}
          perform={perform}
          onClose={() => setIsConfirming(false)}
        >
          <p>{lead}</p>
        </PinDialog>
      )}
    </>
  )
}

/** Passes the file to the browser. Returns the refusal, or null. */
async function fetchFile(
  path: string,
  name: string,
  onProgress: (kilobytes: number) => void,
  headers: Readonly<Record<string, string>> = {},
): Promise<Refusal | null> {
  const response = await open(path, new AbortController().signal, headers).catch(() => null)
  if (response === null) return { code: unreachable, message: '' }
  if (!response.ok || response.body === null) return readRefusal(response)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    parts.push(value)
    bytes += value.length
    onProgress(Math.ceil(bytes / 1024))
  }
  const url = URL.createObjectURL(new Blob(parts, { type: response.headers.get('content-type') ?? '' }))
  const fileName = place?.mode === 'test' ? words.files.inTestMode(name) : name
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
  // The browser still reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return null
}

async function readRefusal(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as { message?: string; error?: { code: string } }
  return { code: body.error?.code ?? unreachable, message: body.message ?? '' }
}
