import { useEffect, useRef, useState, type ReactNode } from 'react'
import { decodeQR } from 'qr/decode.js'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import './scan.css'

type ScanProps = {
  readonly words: { readonly point: string; readonly noCamera: string; readonly type: string }
  /** Whether `onCode` gets whole links. By default it gets their fragments, which are the codes of vouchers. */
  readonly readsLinks?: boolean
  readonly onCode: (code: string) => void
  readonly onStop: () => void
}

const readEveryMs = 150
// The code fills much of the picture: more pixels only take longer to read.
const widthMax = 640

/** Reads a QR code with the camera. The pictures never leave the device. */
export default function Scan({ words, readsLinks = false, onCode, onStop }: ScanProps): ReactNode {
  const video = useRef<HTMLVideoElement>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const latestOnCode = useRef(onCode)
  useEffect(() => {
    latestOnCode.current = onCode
  })
  useEffect(() => {
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    let isClosed = false
    const canvas = document.createElement('canvas')
    const begin = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      if (isClosed || video.current === null) {
        stop()
        return
      }
      video.current.srcObject = stream
      await video.current.play()
      timer = setInterval(() => {
        const code = video.current === null ? undefined : readCode(video.current, canvas)
        if (code !== undefined) latestOnCode.current(readsLinks ? code : fragmentOf(code))
      }, readEveryMs)
    }
    const stop = () => {
      clearInterval(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    begin().catch(() => setHasFailed(true))
    return () => {
      isClosed = true
      stop()
    }
  }, [readsLinks])
  return (
    <div className="fields">
      {hasFailed ? (
        <Notice kind="error">{words.noCamera}</Notice>
      ) : (
        <>
          <p>{words.point}</p>
          <video className="scan-camera" ref={video} muted playsInline aria-label={words.point} />
        </>
      )}
      <div className="acts">
        <Button onClick={onStop}>{words.type}</Button>
      </div>
    </div>
  )
}

/** The content of the QR code in the picture. */
function readCode(video: HTMLVideoElement, canvas: HTMLCanvasElement): string | undefined {
  const { videoWidth, videoHeight } = video
  if (videoWidth === 0) return undefined
  const scale = Math.min(1, widthMax / videoWidth)
  canvas.width = Math.round(videoWidth * scale)
  canvas.height = Math.round(videoHeight * scale)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return undefined
  context.drawImage(video, 0, 0, canvas.width, canvas.height)
  try {
    return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height))
  } catch {
    // No code in this picture.
    return undefined
  }
}

function fragmentOf(text: string): string {
  return text.includes('#') ? text.slice(text.indexOf('#') + 1) : text
}
