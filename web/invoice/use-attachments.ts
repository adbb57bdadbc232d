import { useRef, useState } from 'react'
import { recogniseFile } from '../../server/src/billing/invoice/file-kind.ts'
import { attachmentBytesMax, attachmentsMax } from '../../server/src/billing/invoice/limits.ts'
import type { MerchantLink } from './request-invoice.ts'
import { uploadFile } from './upload-file.ts'
import { describeError, words } from './words.ts'

export type AttachedFile = {
  readonly key: string
  readonly name: string
  readonly size: number
  /** From 0 to 1. */
  readonly progress: number
  /** What the invoice names it by. Empty until it is uploaded. */
  readonly id: string
  /** Why it cannot be sent. */
  readonly error: string
}

export type Attachments = {
  readonly files: readonly AttachedFile[]
  /** The sender chose more files than an invoice may have. */
  readonly isOver: boolean
  readonly add: (chosen: readonly File[]) => void
  readonly remove: (key: string) => void
}

/** The files of an invoice. Each is uploaded as soon as it is chosen. */
export function useAttachments(link: MerchantLink): Attachments {
  const [files, setFiles] = useState<readonly AttachedFile[]>([])
  const [isOver, setIsOver] = useState(false)
  const uploads = useRef(new Map<string, AbortController>())

  const change = (key: string, changed: Partial<AttachedFile>) =>
    setFiles((all) => all.map((file) => (file.key === key ? { ...file, ...changed } : file)))

  const upload = async (key: string, file: File): Promise<void> => {
    const stop = new AbortController()
    uploads.current.set(key, stop)
    const error = await checkFile(file)
    if (error !== '') {
      change(key, { error })
      return
    }
    const onProgress = (progress: number) => change(key, { progress })
    const answer = await uploadFile(link, file, { signal: stop.signal, onProgress })
    change(key, 'refusal' in answer ? { error: describeError(answer.refusal) } : { ...answer.data, progress: 1 })
  }

  const add = (chosen: readonly File[]): void => {
    const taken = chosen.slice(0, attachmentsMax - files.length)
    setIsOver(taken.length < chosen.length)
    const added = taken.map((file) => ({ file, key: crypto.randomUUID() }))
    const shown = added.map(({ file, key }) => ({ ...describe(file), key, progress: 0, id: '', error: '' }))
    setFiles((all) => [...all, ...shown])
    for (const { file, key } of added) void upload(key, file).catch(() => change(key, { error: words.file.unreadable }))
  }

  const remove = (key: string): void => {
    uploads.current.get(key)?.abort()
    uploads.current.delete(key)
    setIsOver(false)
    setFiles((all) => all.filter((file) => file.key !== key))
  }
  return { files, isOver, add, remove }
}

function describe({ name, size }: File): Pick<AttachedFile, 'name' | 'size'> {
  return { name, size }
}

/** The server checks the same: this only saves the upload. */
async function checkFile(file: File): Promise<string> {
  if (file.size > attachmentBytesMax) return words.refusals.INVOICE_FILE_TOO_LARGE
  const start = new Uint8Array(await file.slice(0, 16).arrayBuffer())
  return recogniseFile(start) === undefined ? words.refusals.INVOICE_FILE_INVALID : ''
}
