import type { UploadedFile } from '../../server/src/billing/invoice/wire.ts'
import { readBase64 } from '../ui/read-file.ts'
import type { Answer } from '../ui/send-request.ts'
import type { MerchantLink } from './request-invoice.ts'

type Upload = {
  readonly signal: AbortSignal
  /** From 0 to 1. */
  readonly onProgress: (progress: number) => void
}

// The server waits 30 seconds for a request.
const timeoutMs = 35_000
const unreachable = { refusal: { code: 'UNREACHABLE', message: '' } } as const

/** Uploads one file. An XMLHttpRequest, because fetch does not say how much it has sent. */
export async function uploadFile(link: MerchantLink, file: File, upload: Upload): Promise<Answer<UploadedFile>> {
  const content = await readBase64(file)
  if (upload.signal.aborted) return unreachable
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    const fail = (): void => resolve(unreachable)
    request.open('POST', '/invoice/attachments')
    request.setRequestHeader('content-type', 'application/json')
    request.timeout = timeoutMs
    request.upload.addEventListener('progress', ({ loaded, total }) => upload.onProgress(loaded / total))
    request.addEventListener('load', () => resolve(readAnswer(request.responseText)))
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, fail)
    upload.signal.addEventListener('abort', () => request.abort())
    request.send(JSON.stringify({ ...link, name: file.name, content }))
  })
}

function readAnswer(text: string): Answer<UploadedFile> {
  try {
    const { data, message, error } = JSON.parse(text) as {
      readonly data?: UploadedFile
      readonly message: string
      readonly error?: { readonly code: string }
    }
    return data === undefined ? { refusal: { code: error?.code ?? 'BROKEN', message } } : { data }
  } catch {
    return unreachable
  }
}
