import { useEffect, useRef, useState } from 'react'
import { decodeQR } from 'qr/decode.js'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import './scan.css'

type ScanProps = {
  readonly words: { readonly point: string; readonly noCamera: string; readonly type: string }
  readonly onCode: (code: string) => void
  readonly onStop: () => void
}

const lookEveryMs = 150
// A code fills a good part of the picture: more pixels only take longer.
const widthMax = 640

/** Looks through the camera until it sees the code of a voucher. Nothing of it leaves the device. */
export default function Scan({ words, onCode, onStop }: ScanProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const seen = useRef(onCode)
  useEffect(() => {
    seen.current = onCode
  })
  useEffect(() => {
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    let isLeft = false
    const canvas = document.createElement('canvas')
    const begin = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      if (isLeft || video.current === null) {
        stop()
        return
      }
      video.current.srcObject = stream
      await video.current.play()
      timer = setInterval(() => {
        const code = video.current === null ? undefined : readCode(video.current, canvas)
        if (code !== undefined) seen.current(code)
      }, lookEveryMs)
    }
    const stop = () => {
      clearInterval(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    begin().catch(() => setHasFailed(true))
    return () => {
      isLeft = true
      stop()
    }
  }, [])
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

/** What the code says, or the part of its address that is a voucher's. */
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
    const text = decodeQR(context.getImageData(0, 0, canvas.width, canvas.height))
    return text.includes('#') ? text.slice(text.indexOf('#') + 1) : text
  } catch {
    // No code in this picture.
    return undefined
  }
}
