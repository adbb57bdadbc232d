import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { open } from './ask-dashboard.ts'
import { place } from './place.ts'
import { sayRefusal, words } from './words.ts'

type SaveButtonProps = {
  readonly path: string
  readonly fileName: string
  readonly label: string
  readonly kind?: 'main' | 'quiet'
}

/** Fetches a file in the name of who has signed in, tells how far it is, and hands it to the browser. */
export function SaveButton({ path, fileName, label, kind = 'quiet' }: SaveButtonProps) {
  const [progress, setProgress] = useState<number | null>(null)
  const [said, setSaid] = useState<{ readonly text: string; readonly isError: boolean } | null>(null)
  const isBusy = progress !== null
  const save = async () => {
    setSaid(null)
    setProgress(0)
    try {
      await fetchFile(path, place?.mode === 'test' ? `test-${fileName}` : fileName, setProgress)
      setSaid({ text: words.exportDone, isError: false })
    } catch (error) {
      setSaid({ text: error instanceof Error ? error.message : words.refusals.UNREACHABLE, isError: true })
    }
    setProgress(null)
  }
  return (
    <>
      <Button kind={kind} aria-disabled={isBusy} onClick={() => isBusy || void save()}>
        {isBusy ? (progress === 0 ? words.oneMoment : words.exporting(progress)) : label}
      </Button>
      <span className={said?.isError === true ? 'save-said' : 'for-screen-readers'} role="status">
        {said !== null && (said.isError ? <Notice kind="error">{said.text}</Notice> : said.text)}
      </span>
    </>
  )
}

async function fetchFile(path: string, fileName: string, onProgress: (kilobytes: number) => void): Promise<void> {
  const reply = await open(path, new AbortController().signal).catch(() => null)
  if (reply === null) throw new Error(words.refusals.UNREACHABLE)
  if (!reply.ok || reply.body === null) throw new Error(await readRefusal(reply))
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = reply.body.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    parts.push(value)
    bytes += value.length
    onProgress(Math.ceil(bytes / 1024))
  }
  const url = URL.createObjectURL(new Blob(parts, { type: reply.headers.get('content-type') ?? '' }))
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
  // The browser reads it after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

async function readRefusal(reply: Response): Promise<string> {
  const told = (await reply.json().catch(() => ({}))) as { message?: string; error?: { code: string } }
  return sayRefusal({ code: told.error?.code ?? '', message: told.message ?? '' })
}
